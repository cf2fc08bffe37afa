import { afterAll, expect, test, vi } from 'vitest'
import { send } from '../support/client.ts'
import { cleanUp, preparedFolder, start } from '../support/process.ts'

vi.setConfig({ testTimeout: 180_000 })
afterAll(cleanUp)

/** A line in the log each: together more than a pipe and its readers hold. */
const REQUESTS = 4_000
const AT_ONCE = 50

test('stops in time when nobody reads its log', async () => {
  const service = await start({ DATA_DIR: await preparedFolder(), DEMO_PARTNER: 'off' })
  const ended = service.unread()
  for (let made = 0; made < REQUESTS; made += AT_ONCE) {
    const ask = () => send(service.baseUrl, { method: 'GET', target: '/health/live' })
    await Promise.all(Array.from({ length: AT_ONCE }, ask))
  }
  service.signal('SIGTERM')
  expect(await ended).toBe(0)
})
