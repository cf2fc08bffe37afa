import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer } from './client.ts'
import type { TestService } from './service.ts'

const WEBHOOK_SECRET = 'whsec_test_secret'

interface StripeSession {
  id: string
  object: 'checkout.session'
  client_reference_id: string
  amount_total: number
  currency: string
  payment_status: 'unpaid' | 'paid'
  status: 'open' | 'complete' | 'expired'
  payment_intent: string
  url: string
  success_url: string
}

/** The part of Stripe's API that we use, on a local port: sessions, refunds, idempotency keys. */
export async function startStripe() {
  const sessions = new Map<string, StripeSession>()
  const refunds: { id: string; payment_intent: string }[] = []
  const answers = new Map<string, object>()
  /** Keys as they came, with repeats. */
  const keys: string[] = []
  let failing = 0

  const server = createServer((request, response) => {
    void read(request).then((form) => {
      response.setHeader('content-type', 'application/json')
      if (failing > 0) {
        failing -= 1
        response.statusCode = 500
        return response.end(JSON.stringify({ error: { type: 'api_error', message: 'down' } }))
      }
      return response.end(JSON.stringify(answer(request, form)))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const apiBase = `http://127.0.0.1:${port}`

  function answer(request: IncomingMessage, form: URLSearchParams): object {
    const key = String(request.headers['idempotency-key'] ?? '')
    if (request.method === 'GET') {
      return sessions.get(request.url?.split('/').at(-1) ?? '') ?? {}
    }
    keys.push(key)
    const known = answers.get(key)
    if (known) return known
    const made = request.url?.startsWith('/v1/refunds') ? refund(form) : session(form)
    answers.set(key, made)
    return made
  }

  function session(form: URLSearchParams): StripeSession {
    const id = `cs_test_${randomUUID()}`
    const made: StripeSession = {
      id,
      object: 'checkout.session',
      client_reference_id: form.get('client_reference_id') ?? '',
      amount_total: Number(form.get('line_items[0][price_data][unit_amount]')),
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      payment_status: 'unpaid',
      status: 'open',
      payment_intent: `pi_${id}`,
      url: `${apiBase}/pay/${id}`,
      success_url: form.get('success_url') ?? '',
    }
    sessions.set(id, made)
    return made
  }

  function refund(form: URLSearchParams) {
    const made = {
      id: `re_${randomUUID()}`,
      object: 'refund',
      status: 'succeeded',
      payment_intent: form.get('payment_intent') ?? '',
    }
    refunds.push(made)
    return made
  }

  return {
    settings: { secretKey: 'sk_test_local', webhookSecret: WEBHOOK_SECRET, apiBase },
    sessions,
    refunds,
    keys,
    /** The next calls fail. */
    failNext(count: number) {
      failing = count
    },
    /** The session whose page a redirect leads to. */
    sessionAt(location: string | undefined): StripeSession {
      const found = sessions.get(location?.split('/').at(-1) ?? '')
      if (!found) throw new Error(`no such page: ${location}`)
      return found
    },
    stop: () => server.close(),
  }
}

async function read(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

/** Sends a webhook as Stripe does, signed at the service's time. */
export async function sendWebhook(
  service: TestService,
  type: string,
  object: object,
  { secret = WEBHOOK_SECRET, age = 0 } = {},
): Promise<Answer> {
  const body = JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: 'event',
    type,
    data: { object },
  })
  const at = Math.floor(service.clock.now().getTime() / 1000) - age
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  return await service.send({
    method: 'POST',
    target: '/webhooks/stripe',
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` },
    body,
  })
}
