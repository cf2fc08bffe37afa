import { readFile } from 'node:fs/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { connectPostgres } from '../../src/db/postgres.ts'
import { POSTGRES } from '../support/database.ts'
import { must } from '../support/market.ts'
import {
  adminCall,
  cleanUp,
  clientFor,
  emptyDatabase,
  newFolder,
  type Running,
  start,
} from '../support/process.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
afterAll(cleanUp)
afterAll(closeReceivers)

const ADMIN_TOKEN = 'the-admin-token-of-this-test'
const scopes = ['search', 'buy', 'embed', 'broker', 'webhook']

/** The statements that docs/OPERATING.md gives to those who have lost their key. */
async function statements(): Promise<string> {
  const page = await readFile(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8')
  const [, sql] = /```sql\n(begin;[^`]*commit;)\n```/.exec(page) ?? []
  if (!sql) throw new Error('no statements on the page')
  return sql
}

describe.runIf(POSTGRES)('a database whose SECRETS_KEY was lost', () => {
  test('goes on with a new one, by the book', async () => {
    const database = await emptyDatabase()
    const receiver = await startReceiver()
    const up = async (byte: number) =>
      start({
        DATABASE_URL: database.url,
        DATA_DIR: await newFolder(),
        ADMIN_TOKEN,
        SECRETS_KEY: Buffer.alloc(32, byte).toString('base64'),
      })
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

    const server = connectPostgres(database.url, 2)
    await server.query(await statements(), [])
    await server.close()

    const service = await up(2)
    expect((await clientFor(service, old.credential).get('/orders')).status).toBe(401)
    const client = await credential(service, partner_id)
    expect(must(await client.get(`/orders/${order.public_id}`), 200).body).toEqual(order)
    const seen = must(await client.get(`/brokerage/${opened.case_id}`), 200).body
    expect(seen).toMatchObject({ progress_url: null })
    const link = await admin(service, `/brokerage/${opened.case_id}/progress-link`, {})
    expect(link.progress_url).toMatch(/\/case\//)
    must(await client.put('/api/partner/webhooks', hook), 200)
    const delivered = receiver.got.length
    await sold(client, 'getdogstore.test')
    expect((await receiver.until(delivered + 1, 20_000)).event.type).toBe('order.recorded')
    await service.stop()
    await database.drop()
  })
})
