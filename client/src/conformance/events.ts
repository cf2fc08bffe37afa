import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '../webhooks.ts'
import { type Check, expectStatus, expectThat, Failure, type Kit, Skipped } from './kit.ts'

const RULE = 'service, Events'
const GAPS = 'contract 12'
const SECRET = 'conformance-secret-0123456789'

function check(rule: string, title: string, run: Check['run']): Check {
  return { group: 'events', rule, title, run }
}

interface Event {
  id: string
  type: string
  created_at: string
  data: { order?: Record<string, unknown> }
}

/** Everything after an event, in pages of a size. */
async function historyOf(kit: Kit, limit: number, after?: string): Promise<Event[]> {
  const events: Event[] = []
  for (let from = after; ; ) {
    const place = from === undefined ? '' : `after_id=${from}&`
    const { body } = expectStatus(await kit.get(`/events?${place}limit=${limit}`), 200)
    events.push(...body.events)
    if (body.next_cursor === null) return events
    expectThat(body.next_cursor === body.events.at(-1)?.id, 'next_cursor is not the last id')
    from = body.next_cursor
  }
}

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** Runs a check with a receiver on this machine, which the service must be on too. */
function delivery(title: string, run: (kit: Kit, got: Received[]) => Promise<void>): Check {
  return check(RULE, title, async (kit) => {
    const { hostname } = new URL(kit.options.baseUrl)
    if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
      throw new Skipped('the service is not on this machine')
    }
    const known = await kit.get('/api/partner/webhooks')
    const isOurs = String(known.body?.url).includes('/conformance-kit')
    if (known.status === 200 && !isOurs && !kit.options.replaceWebhook) {
      throw new Skipped('an endpoint is registered: --replace-webhook takes its place')
    }
    const got: Received[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        // The first attempt of all fails, so that there is a second.
        response.writeHead(got.length === 1 ? 500 : 200).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const registered = await kit.signed({
        method: 'PUT',
        target: '/api/partner/webhooks',
        body: JSON.stringify({ url: `http://127.0.0.1:${port}/conformance-kit`, secret: SECRET }),
      })
      expectStatus(registered, 200)
      await run(kit, got)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
}

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Failure(otherwise)
}

export const EVENTS: Check[] = [
  check(RULE, 'has an order.recorded of each order', async (kit) => {
    const { body: order } = await kit.sale()
    const event = (await historyOf(kit, 100)).find(
      ({ type, data }) =>
        type === 'order.recorded' && data.order?.['public_id'] === order.public_id,
    )
    expectThat(event, 'it is not in the history')
    const told = event?.data.order ?? {}
    for (const field of ['domain', 'status', 'sale_price_cents', 'currency']) {
      expectThat(told[field] === order[field], `data.order.${field} is ${String(told[field])}`)
    }
    expectThat(/^\d{4}-.*Z$/.test(event?.created_at ?? ''), 'created_at is no RFC 3339 in UTC')
  }),
  check(RULE, 'tells of a refund', async (kit) => {
    const { public_id } = (await kit.sale()).body
    const before = (await historyOf(kit, 100)).at(-1)?.id
    const refund = await kit.post('/refunds', { public_id }, { key: crypto.randomUUID() })
    expectStatus(refund, 201)
    const types = (await historyOf(kit, 100, before)).map(({ type }) => type)
    expectThat(types.includes('order.refunded'), `after it came ${types.join(', ') || 'nothing'}`)
  }),
  check(RULE, 'gives the same history in pages of any size', async (kit) => {
    await kit.sale()
    const all = await historyOf(kit, 100)
    const from = all.at(-6)?.id
    const ids = (events: Event[]) => events.map(({ id }) => id).join()
    const wanted = ids(from === undefined ? all : all.slice(-5))
    for (const limit of [1, 2, 100]) {
      expectThat(ids(await historyOf(kit, limit, from)) === wanted, `not in pages of ${limit}`)
    }
  }),
  check(GAPS, 'refuses an after_id that it does not know', async (kit) => {
    expectStatus(await kit.get('/events?after_id=evt_none'), 400, 'invalid_cursor')
  }),
  check(GAPS, 'takes a limit of 1 to 100', async (kit) => {
    for (const limit of ['0', '101', 'x']) {
      expectStatus(await kit.get(`/events?limit=${limit}`), 400, 'validation_error')
    }
  }),
  check(GAPS, 'refuses endpoints that no delivery may go to', async (kit) => {
    for (const [url, secret] of [
      ['https://user:password@example.com/hook', SECRET],
      ['ftp://example.com/hook', SECRET],
      ['/hook', SECRET],
      ['https://example.com/hook', 'short'],
    ]) {
      const body = JSON.stringify({ url, secret })
      const answer = await kit.signed({ method: 'PUT', target: '/api/partner/webhooks', body })
      expectStatus(answer, 400, 'validation_error')
    }
  }),
  delivery('signs deliveries, and makes one again that failed', async (kit, got) => {
    const { public_id } = (await kit.sale()).body
    await until(() => got.length >= 2, `${got.length} of 2 attempts came within 12 s`)
    const [first, second] = got
    expectThat(first?.body === second?.body, 'the bytes of the attempts differ')
    for (const { body, headers } of got) {
      const hex = createHmac('sha256', SECRET).update(body).digest('hex')
      expectThat(headers['x-service-signature'] === hex, 'X-Service-Signature is wrong')
      const event = await verifyWebhook({ body, headers, secret: SECRET }).catch((error: Error) => {
        throw new Failure(`Standard Webhooks: ${error.message}`)
      })
      expectThat(event.partner_id, 'partner_id is missing')
      expectThat(event.id === headers['webhook-id'], 'webhook-id is not the id of the event')
      const { order } = event.data as { order?: { public_id?: string } }
      expectThat(order?.public_id === public_id, 'it tells of another order')
    }
  }),
]
