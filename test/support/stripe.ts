import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Result } from './client.ts'
import type { TestService } from './service.ts'
import { cardError, metadataOf, stripeCards } from './stripe-cards.ts'
import { stripeConnect } from './stripe-connect.ts'

const WEBHOOK_SECRET = 'whsec_test_secret'

export interface StripeSession {
  id: string
  object: 'checkout.session'
  client_reference_id: string
  amount_total: number
  currency: string
  payment_status: 'unpaid' | 'paid'
  status: 'open' | 'complete' | 'expired'
  payment_intent: string
  /** How the payment intent stands, where a test says. */
  intent_status?: 'requires_payment_method' | 'canceled'
  payment_id: string
  url: string
  success_url: string
}

interface StripeRefund {
  id: string
  status: string
  payment_intent: string
  amount: number
  /** Absent of what somebody made by hand. */
  metadata?: Record<string, string>
  failure_reason?: string
}

interface StripeDispute {
  id: string
  object: 'dispute'
  amount: number
  currency: string
  reason: string
  status: string
  payment_intent: string
  balance_transactions: { amount: number }[]
  evidence_details: { due_by: number | null }
}

const OTHER_PARAMETERS = {
  error: {
    type: 'idempotency_error',
    message: 'Keys for idempotent requests can only be used with the same parameters.',
  },
}

