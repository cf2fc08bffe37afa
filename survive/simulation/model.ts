/**
 * The rules of a sale in plain memory, written from the specification and the contract and not from the
 * code: what each call must be responded to with, and what is there afterwards. Money in cents, time in
 * milliseconds. A command returns what is expected; what took effect is told the model with the ids that
 * the service gave out.
 */
export interface Expected {
  status: number
  /** Of the error. */
  code?: string
  /** Fields that the response must have. */
  fields?: Record<string, unknown>
  /** Takes the ids of what was made. */
  made?: (body: Record<string, unknown>) => void
}

/** In the catalogue, which is the same for all. */
interface Listing {
  price: number
  /** Names move their price above it. */
  floor: number
}

/** What a partner's own sandbox has of it. */
interface OwnListing {
  /** Until the catalogue has another price. */
  moved: { from: number; price: number } | null
  sold: boolean
  holder: Quote | null
}

export interface Quote {
  id: string
  partner: number
  domain: string
  price: number
  status: 'active' | 'consumed' | 'released'
  until: number
}

export interface Order {
  id: string
  partner: number
  domain: string
  price: number
  status: string
  held: boolean
  everStarted: boolean
  timeline: string[]
}

interface Period {
  closed: boolean
  delivered: Order[]
  refunded: Order[]
}

export interface OrderBody {
  domain: string
  quote_id: string
  sale_price_cents: number
  external_payment_ref: string
  buyer: { email: string }
  expected_price?: number
  currency?: string
}

const MINUTE = 60_000
const COMMISSION_BPS = 1_000
const ok = (fields: Record<string, unknown> = {}): Expected => ({ status: 200, fields })
const rejected = (status: number, code: string): Expected => ({ status, code })
const CONFLICT = rejected(409, 'conflict')
const NOT_FOUND = rejected(404, 'not_found')
const INVALID = rejected(400, 'validation_error')
const MISMATCH = rejected(422, 'price_mismatch')

const commissionOf = (price: number) => Math.floor((price * COMMISSION_BPS) / 10_000)

const priceOf = ({ price, floor }: Listing, { moved }: OwnListing) =>
  moved?.from === price ? Math.max(moved.price, floor) : price

export class Model {
  now: number
  readonly listings = new Map<string, Listing>()
  readonly #own = new Map<string, OwnListing>()
  readonly quotes = new Map<string, Quote>()
  readonly orders = new Map<string, Order>()
  readonly periods: Period[][] = [[], []]
  /** What each partner's history holds. */
  readonly events: { type: string; order: string; status: string }[][] = [[], []]
  readonly #references: Set<string>[] = [new Set(), new Set()]
  readonly #answers = new Map<string, { body: string; text: string }>()

  constructor(now: number) {
    this.now = now
  }

  list(domain: string, price: number): void {
    this.listings.set(domain, { price, floor: price })
  }

  availability(partner: number, domain: string): Expected {
    const listing = this.listings.get(domain)
    const own = this.#ownOf(partner, domain)
    const available = listing !== undefined && !own.sold && !this.#holder(own)
    return ok({ available, price_cents: available ? priceOf(listing, own) : null })
  }

  quote(partner: number, domain: string, expected?: number): Expected {
    const listing = this.listings.get(domain)
    if (!listing) return NOT_FOUND
    const own = this.#ownOf(partner, domain)
    const running = this.#holder(own)
    if (own.sold) return CONFLICT
    const price = running?.price ?? priceOf(listing, own)
    if (expected !== undefined && expected !== price) return MISMATCH
    if (running) return { status: 201, fields: { quote_id: running.id, price_cents: price } }
    return {
      status: 201,
      fields: { price_cents: price, domain, status: 'active' },
      made: ({ quote_id }) => {
        const until = this.now + 10 * MINUTE
        const quote: Quote = {
          id: String(quote_id),
          partner,
          domain,
          price,
          status: 'active',
          until,
        }
        this.quotes.set(quote.id, quote)
        own.holder = quote
        if (domain.startsWith('price-moves.')) {
          const higher = price + Math.max(1, Math.floor(price / 10))
          const moved = higher > 2 * listing.floor ? listing.floor : higher
          own.moved = { from: listing.price, price: moved }
        }
      },
    }
  }

