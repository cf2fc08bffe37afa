import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { POSTGRES } from '../support/database.ts'
import { must } from '../support/market.ts'
import {
  adminCall,
  cleanUp,
  cli,
  clientFor,
  emptyDatabase,
  newFolder,
  preparedFolder,
  printedCredential,
  type Running,
  start,
  startAndFail,
} from '../support/process.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
afterAll(cleanUp)
afterAll(closeReceivers)

const ADMIN_TOKEN = 'the-admin-token-of-this-test'
const scopes = ['search', 'buy', 'embed', 'broker', 'webhook']

describe.runIf(POSTGRES)('a database whose SECRETS_KEY was lost', () => {
  test('goes on with a new one, by the book', async () => {
    const database = await emptyDatabase()
    const receiver = await startReceiver()
    const settings = async (byte: number) => ({
      DATABASE_URL: database.url,
      DATA_DIR: await newFolder(),
      ADMIN_TOKEN,
      SECRETS_KEY: Buffer.alloc(32, byte).toString('base64'),
    })
    const up = async (byte: number) => start(await settings(byte))
    const admin = async (service: Running, path: string, body: object) =>
      (await adminCall(service, ADMIN_TOKEN, 'POST', path, body)).body
    const credential = async (service: Running, partner: string) =>
      clientFor(
        service,
        await admin(service, `/partners/${partner}/credentials`, {
          environment: 'sandbox',
          scopes,
        }),
      )
    const hook = { url: receiver.url, secret: 'a-secret-of-some-length' }

    const before = await up(1)
    const { partner_id } = await admin(before, '/partners', { name: 'P', email: 'p@example.com' })
    const old = await credential(before, partner_id)
    must(await old.put('/api/partner/webhooks', hook), 200)
    const order = await sold(old, 'petpantry.test')
    const asked = { domain: 'wanted.example', tier: 'managed', buyer_email: 'b@example.com' }
    const opened = must(await old.post('/brokerage', { ...asked, budget: 9_000 }), 201).body
    await before.stop()

    expect((await startAndFail(await settings(2))).stderr).toContain('SECRETS_KEY does not fit')
    const unsure = await cli(['secrets', 'forget'], await settings(2))
    expect(unsure).toMatchObject({ code: 1, stdout: '' })
    expect(unsure.stderr).toContain("required option '--yes' not specified")
    const forgot = await cli(['--json', 'secrets', 'forget', '--yes'], await settings(2))
    expect(forgot).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(forgot.stdout).rows).toMatchObject({ credentials: 2, brokerage_cases: 1 })
    // Nothing fits now but the key that it was given.
    expect((await startAndFail(await settings(1))).stderr).toContain('SECRETS_KEY does not fit')

    const service = await up(2)
    expect((await clientFor(service, old.credential).get('/orders')).status).toBe(401)
    const client = await credential(service, partner_id)
    expect(must(await client.get(`/orders/${order.public_id}`), 200).body).toEqual(order)
    const seen = must(await client.get(`/brokerage/${opened.case_id}`), 200).body
    expect(seen.progress_url).toMatch(/\/case\//)
    expect(seen.progress_url).not.toBe(opened.progress_url)
    must(await client.put('/api/partner/webhooks', hook), 200)
    const delivered = receiver.got.length
    await sold(client, 'getdogstore.test')
    expect((await receiver.until(delivered + 1, 20_000)).event.type).toBe('order.recorded')
    await service.stop()
    await database.drop()
  })
})

test('an embedded database goes on with a new key file', async () => {
  const DATA_DIR = await preparedFolder()
  const before = await start({ DATA_DIR })
  const busy = await cli(['secrets', 'forget', '--yes'], { DATA_DIR })
  expect(busy.stderr).toMatch(/is in use by process/)
  await before.stop()
  await rm(join(DATA_DIR, 'secrets.key'))
  expect((await startAndFail({ DATA_DIR })).stderr).toContain('secrets.key is missing')
  expect(await cli(['secrets', 'forget', '--yes'], { DATA_DIR })).toMatchObject({ code: 0 })
  const service = await start({ DATA_DIR })
  const credential = printedCredential(service.stdout())
  if (!credential) throw new Error('no credential')
  must(await clientFor(service, credential).get('/orders'), 200)
})