/** The part of Stripe's API that we use, on a local port: sessions, refunds, disputes, idempotency keys. */
export async function startStripe() {
  const sessions = new Map<string, StripeSession>()
  const refunds: StripeRefund[] = []
  const disputes = new Map<string, StripeDispute>()
  const answers = new Map<string, object>()
  /** Where Stripe is told to send its webhooks. */
  const endpoints: object[] = []
  /** Keys as they came, with repeats. */
  const keys: string[] = []
  const bodies = new Map<string, string>()
  let failing = 0
  let refusing: { code: string; message: string } | null = null
  let refusingPayments: { code: string; message: string } | null = null
  let lost = 0
  let refundStatus = 'succeeded'
  let refundsHeld = Promise.resolve()

  const server = createServer((request, response) => {
    void readForm(request).then((form) => {
      response.setHeader('content-type', 'application/json')
      if (failing > 0) {
        failing -= 1
        response.statusCode = 500
        return response.end(JSON.stringify({ error: { type: 'api_error', message: 'down' } }))
      }
      const said = answer(request, form)
      const isDeclined = 'last_payment_error' in said && said.last_payment_error !== null
      if (isDeclined && request.method === 'POST') {
        response.statusCode = 402
        return response.end(JSON.stringify(cardError(said as never)))
      }
      if (lost > 0 && request.method === 'POST') {
        lost -= 1
        return response.destroy()
      }
      if ('error' in said) response.statusCode = 400
      const isRefund = request.method === 'POST' && request.url?.startsWith('/v1/refunds')
      return (isRefund ? refundsHeld : Promise.resolve()).then(() =>
        response.end(JSON.stringify(said)),
      )
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const apiBase = `http://127.0.0.1:${port}`
  const cards = stripeCards(apiBase)
  const connect = stripeConnect(apiBase)

  function answer(request: IncomingMessage, form: URLSearchParams): object {
    const key = String(request.headers['idempotency-key'] ?? '')
    if (request.method === 'GET') {
      const known =
        cards.answer('GET', request.url ?? '', form) ??
        connect.answer('GET', request.url ?? '', form)
      return known ?? read(new URL(request.url ?? '', apiBase))
    }
    keys.push(key)
    const known = answers.get(key)
    if (known) return bodies.get(key) === form.toString() ? known : OTHER_PARAMETERS
    bodies.set(key, form.toString())
    const connected = connect.answer('POST', request.url ?? '', form)
    if (connected) {
      if (!request.url?.startsWith('/v1/account_links')) answers.set(key, connected)
      return connected
    }
    const ofSession = [...sessions.values()].some(
      ({ payment_intent }) => payment_intent === form.get('payment_intent'),
    )
    const card = ofSession ? null : cards.answer('POST', request.url ?? '', form)
    const made = card ?? (request.url?.startsWith('/v1/refunds') ? refund(form) : session(form))
    answers.set(key, made)
    return made
  }

  function read({ pathname, searchParams }: URL): object {
    const id = pathname.split('/').at(-1) ?? ''
    if (pathname === '/v1/webhook_endpoints') {
      return { object: 'list', data: endpoints, has_more: false, url: pathname }
    }
    if (pathname === '/v1/refunds') {
      const of = searchParams.get('payment_intent')
      const data = [...refunds, ...cards.refunds]
        .filter(({ payment_intent }) => payment_intent === of)
        .map((one) => ({ currency: 'usd', ...one, amount: Number(one.amount) }))
      return { object: 'list', data }
    }
    const payer = [...sessions.values()].find(({ payment_intent }) => payment_intent === id)
    if (pathname.startsWith('/v1/payment_intents/') && payer) {
      return { id, object: 'payment_intent', metadata: { payment_id: payer.payment_id } }
    }
    const found = refunds.find((refund) => refund.id === id) ?? cards.refund(id) ?? disputes.get(id)
    if (!found) {
      const own = sessions.get(id)
      const isExpanded = searchParams.getAll('expand[0]').includes('payment_intent.payment_method')
      return own && isExpanded ? withCard(own) : (own ?? {})
    }
    const page = [...sessions.values()].find(
      ({ payment_intent }) => payment_intent === found.payment_intent,
    )
    const charged = cards.intents.find((one) => one.id === found.payment_intent)
    const metadata = page ? { payment_id: page.payment_id } : (charged?.metadata ?? {})
    const intent = { id: found.payment_intent, object: 'payment_intent', metadata }
    const charge = { amount_refunded: refunded(String(found.payment_intent)) }
    return { currency: 'usd', ...found, payment_intent: intent, charge }
  }

  /** A session as it is read with what it was paid with. */
  function withCard(page: StripeSession): object {
    const card = { brand: 'visa', last4: '4242' }
    const payment_method = { object: 'payment_method', type: 'card', card }
    const { payment_intent: id, intent_status: status } = page
    const intent = { id, object: 'payment_intent', status, payment_method }
    return { ...page, payment_intent: intent }
  }

  /** What has gone back of a payment, whoever sent it. */
  function refunded(intent: string): number {
    return refunds
      .filter((one) => one.payment_intent === intent)
      .filter(({ status }) => status !== 'failed' && status !== 'canceled')
      .reduce((sum, { amount }) => sum + amount, 0)
  }

  function session(form: URLSearchParams): object {
    if (refusingPayments) return { error: { type: 'invalid_request_error', ...refusingPayments } }
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
      payment_id: form.get('payment_intent_data[metadata][payment_id]') ?? '',
      url: `${apiBase}/pay/${id}`,
      success_url: form.get('success_url') ?? '',
    }
    sessions.set(id, made)
    return made
  }

  function paidFor(intent: string | null): number {
    const page = [...sessions.values()].find(({ payment_intent }) => payment_intent === intent)
    return page?.amount_total ?? 0
  }

  function refund(form: URLSearchParams): object {
    // As Stripe does, an error is kept under its idempotency key too.
    if (refusing) return { error: { type: 'invalid_request_error', ...refusing } }
    const intent = form.get('payment_intent') ?? ''
    const left = paidFor(intent) - refunded(intent)
    if (left === 0) {
      const message = 'Charge has already been refunded.'
      return { error: { type: 'invalid_request_error', code: 'charge_already_refunded', message } }
    }
    const made = {
      id: `re_${randomUUID()}`,
      object: 'refund',
      status: refundStatus,
      payment_intent: intent,
      amount: Number(form.get('amount') ?? left),
      metadata: metadataOf(form),
    }
    refunds.push(made)
    return { currency: 'usd', ...made }
  }

  return {
    settings: {
      secretKey: 'sk_test_local',
      webhookSecrets: [WEBHOOK_SECRET],
      apiBase,
      paymentMethods: ['card' as const],
    },
    sessions,
    refunds,
    endpoints,
    keys,
    /** The bank takes the payment of a session, or of a saved card, back, or says how that stands now. */
    dispute(
      page: Pick<StripeSession, 'amount_total' | 'payment_intent'> & { currency?: string },
      status: string,
      moved: number[],
      id = `dp_${randomUUID()}`,
    ) {
      const made: StripeDispute = {
        id,
        object: 'dispute',
        amount: page.amount_total,
        currency: page.currency ?? 'usd',
        reason: 'fraudulent',
        status,
        payment_intent: page.payment_intent,
        balance_transactions: moved.map((amount) => ({ amount })),
        evidence_details: { due_by: 1_900_000_000 },
      }
      disputes.set(id, made)
      return made
    },
    /** Refunds are rejected from now on; with nothing they are taken again. */
    refuseRefunds(error: typeof refusing = null) {
      refusing = error
    },
    /** Payments are rejected from now on; with nothing they are taken again. */
    refusePayments(error: { code: string; message: string } | null = null) {
      refusingPayments = error
    },
    /** Refunds take effect from now on, and are responded to once what this returns is called. */
    holdRefunds(): () => void {
      let release = () => {}
      refundsHeld = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    /** How refunds stand that are made from now on. */
    answerRefunds(status: string) {
      refundStatus = status
    },
    cards,
    connect,
    /** Stripe forgets idempotency keys after a while. */
    forget() {
      answers.clear()
    },
    /** The next calls that change something do so, and their responses get lost. */
    loseNext(count: number) {
      lost = count
    },
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

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
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
): Promise<Result> {
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
