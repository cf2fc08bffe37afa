import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { connectPostgres } from '../../src/db/postgres.ts'
import { type PartnerClient, type Result, send } from '../../test/support/client.ts'
import { findHalfDone } from '../../test/support/half-done.ts'
import {
  adminCall,
  clientFor,
  emptyDatabase,
  newFolder,
  printedCredential,
  type Running,
  start,
} from '../../test/support/process.ts'
import { eventually, startReceiver } from '../../test/support/receiver.ts'
import { orderBody, quote, sold } from '../../test/support/sale.ts'
import { hold, type Proof, Skipped } from '../proof.ts'
import { importNames } from '../support/market.ts'

const ADMIN_TOKEN = 'the-admin-token-of-this-trial'
const LIMIT = 400

/** Two processes on one database: what one knows the other knows, and what one does it does alone. */
export const twoInstances: Proof = {
  name: 'two instances, one of which is frozen for a while',
  async run({ postgres, size, say }) {
    if (!postgres) throw new Skipped('no TEST_DATABASE_URL')
    const frozenMs = size({ quick: 20_000, ci: 25_000, release: 60_000 })
    const times = size({ quick: 10, ci: 50, release: 200 })
    const database = await emptyDatabase()
    const variables = {
      DATABASE_URL: database.url,
      DATA_DIR: await newFolder(),
      ADMIN_TOKEN,
      LOG_LEVEL: 'error',
      RATE_LIMIT_PARTNER: '10000000',
    }
    const one = await start(variables)
    const demo = printedCredential(one.stdout())
    if (!demo) throw new Error('the first start printed no credential')
    const two = await start(variables)
    const clients = [clientFor(one, demo), clientFor(two, demo)] as const
    const both = <T>(ask: (client: PartnerClient, at: Running) => Promise<T>) =>
      Promise.all([ask(clients[0], one), ask(clients[1], two)])
    const names = await importNames(one, ADMIN_TOKEN, 'two', 4 * times + 500)
    const nextName = () => names.pop() as string

    // Nonces and keys: of two at once, one.
    for (let time = 0; time < times; time++) {
      const target = '/api/partner/v1/orders?limit=1'
      const headers = clients[0].sign('GET', target, '')
      const replays = await both((_client, { baseUrl }) =>
        send(baseUrl, { method: 'GET', target, headers }),
      )
      sameSet(replays, [200, 401], 'one nonce')
      const body = orderBody(await quote(clients[0], nextName()))
      const key = randomUUID()
      const orders = await both((client) => client.post('/orders', body, { key }))
      sameSet(orders, [201, 201], 'one key')
      hold(orders[0].text === orders[1].text, 'one key was answered in two ways')
      const contested = nextName()
      const quotes = await both((client) => client.post('/quotes', { domain: contested }))
      hold(quotes[0].body.quote_id === quotes[1].body.quote_id, 'one domain has two quotes')
      await clients[0].delete(`/quotes/${quotes[0].body.quote_id}`)
    }

    // A revocation, from one instance to the other.
    let slowestRevocation = 0
    for (let time = 0; time < Math.min(times, 20); time++) {
      const body = await newCredential()
      const other = clientFor(two, body)
      hold((await other.get('/orders')).status === 200, 'a new credential does not work')
      await adminCall(one, ADMIN_TOKEN, 'POST', `/credentials/${body.key_id}/revoke`, {})
      const startedAt = performance.now()
      while ((await other.get('/orders')).status === 200) await pause(5)
      slowestRevocation = Math.max(slowestRevocation, performance.now() - startedAt)
    }
    hold(slowestRevocation < 1_000, `a revocation took ${Math.round(slowestRevocation)} ms`)

    // One settlement run.
    const delivered: string[] = []
    for (let time = 0; time < 10; time++) {
      const { public_id } = await sold(clients[0], nextName())
      await clients[0].post(`/sandbox/orders/${public_id}/start-transfer`)
      await clients[0].post(`/sandbox/orders/${public_id}/complete-transfer`)
      delivered.push(public_id)
    }
    const runs = await both((_client, at) =>
      adminCall(at, ADMIN_TOKEN, 'POST', '/settlement-runs', { environment: 'sandbox' }),
    )
    const settled = runs.map(({ body }) => Number(body.order_count)).toSorted((a, b) => a - b)
    hold(
      settled[0] === 0 && settled[1] === delivered.length,
      `the runs settled ${settled.join(' and ')}`,
    )

    // Shared limits, by a third and a fourth process with a small one.
    const limited = await Promise.all(
      [0, 1].map(() => start({ ...variables, RATE_LIMIT_PARTNER: String(LIMIT) })),
    )
    const busy = await newCredential()
    const quick = limited.map((at) => clientFor(at, busy))
    const burst = await Promise.all(
      Array.from({ length: 2 * LIMIT }, (_, index) =>
        (quick[index % 2] as PartnerClient).get('/orders?limit=1'),
      ),
    )
    const granted = burst.filter(({ status }) => status === 200).length
    hold(granted === LIMIT, `two instances granted ${granted} of ${LIMIT}`)
    await Promise.all(limited.map((at) => at.stop()))

    // An instance that stands still with work in hand, and comes back late.
    const receiver = await startReceiver((response) => void setTimeout(() => response.end(), 1_500))
    const secret = 'sixteen-or-more-characters'
    await clients[0].put('/api/partner/webhooks', { url: receiver.url, secret })
    const server = connectPostgres(database.url, 2)
    const leases = async () =>
      (await server.query('select id, lease from webhook_deliveries where lease is not null', []))
        .rows
    await two.stop()
    const frozenOrders = await Promise.all(
      Array.from({ length: 8 }, async () => (await sold(clients[0], nextName())).public_id),
    )
    await eventually(async () => (await leases()).length > 0, 10_000)
    const caught = await leases()
    one.signal('SIGSTOP')
    const frozenAt = Date.now()
    const three = await start(variables)
    const client = clientFor(three, demo)
    receiver.answer(200)
    const afterFreeze = (await sold(client, nextName())).public_id
    await pause(Math.max(0, frozenMs - (Date.now() - frozenAt)))
    const taken = await attemptsOf()
    one.signal('SIGCONT')
    await pause(4_000)
    const late = await attemptsOf()
    const changed = caught.filter(({ id }) => taken.get(String(id)) !== late.get(String(id)))
    hold(changed.length === 0, `${changed.length} late reports were written over another's`)
    await eventually(
      () =>
        [...frozenOrders, afterFreeze].every((id) =>
          receiver.got.some(({ event }) => event.data.order.public_id === id),
        ),
      40_000,
    )
    const found = await findHalfDone(server)
    hold(found.length === 0, `in the end there is ${found.join('; ')}`)
    say(`${caught.length} deliveries were in the frozen instance's hands, and taken over`)
    await one.kill()
    await three.stop()
    await server.close()
    await database.drop()
    return (
      `${times} nonces and keys used at both at once, slowest revocation ${Math.round(slowestRevocation)} ms, ` +
      `${granted} of ${LIMIT} granted together, one run settled ${delivered.length}, frozen for ${frozenMs / 1_000} s`
    )

    async function newCredential(): Promise<{ key_id: string; secret: string }> {
      const partner = { name: 'Another', email: `${randomUUID()}@example.com` }
      const made = await adminCall(one, ADMIN_TOKEN, 'POST', '/partners', partner)
      const path = `/partners/${made.body.partner_id}/credentials`
      const wanted = { environment: 'sandbox', scopes: ['buy'] }
      return (await adminCall(one, ADMIN_TOKEN, 'POST', path, wanted)).body
    }

    async function attemptsOf(): Promise<Map<string, string>> {
      const { rows } = await server.query(
        'select delivery_id, count(*)::int as attempts from webhook_attempts group by delivery_id',
        [],
      )
      return new Map(rows.map((row) => [String(row.delivery_id), JSON.stringify(row)]))
    }
  },
}

function sameSet(responses: Result[], statuses: number[], what: string): void {
  const seen = responses.map(({ status }) => status).toSorted((a, b) => a - b)
  hold(
    String(seen) === String(statuses),
    `${what} at two instances was answered ${seen.join(', ')}`,
  )
}
