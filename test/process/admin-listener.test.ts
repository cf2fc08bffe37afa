import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { send } from '../support/client.ts'
import { cleanUp, cli, freePort, preparedFolder, start, startAndFail } from '../support/process.ts'

vi.setConfig({ testTimeout: 180_000 })
afterAll(cleanUp)

test('with ADMIN_PORT the admin API is on a listener of its own, and nothing else is', async () => {
  const ADMIN_PORT = String(await freePort())
  const DATA_DIR = await preparedFolder()
  const ADMIN_TOKEN = 'a-token-that-nobody-guesses-0123456789'
  const service = await start({ DATA_DIR, ADMIN_PORT, ADMIN_TOKEN })
  const admin = `http://localhost:${ADMIN_PORT}`
  const get = async (baseUrl: string, target: string) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    return (await send(baseUrl, { method: 'GET', target, headers })).status
  }
  expect(await get(admin, '/api/admin/v1/partners')).toBe(200)
  for (const path of ['/api/admin/v1/partners', '/api/%61dmin/v1/partners']) {
    expect(await get(service.baseUrl, path), path).toBe(404)
  }
  for (const path of ['/', '/docs', '/api/partner/v1/openapi.json', '/sign-in', '/console']) {
    expect(await get(admin, path), path).toBe(404)
  }
  for (const baseUrl of [admin, service.baseUrl]) {
    expect(await get(baseUrl, '/health/ready')).toBe(200)
    expect(await get(baseUrl, '/metrics')).toBe(200)
  }
  expect(service.stdout()).toContain(`Admin API     ${admin}/api/admin/v1`)

  // The command line finds it by the data folder, and by the environment of the service.
  expect((await cli(['partner', 'list'], { DATA_DIR, ADMIN_TOKEN })).stderr).toBe('')
  const environment = { ADMIN_PORT, ADMIN_TOKEN, BASE_URL: service.baseUrl }
  expect((await cli(['partner', 'list'], environment)).code).toBe(0)

  expect((await service.stop()).code).toBe(0)
})

test('a start that cannot open that listener names its settings', async () => {
  const DATA_DIR = await preparedFolder()
  const other = createServer().listen(0, 'localhost')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const taken = await startAndFail({ DATA_DIR, ADMIN_PORT: String(port) })
  other.close()
  expect(taken.stderr).toBe(
    `The service did not start. ADMIN_PORT: the port ${port} is taken, set it to a free one.\n`,
  )
  const nowhere = { ADMIN_PORT: String(port), ADMIN_HOST: '192.0.2.1' }
  expect((await startAndFail({ DATA_DIR, ...nowhere })).stderr).toMatch(
    /^The service did not start\. The admin API cannot listen there, see ADMIN_HOST and ADMIN_PORT: .*\n$/,
  )
})
