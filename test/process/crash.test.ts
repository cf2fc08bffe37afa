import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { openEmbedded } from '../../src/db/embedded.ts'
import { connectPostgres } from '../../src/db/postgres.ts'
import { type PartnerClient, type Result, send } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { findHalfDone } from '../support/half-done.ts'
import {
  cleanUp,
  clientFor,
  emptyDatabase,
  newFolder,
  printedCredential,
  type Running,
  start,
} from '../support/process.ts'
import { eventually, pause } from '../support/receiver.ts'
import { orderBody } from '../support/sale.ts'

const ROUNDS = 4
const WORKERS = 6
const ADMIN_TOKEN = 'the-admin-token-of-this-test'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
afterAll(cleanUp)

/** A write that was sent; `response` is missing when the service died before it came. */
interface Sent {
  path: string
  body: string
  key: string
  answer?: Result
}

/** Sells, delivers, refunds and settles until the service is gone; notes all it sent and was told. */
async function work(client: PartnerClient, domains: string[], sent: Sent[]): Promise<void> {
  const write = async (path: string, body: object) => {
    const attempt: Sent = { path, body: JSON.stringify(body), key: randomUUID() }
    sent.push(attempt)
    attempt.answer = await client.post(path, attempt.body, { key: attempt.key })
    return attempt.answer
  }
  try {
    for (let domain = domains.pop(); domain; domain = domains.pop()) {
      const quoted = await write('/quotes', { domain })
      if (quoted.status !== 201) continue
      const ordered = await write('/orders', orderBody(quoted.body))
      if (ordered.status !== 201) continue
      const id = ordered.body.public_id
      const fate = Math.random()
      if (fate < 0.2) await write('/refunds', { public_id: id })
      else if (fate < 0.6) {
        await write(`/sandbox/orders/${id}/start-transfer`, {})
        if (fate < 0.3) await write(`/sandbox/orders/${id}/fail-transfer`, {})
        else if (fate < 0.5) await write(`/sandbox/orders/${id}/complete-transfer`, {})
      }
      if (fate > 0.95) await write('/sandbox/settlement-runs', {})
    }
  } catch {
    // The service is gone: whether its last write took effect is what the test asks afterwards.
  }
}

const kind = POSTGRES ? 'postgresql' : 'embedded'

describe(`kill -9 under load, on the ${kind} database`, () => {
  test('loses nothing acknowledged, leaves nothing half done, forgets no key and no nonce', async () => {
    const folder = await newFolder()
    const database = kind === 'postgresql' ? await emptyDatabase() : undefined
    const variables = {
      DATA_DIR: folder,
      ADMIN_TOKEN,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PARTNER: '1000000',
      ...(database && { DATABASE_URL: database.url }),
    }
    const open = () =>
      database ? connectPostgres(database.url, 2) : openEmbedded(`${folder}/database`)

    let service: Running = await start(variables)
    const credential = printedCredential(service.stdout())
    if (!credential) throw new Error('no credential')
    const domains = Array.from({ length: 3_000 }, (_, index) => `crash-${index}.test`)
    const imported = await send(service.baseUrl, {
      method: 'POST',
      target: '/api/admin/v1/listings/import?environment=sandbox',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
      body: domains.map((domain, index) => `${domain},${1_000 + index},900,USD`).join('\n'),
    })
    expect(imported.text).toContain('"imported":3000')

    const acknowledged = new Map<string, Sent>()
    let unanswered = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const client = clientFor(service, credential)
      const sent: Sent[] = []
      const workers = Array.from({ length: WORKERS }, () => work(client, domains, sent))
      const sold = () => sent.filter((one) => one.path === '/orders' && one.answer?.status === 201)
      await eventually(() => sold().length > 3, 60_000)
      await pause(Math.random() * 1_200)
      // The last request that surely spent its nonce.
      const target = '/api/partner/v1/events?limit=1'
      const spent = client.sign('GET', target, '')
      expect((await send(service.baseUrl, { method: 'GET', target, headers: spent })).status).toBe(
        200,
      )
      await service.kill()
      await Promise.all(workers)

      // As the crash left it, before a service could mend anything.
      const server = await open()
      expect(await findHalfDone(server)).toEqual([])
      await server.close()

      service = await start(variables)
      const again = clientFor(service, credential)
      const replay = await send(service.baseUrl, { method: 'GET', target, headers: spent })
      expect(replay).toMatchObject({ status: 401, body: { error: { code: 'replay_detected' } } })

      const answered = sent.filter(({ answer: response }) => response && response.status < 300)
      expect(answered.filter(({ path }) => path === '/orders').length).toBeGreaterThan(3)
      await Promise.all(
        answered.map(async ({ path, body, key, answer: response }) => {
          const repeat = await again.post(path, body, { key })
          expect({ path, status: repeat.status, text: repeat.text }).toEqual({
            path,
            status: response?.status,
            text: response?.text,
          })
          expect(repeat.headers['idempotent-replayed']).toBe('true')
        }),
      )
      for (const attempt of sent.filter(({ answer: response }) => !response)) {
        unanswered += 1
        // Either it had taken effect, or it does now.
        const repeat = await again.post(attempt.path, attempt.body, { key: attempt.key })
        expect([200, 201], repeat.text).toContain(repeat.status)
        attempt.answer = repeat
        const third = await again.post(attempt.path, attempt.body, { key: attempt.key })
        expect(third.text).toBe(repeat.text)
        expect(third.headers['idempotent-replayed']).toBe('true')
      }
      for (const attempt of sent) {
        if (attempt.path !== '/orders' || attempt.answer?.status !== 201) continue
        acknowledged.set(attempt.answer.body.public_id, attempt)
      }
    }
    expect(unanswered).toBeGreaterThan(0)

    // Every acknowledged order, and no other.
    const client = clientFor(service, credential)
    const listed = new Map<string, Result['body']>()
    for (let cursor = ''; ; ) {
      const { body } = await client.get(`/orders?${cursor && `cursor=${cursor}&`}limit=100`)
      for (const order of body.orders) listed.set(order.public_id, order)
      if (!body.next_cursor) break
      cursor = encodeURIComponent(body.next_cursor)
    }
    expect([...listed.keys()].toSorted()).toEqual([...acknowledged.keys()].toSorted())
    for (const [id, { answer: response }] of acknowledged) {
      const { public_id, domain, sale_price_cents, quote_id, external_payment_ref, created_at } =
        response?.body ?? {}
      expect(listed.get(id)).toMatchObject({
        public_id,
        domain,
        sale_price_cents,
        quote_id,
        external_payment_ref,
        created_at,
      })
    }
    const recorded: string[] = []
    for (let after = ''; ; ) {
      const { body } = await client.get(`/events?${after && `after_id=${after}&`}limit=100`)
      for (const { type, data } of body.events) {
        if (type === 'order.recorded') recorded.push(data.order.public_id)
      }
      if (!body.next_cursor) break
      after = body.next_cursor
    }
    expect(recorded.toSorted()).toEqual([...acknowledged.keys()].toSorted())

    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' })
    const server = await open()
    expect(await findHalfDone(server)).toEqual([])
    await server.close()
    await database?.drop()
  })
})
