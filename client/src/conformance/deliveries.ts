import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '../webhooks.ts'
import { expectStatus, expectThat, Failure, Skipped } from './expect.ts'
import { type Check, type Kit } from './kit.ts'

const RULE = 'service, Events'
export const WEBHOOKS = '/api/partner/webhooks'
const PATH = '/conformance-kit'
const SECRET = 'conformance-secret-0123456789'

interface Received {
  method: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

/** What the receiver answers with. */
type Answering = (received: Received) => number | Promise<number>

/** @throws Skipped where an endpoint is registered that is not the kit's, and that it may not replace */
export async function keepEndpoint(kit: Kit): Promise<void> {
  const known = await kit.get(WEBHOOKS)
  const isOurs = String(known.body?.url).endsWith(PATH)
  if (known.status === 200 && !isOurs && !kit.options.replaceWebhook) {
    throw new Skipped('an endpoint is registered: --replace-webhook takes its place')
  }
}

/** Runs with a receiver on this machine, which the service must be on too. */
async function withReceiver(kit: Kit, answering: Answering, run: () => Promise<void>) {
  const { hostname } = new URL(kit.options.baseUrl)
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
    throw new Skipped('the service is not on this machine')
  }
  await keepEndpoint(kit)
  let isOver = false
  let isOff = false
  const server = createServer(async (request, response) => {
    const { method, headers } = request
    const received = { method, headers, body: await bodyOf(request) }
    response.writeHead(isOver ? 410 : await answering(received)).end()
    isOff = isOver
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const endpoint = { url: `http://127.0.0.1:${port}${PATH}`, secret: SECRET }
    expectStatus(await kit.put(WEBHOOKS, endpoint), 200)
    await run()
  } finally {
    // 410 switches the endpoint off: nothing is left that the next run would be sent.
    isOver = true
    await kit.post(`${WEBHOOKS}/test`, {}, { key: crypto.randomUUID() }).catch(() => {})
    for (let tries = 0; tries < 30 && !isOff; tries++) await sleep(100)
    server.closeAllConnections()
    server.close()
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Whether it tells that an order was recorded; what others sell may come in between. */
function tellsOf(publicId: string, { body }: Received): boolean {
  try {
    const { type, data } = JSON.parse(body)
    return type === 'order.recorded' && data.order.public_id === publicId
  } catch {
    return false
  }
}

export const DELIVERIES: Check[] = [
  {
    group: 'events',
    rule: RULE,
    title: 'signs deliveries, and makes one again that failed',
    async run(kit) {
      const attempts: Received[] = []
      let know = (_publicId: string) => {}
      // A delivery may well come before the answer that tells which order it is of.
      const sold = new Promise<string>((resolve) => {
        know = resolve
      })
      const answering: Answering = async (received) => {
        if (!tellsOf(await sold, received)) return 200
        attempts.push(received)
        return attempts.length === 1 ? 500 : 200
      }
      await withReceiver(kit, answering, async () => {
        know((await kit.sale()).body.public_id)
        for (let tries = 0; tries < 120 && attempts.length < 2; tries++) await sleep(100)
      })
      expectThat(
        attempts.length >= 2,
        `${attempts.length} of 2 attempts to deliver order.recorded came within 12 s`,
      )
      for (const attempt of attempts) {
        const { method, headers } = attempt
        expectThat(method === 'POST', `a delivery was sent by ${method} instead of POST`)
        const type = headers['content-type']
        expectThat(
          /^application\/json\b/.test(type ?? ''),
          `a delivery has the Content-Type ${type} instead of application/json`,
        )
        await expectSigned(attempt)
      }
      const same = (of: (attempt: Received) => unknown) => new Set(attempts.map(of)).size === 1
      expectThat(
        same(({ headers }) => headers['webhook-id']),
        'webhook-id differs between two attempts of a delivery',
      )
      expectThat(
        same(({ body }) => body),
        'the bytes of two attempts of a delivery differ',
      )
    },
  },
]

async function expectSigned({ body, headers }: Received): Promise<void> {
  const hex = createHmac('sha256', SECRET).update(body).digest('hex')
  expectThat(
    headers['x-service-signature'] === hex,
    'X-Service-Signature of a delivery is not the hex HMAC-SHA256 of its body',
  )
  const event = await verifyWebhook({ body, headers, secret: SECRET }).catch((error: Error) => {
    throw new Failure(`Standard Webhooks: ${error.message}`)
  })
  expectThat(event.partner_id, 'partner_id of a delivery is missing')
  expectThat(
    event.id === headers['webhook-id'],
    'webhook-id of a delivery is not the id of its event',
  )
}
