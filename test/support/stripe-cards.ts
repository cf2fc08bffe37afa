import { randomUUID } from 'node:crypto'

type Thing = Record<string, unknown> & { id: string }

/** The part of Stripe's API about saved cards: customers, setup sessions, off-session payments. */
export function stripeCards(apiBase: string) {
  const customers: Thing[] = []
  const setups = new Map<string, Thing>()
  const intents: Thing[] = []
  const refunds: Thing[] = []
  const detached: string[] = []
  /** What the bank says to the next charges. */
  const bank = { declines: false, asks: false }

  function setup(form: URLSearchParams): Thing {
    const id = `cs_setup_${randomUUID()}`
    const made = {
      id,
      object: 'checkout.session',
      mode: form.get('mode'),
      client_reference_id: form.get('client_reference_id'),
      customer: form.get('customer'),
      status: 'open',
      setup_intent: null,
      url: `${apiBase}/pay/${id}`,
      success_url: form.get('success_url'),
    }
    setups.set(id, made)
    return made
  }

  /** A page on which a cardholder pays a charge that was made without them. */
  function confirmation(form: URLSearchParams): Thing {
    const id = `cs_confirm_${randomUUID()}`
    const made = {
      id,
      object: 'checkout.session',
      mode: 'payment',
      client_reference_id: form.get('client_reference_id'),
      customer: form.get('customer'),
      amount_total: Number(form.get('line_items[0][price_data][unit_amount]')),
      currency: form.get('line_items[0][price_data][currency]'),
      capture_method: form.get('payment_intent_data[capture_method]'),
      metadata: { charge_id: form.get('metadata[charge_id]') },
      payment_status: 'unpaid',
      status: 'open',
      payment_intent: null,
      url: `${apiBase}/pay/${id}`,
      success_url: form.get('success_url'),
    }
    setups.set(id, made)
    return made
  }

  function expire(id: string): object {
    const known = setups.get(id)
    if (known?.status !== 'open') {
      return { error: { type: 'invalid_request_error', message: 'It is not open.' } }
    }
    setups.set(id, { ...known, status: 'expired' })
    return setups.get(id) ?? {}
  }

  function intent(form: URLSearchParams): Thing {
    const made = {
      id: `pi_${randomUUID()}`,
      object: 'payment_intent',
      amount: Number(form.get('amount')),
      amount_received: bank.declines || bank.asks ? 0 : Number(form.get('amount')),
      currency: form.get('currency'),
      customer: form.get('customer'),
      payment_method: form.get('payment_method'),
      off_session: form.get('off_session'),
      description: form.get('description'),
      metadata: form.has('metadata[payment_id]')
        ? { payment_id: form.get('metadata[payment_id]') }
        : { charge_id: form.get('metadata[charge_id]') },
      status: bank.declines || bank.asks ? 'requires_payment_method' : 'succeeded',
      last_payment_error: errorOf(bank),
    }
    intents.push(made)
    return made
  }

  return {
    customers,
    setups,
    intents,
    refunds,
    detached,
    bank,
    refund: (id: string) => refunds.find((refund) => refund.id === id),
    /** The cardholder pays on such a page. */
    confirm(id: string): Thing {
      const known = setups.get(id)
      if (!known) throw new Error(`no such page: ${id}`)
      const paid = {
        id: `pi_${id}`,
        object: 'payment_intent',
        amount: known.amount_total,
        amount_received: known.capture_method === 'manual' ? 0 : known.amount_total,
        currency: known.currency,
        customer: known.customer,
        metadata: known.metadata,
        status: known.capture_method === 'manual' ? 'requires_capture' : 'succeeded',
        last_payment_error: null,
      }
      intents.push(paid)
      const done = { ...known, status: 'complete', payment_status: 'paid', payment_intent: paid }
      setups.set(id, done)
      return done
    },
    /** Somebody types their card on the provider's page. */
    complete(id: string): Thing {
      const known = setups.get(id)
      if (!known) throw new Error(`no such page: ${id}`)
      const payment_method = { id: `pm_${id}`, card: { brand: 'visa', last4: '4242' } }
      const done = { ...known, status: 'complete', setup_intent: { id: 'seti', payment_method } }
      setups.set(id, done)
      return done
    },
    /** The response to a call about cards; undefined for any other. */
    answer(method: string, url: string, form: URLSearchParams): object | undefined {
      const { pathname, searchParams } = new URL(url, apiBase)
      const last = pathname.split('/').at(-1) ?? ''
      if (method === 'GET' && pathname === '/v1/payment_intents') {
        const data = intents.filter(({ customer }) => customer === searchParams.get('customer'))
        return { object: 'list', data, has_more: false, url: pathname }
      }
      if (method === 'GET' && setups.has(last)) return setups.get(last)
      if (method === 'GET') return intents.find(({ id }) => id === last)
      if (pathname === '/v1/customers') {
        customers.push({ id: `cus_${randomUUID()}`, email: form.get('email') })
        return customers.at(-1)
      }
      if (form.get('mode') === 'setup') return setup(form)
      if (form.get('mode') === 'payment' && form.has('customer')) return confirmation(form)
      if (pathname.endsWith('/expire')) return expire(pathname.split('/').at(-2) ?? '')
      if (pathname === '/v1/payment_intents') return intent(form)
      if (pathname.endsWith('/detach')) {
        detached.push(pathname.split('/').at(-2) ?? '')
        return { id: detached.at(-1), object: 'payment_method' }
      }
      if (pathname === '/v1/refunds' && form.has('amount')) {
        refunds.push({
          id: `re_${randomUUID()}`,
          object: 'refund',
          status: 'succeeded',
          ...Object.fromEntries(form),
          metadata: metadataOf(form),
        })
        return refunds.at(-1)
      }
      return undefined
    },
  }
}

/** What a call says to keep with what it makes. */
export function metadataOf(form: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...form].flatMap(([key, value]) => {
      const name = /^metadata\[(\w+)\]$/.exec(key)?.[1]
      return name ? [[name, value]] : []
    }),
  )
}

/** What the bank says to a charge without its cardholder. */
function errorOf({ declines, asks }: { declines: boolean; asks: boolean }) {
  if (asks) {
    return {
      code: 'authentication_required',
      message: 'Your card was declined. This transaction requires authentication.',
    }
  }
  return declines ? { code: 'card_declined', message: 'Your card was declined.' } : null
}

/** Stripe's error to a charge that the bank declines. */
export function cardError(intent: { last_payment_error: object }) {
  return { error: { type: 'card_error', ...intent.last_payment_error, payment_intent: intent } }
}