  showQuote(partner: number, id: string): Expected {
    const quote = this.quotes.get(id)
    if (quote?.partner !== partner) return NOT_FOUND
    return ok({ status: this.#statusOf(quote), price_cents: quote.price })
  }

  release(partner: number, id: string): Expected {
    const quote = this.quotes.get(id)
    if (quote?.partner !== partner) return NOT_FOUND
    if (quote.status === 'consumed') return CONFLICT
    if (this.#statusOf(quote) === 'active') quote.status = 'released'
    return ok({ status: this.#statusOf(quote) })
  }

  /** The key comes first: a repeat gets what was responded to, another body is rejected. */
  repeat(partner: number, path: string, key: string, body: string): Expected | string | null {
    const known = this.#answers.get(`${partner} ${path} ${key}`)
    if (!known) return null
    return known.body === body ? known.text : CONFLICT
  }

  remember(partner: number, path: string, key: string, body: string, text: string): void {
    this.#answers.set(`${partner} ${path} ${key}`, { body, text })
  }

  order(partner: number, body: OrderBody): Expected {
    const { domain, currency = 'USD' } = body
    const listing = this.listings.get(domain)
    if (!listing) return NOT_FOUND
    const own = this.#ownOf(partner, domain)
    if (own.sold) return CONFLICT
    if (this.#holder(own) && domain.startsWith('sold-meanwhile.')) return CONFLICT
    if (currency !== 'USD') return INVALID
    const quote = this.quotes.get(body.quote_id)
    if (quote?.partner !== partner || quote.domain !== domain) return INVALID
    if (quote.status !== 'active') return CONFLICT
    if (this.#statusOf(quote) === 'expired') return rejected(422, 'quote_expired')
    if (body.sale_price_cents !== quote.price) return MISMATCH
    if (body.expected_price !== undefined && body.expected_price !== quote.price) return MISMATCH
    if (this.#references[partner]?.has(body.external_payment_ref)) return CONFLICT
    const held = domain.startsWith('manual-review.')
    return {
      status: 201,
      fields: {
        domain,
        status: 'EXTERNALLY_PAID',
        held,
        sale_price_cents: quote.price,
        commission_cents: commissionOf(quote.price),
        amount_owed_cents: quote.price - commissionOf(quote.price),
      },
      made: ({ public_id }) => {
        quote.status = 'consumed'
        own.sold = true
        this.#references[partner]?.add(body.external_payment_ref)
        const id = String(public_id)
        const made = { id, partner, domain, price: quote.price, held, everStarted: false }
        const order: Order = { ...made, status: 'EXTERNALLY_PAID', timeline: [] }
        this.orders.set(order.id, order)
        this.#note(order, 'order.recorded')
      },
    }
  }

  showOrder(partner: number, id: string): Expected {
    const order = this.orders.get(id)
    return order?.partner === partner ? ok(this.#viewOf(order)) : NOT_FOUND
  }

  refund(partner: number, id: string): Expected {
    const order = this.orders.get(id)
    if (order?.partner !== partner) return NOT_FOUND
    return this.#refund(order, 'REFUNDED')
  }

  /** @param partner null for the operator */
  move(partner: number | null, id: string, move: string): Expected {
    const order = this.orders.get(id)
    if (!order || (partner !== null && order.partner !== partner)) return NOT_FOUND
    const waits = order.status === 'EXTERNALLY_PAID'
    const moving = order.status === 'TRANSFER_IN_PROGRESS'
    switch (move) {
      case 'clear':
        if (!waits || !order.held) return CONFLICT
        this.#clear(order)
        break
      case 'start':
        if (!waits) return CONFLICT
        if (order.held) this.#clear(order)
        order.status = 'TRANSFER_IN_PROGRESS'
        order.everStarted = true
        this.#note(order, 'order.transfer_started')
        break
      case 'action-required':
        if (!moving) return CONFLICT
        this.#note(order, 'transfer.action_required')
        break
      case 'fail':
        if (!moving) return CONFLICT
        this.#fail(order)
        break
      case 'complete':
        if (!moving) return CONFLICT
        if (order.domain.startsWith('transfer-fails.')) this.#fail(order)
        else {
          order.status = 'TRANSFER_COMPLETED'
          this.#period(order.partner).delivered.push(order)
          this.#note(order, 'order.transfer_completed')
        }
        break
      case 'cancel':
        if (!waits || order.everStarted) return CONFLICT
        return { ...this.#refund(order, 'CANCELLED'), status: 200 }
      case 'refund': {
        const expected = this.#refund(order, 'REFUNDED')
        return expected.code ? expected : { ...expected, status: 200 }
      }
    }
    return ok(this.#viewOf(order))
  }

  settle(partner: number): Expected {
    const period = this.#period(partner)
    if (period.delivered.length + period.refunded.length === 0) {
      return { status: 201, fields: { order_count: 0, settlements: [] } }
    }
    period.closed = true
    for (const order of period.delivered) order.status = 'SETTLED'
    // The run writes its events in an order of its own: compared as a set.
    for (const order of period.delivered.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      this.#note(order, 'order.settled')
    }
    return { status: 201, fields: { order_count: period.delivered.length } }
  }

  /** A partner's statements, oldest first, without the open one if nothing is in it. */
  statements(partner: number) {
    return (this.periods[partner] ?? [])
      .filter(({ delivered, refunded }) => delivered.length + refunded.length > 0)
      .map(({ closed, delivered, refunded }) => {
        const sum = (of: (order: Order) => number, all: Order[]) =>
          all.reduce((total, order) => total + of(order), 0)
        const gross = sum(({ price }) => price, delivered)
        const commission = sum(({ price }) => commissionOf(price), delivered)
        return {
          status: closed ? 'closed' : 'open',
          order_count: delivered.length,
          gross_sold_cents: gross,
          commission_retained_cents: commission,
          refunded_cents: sum(({ price }) => price, refunded),
          amount_owed_cents: gross - commission,
        }
      })
  }

  /** What the partner's accounts hold; those that hold nothing are left out. */
  accounts(partner: number): Record<string, number> {
    const all = [...this.orders.values()].filter((order) => order.partner === partner)
    const sum = (statuses: string[], of: (price: number) => number) =>
      all
        .filter(({ status }) => statuses.includes(status))
        .reduce((total, { price }) => total + of(price), 0)
    const price = (cents: number) => cents
    const owed = (cents: number) => cents - commissionOf(cents)
    const waiting = sum(['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS'], price)
    const delivered = ['TRANSFER_COMPLETED', 'SETTLED']
    const balances = {
      partner_funds: waiting + sum(['TRANSFER_COMPLETED'], owed),
      undelivered_sales: -waiting,
      sales: -sum(delivered, price),
      partner_commission: sum(delivered, commissionOf),
      partner_receivable: sum(['SETTLED'], owed),
    }
    return Object.fromEntries(Object.entries(balances).filter(([, cents]) => cents !== 0))
  }

  #ownOf(partner: number, domain: string): OwnListing {
    const key = `${partner} ${domain}`
    const own = this.#own.get(key) ?? { moved: null, sold: false, holder: null }
    this.#own.set(key, own)
    return own
  }

  #holder({ holder }: OwnListing): Quote | null {
    return holder && this.#statusOf(holder) === 'active' ? holder : null
  }

  #statusOf({ status, until }: Quote): string {
    return status === 'active' && until <= this.now ? 'expired' : status
  }

  #viewOf({ id, status, held, price, timeline }: Order): Record<string, unknown> {
    return {
      public_id: id,
      status,
      held,
      sale_price_cents: price,
      commission_cents: commissionOf(price),
      timeline: [...timeline],
    }
  }

  #period(partner: number): Period {
    const all = this.periods[partner] as Period[]
    const open = all.at(-1)
    if (open && !open.closed) return open
    const started: Period = { closed: false, delivered: [], refunded: [] }
    all.push(started)
    return started
  }

  #note(order: Order, type: string): void {
    order.timeline.push(type)
    this.events[order.partner]?.push({ type, order: order.id, status: order.status })
  }

  #clear(order: Order): void {
    order.held = false
    this.#note(order, 'order.manual_review_cleared')
  }

  #fail(order: Order): void {
    order.status = 'EXTERNALLY_PAID'
    order.held = true
    this.#note(order, 'transfer.failed')
  }

  #refund(order: Order, status: string): Expected {
    if (!['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS'].includes(order.status)) return CONFLICT
    order.status = status
    order.held = false
    this.#period(order.partner).refunded.push(order)
    this.#ownOf(order.partner, order.domain).sold = false
    this.#note(order, 'order.refunded')
    return { status: 201 }
  }
}
