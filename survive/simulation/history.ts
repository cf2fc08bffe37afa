import { randomUUID } from 'node:crypto'
import { type PartnerClient, type Result, send } from '../../test/support/client.ts'
import { eventsOf, ledgerOf, must } from '../../test/support/market.ts'
import { startService, type TestClock, type TestService } from '../../test/support/service.ts'
import { type Random, randomOf } from '../proof.ts'
import { type Expected, Model, type OrderBody } from './model.ts'

const STEPS = 36
const MINUTE = 60_000

/** Where service and model part. */
export class Disagreement extends Error {}

/** A clock that stands still but for what a history says. */
function stillClock(): TestClock {
  let at = Date.parse('2031-03-05T12:00:00.000Z')
  return {
    now: () => new Date(at),
    advance(milliseconds) {
      at += milliseconds
    },
  }
}

/** A service on which histories are played, one after the other. */
export async function openTheatre(): Promise<TestService> {
  return await startService({
    clock: stillClock(),
    settings: { settlementSchedule: 'manual', payoutSchedule: 'manual' },
  })
}

/** Plays what follows from the seed on service and model, and throws where they disagree. */
export async function play(service: TestService, seed: number): Promise<number> {
  const random = randomOf(seed)
  const clients = [await service.partner(), await service.partner()] as const
  const model = new Model(service.clock.now().getTime())
  const names = [
    'a',
    'b',
    'c',
    'price-moves',
    'manual-review',
    'transfer-fails',
    'sold-meanwhile',
  ].map((label) => `${label}.n${seed}.test`)
  const story: string[] = []
  const relist = async (changes: [string, number][]) => {
    await service.list(
      'sandbox',
      changes.map(([name, price]) => `${name},${price},,USD`).join('\n'),
    )
    for (const [name, price] of changes) model.list(name, price)
  }
  const play = new Play(service, model, clients, random, story, [...names, `never.n${seed}.test`])
  try {
    await relist(names.map((name) => [name, 1_000 + random.below(99_000)]))
    for (let step = 0; step < STEPS; step++) {
      if (random.chance(0.08)) {
        const name = play.name()
        if (!model.listings.has(name)) continue
        story.push(`relist ${name}`)
        await relist([[name, 1_000 + random.below(99_000)]])
      } else await play.step()
    }
    await play.compareAll()
    return STEPS
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error
    throw new Disagreement(`seed ${seed}: ${error.message}\n  ${story.join('\n  ')}`)
  }
}

/** One history under way. */
class Play {
  readonly #service: TestService
  readonly #model: Model
  readonly #clients: readonly [PartnerClient, PartnerClient]
  readonly #random: Random
  readonly #story: string[]
  readonly #names: string[]
  readonly #written: { partner: number; path: string; key: string; body: string }[] = []
  #references = 0

  constructor(
    service: TestService,
    model: Model,
    clients: readonly [PartnerClient, PartnerClient],
    random: Random,
    story: string[],
    names: string[],
  ) {
    this.#service = service
    this.#model = model
    this.#clients = clients
    this.#random = random
    this.#story = story
    this.#names = names
  }

  name(): string {
    return this.#random.pick(this.#names as [string, ...string[]])
  }

  async step(): Promise<void> {
    const random = this.#random
    const partner = random.chance(0.7) ? 0 : 1
    const kind = random.next()
    if (kind < 0.2) await this.#quote(partner)
    else if (kind < 0.45) await this.#order(partner)
    else if (kind < 0.67) await this.#move(partner)
    else if (kind < 0.73) await this.#refund(partner)
    else if (kind < 0.78) await this.#settle(partner)
    else if (kind < 0.83) await this.#repeat()
    else if (kind < 0.87) await this.#release(partner)
    else if (kind < 0.92) await this.#look(partner)
    else if (kind < 0.94) await this.#replay(partner)
    else this.#wait()
  }

  async #quote(partner: number): Promise<void> {
    const domain = this.name()
    const price = this.#model.listings.get(domain)?.price ?? 1
    const expected = this.#random.chance(0.3) ? price + this.#random.below(2) : undefined
    const body = { domain, ...(expected !== undefined && { expected_price: expected }) }
    await this.#write(partner, '/quotes', body, () => this.#model.quote(partner, domain, expected))
  }

  async #order(partner: number): Promise<void> {
    const random = this.#random
    const quotes = [...this.#model.quotes.values()]
    const fresh = quotes.filter((quote) => quote.status === 'active' && quote.partner === partner)
    // Mostly one that can work, since wrong ones are found anyway.
    const from = random.chance(0.75) && fresh.length > 0 ? fresh : quotes
    const quote = from[random.below(from.length)]
    const wrong = random.chance(0.25)
    this.#references += 1
    const body: OrderBody = {
      domain: wrong && random.chance(0.3) ? this.name() : (quote?.domain ?? this.name()),
      quote_id: quote?.id ?? 'qt_00000000000000000000000000',
      sale_price_cents: (quote?.price ?? 1) + (wrong && random.chance(0.3) ? 1 : 0),
      external_payment_ref: `ref-${wrong && random.chance(0.4) ? 1 : this.#references}`,
      buyer: { email: 'buyer@example.com' },
    }
    if (wrong && random.chance(0.2)) body.currency = 'EUR'
    if (random.chance(0.2)) body.expected_price = body.sale_price_cents + (wrong ? 1 : 0)
    await this.#write(partner, '/orders', body, () => this.#model.order(partner, body))
  }

  #anyOrder(): string {
    const ids = [...this.#model.orders.keys()]
    // The latest ones have most of their life before them.
    const from = this.#random.chance(0.7) ? ids.slice(-3) : ids
    return from[this.#random.below(from.length)] ?? 'ord_00000000000000000000000000'
  }

  async #move(partner: number): Promise<void> {
    const id = this.#anyOrder()
    const owner = this.#model.orders.get(id)?.partner ?? partner
    if (this.#random.chance(0.35)) {
      const move = this.#random.pick(MOVES)
      this.#story.push(`operator: ${move} ${id}`)
      const expected = this.#model.move(null, id, move)
      const response = await this.#service.admin('POST', `/orders/${id}/${move}`, {})
      this.#compare(response, expected)
      return
    }
    const [path, move] = this.#random.pick(SANDBOX_MOVES)
    const who = this.#random.chance(0.9) ? owner : 1 - owner
    const target = `/sandbox/orders/${id}/${path}`
    await this.#write(who, target, {}, () => this.#model.move(who, id, move))
  }

  async #refund(partner: number): Promise<void> {
    const id = this.#anyOrder()
    const owner = this.#model.orders.get(id)?.partner ?? partner
    const who = this.#random.chance(0.9) ? owner : 1 - owner
    await this.#write(who, '/refunds', { public_id: id }, () => this.#model.refund(who, id))
  }

  async #settle(partner: number): Promise<void> {
    await this.#write(partner, '/sandbox/settlement-runs', {}, () => this.#model.settle(partner))
  }

  /** An earlier key again: with its body, with another, or as another partner's. */
  async #repeat(): Promise<void> {
    const earlier = this.#written[this.#random.below(this.#written.length)]
    if (!earlier) return
    const { partner, path, key, body } = earlier
    const kind = this.#random.below(3)
    if (kind === 0) {
      const known = this.#model.repeat(partner, path, key, body)
      if (typeof known !== 'string') return
      this.#story.push(`partner ${partner}: repeats ${path} ${body}`)
      const response = await this.#post(partner, path, body, key)
      const replayed = response.headers['idempotent-replayed'] === 'true'
      if (response.text !== known || !replayed) throw this.#differs(response, `the bytes ${known}`)
    } else if (kind === 1) {
      if (this.#model.repeat(partner, path, key, `${body} `) === null) return
      this.#story.push(`partner ${partner}: uses the key of ${path} for another body`)
      this.#compare(await this.#post(partner, path, `${body} `, key), {
        status: 409,
        code: 'conflict',
      })
    } else if (path === '/quotes') {
      const { domain, expected_price } = JSON.parse(body)
      const other = 1 - partner
      if (this.#model.repeat(other, path, key, body) !== null) return
      await this.#write(
        other,
        path,
        JSON.parse(body),
        () => this.#model.quote(other, domain, expected_price),
        key,
      )
    }
  }

  async #release(partner: number): Promise<void> {
    const ids = [...this.#model.quotes.keys()]
    const id = ids[this.#random.below(ids.length)] ?? 'qt_00000000000000000000000000'
    this.#story.push(`partner ${partner}: releases ${id}`)
    const expected = this.#model.release(partner, id)
    this.#compare(await this.#client(partner).delete(`/quotes/${id}`), expected)
  }

  async #look(partner: number): Promise<void> {
    const domain = this.name()
    this.#story.push(`partner ${partner}: looks at ${domain}`)
    const seen = await this.#client(partner).get(`/availability?domain=${domain}`)
    this.#compare(seen, this.#model.availability(partner, domain))
    const id = this.#anyOrder()
    this.#story.push(`partner ${partner}: looks at ${id}`)
    this.#compare(
      await this.#client(partner).get(`/orders/${id}`),
      this.#model.showOrder(partner, id),
    )
    const [quote] = [...this.#model.quotes.keys()].slice(-1)
    if (!quote) return
    this.#story.push(`partner ${partner}: looks at ${quote}`)
    this.#compare(
      await this.#client(partner).get(`/quotes/${quote}`),
      this.#model.showQuote(partner, quote),
    )
  }

  async #replay(partner: number): Promise<void> {
    const target = '/api/partner/v1/orders?limit=1'
    const headers = this.#client(partner).sign('GET', target, '')
    this.#story.push(`partner ${partner}: sends a request twice`)
    const { baseUrl } = this.#service
    this.#compare(await send(baseUrl, { method: 'GET', target, headers }), { status: 200 })
    this.#compare(await send(baseUrl, { method: 'GET', target, headers }), {
      status: 401,
      code: 'replay_detected',
    })
  }

  #wait(): void {
    const milliseconds = this.#random.pick([
      1_000,
      MINUTE,
      5 * MINUTE,
      10 * MINUTE,
      10 * MINUTE - 1,
    ])
    this.#story.push(`${milliseconds} ms pass`)
    this.#service.clock.advance(milliseconds)
    this.#model.now += milliseconds
  }

  /** What is there in the end: orders, events, statements, accounts, market. */
  async compareAll(): Promise<void> {
    for (const [partner, client] of this.#clients.entries()) {
      for (const order of this.#model.orders.values()) {
        if (order.partner !== partner) continue
        this.#compare(
          await client.get(`/orders/${order.id}`),
          this.#model.showOrder(partner, order.id),
        )
      }
      const own = [...this.#model.orders.values()].filter((order) => order.partner === partner)
      const { orders } = must(await client.get('/orders?limit=100'), 200).body
      this.#same('orders', orders.length, own.length)

      const events = (await eventsOf(client)).map(({ type, data }) => ({
        type,
        order: data.order.public_id,
        status: data.order.status,
      }))
      this.#same('events', grouped(events), grouped(this.#model.events[partner] ?? []))

      const { settlements } = must(await client.get('/settlements?limit=100'), 200).body
      const statements = settlements
        .toReversed()
        .filter(
          (statement: Record<string, unknown>) =>
            statement.order_count !== 0 || statement.refunded_cents !== 0,
        )
        .map((statement: Record<string, unknown>) =>
          Object.fromEntries(STATEMENT_FIELDS.map((field) => [field, statement[field]])),
        )
      this.#same('statements', statements, this.#model.statements(partner))

      const balances: Record<string, number> = {}
      const who = { partnerId: client.partner_id, environment: 'sandbox' as const }
      for (const { account, amount_cents } of await ledgerOf(this.#service, who)) {
        balances[account] = (balances[account] ?? 0) + amount_cents
      }
      const held = Object.entries(balances).filter(([, cents]) => cents !== 0)
      this.#same('accounts', sorted(held), sorted(Object.entries(this.#model.accounts(partner))))
    }
    for (const name of this.#names) {
      for (const partner of [0, 1]) {
        const seen = await this.#client(partner).get(`/availability?domain=${name}`)
        this.#compare(seen, this.#model.availability(partner, name))
      }
    }
  }

  async #write(
    partner: number,
    path: string,
    body: object,
    predict: () => Expected,
    key: string = randomUUID(),
  ): Promise<void> {
    const text = JSON.stringify(body)
    this.#story.push(`partner ${partner}: ${path} ${text}`)
    const expected = predict()
    const response = await this.#post(partner, path, text, key)
    this.#compare(response, expected)
    if (response.status >= 300) return
    expected.made?.(response.body)
    this.#model.remember(partner, path, key, text, response.text)
    this.#written.push({ partner, path, key, body: text })
  }

  #post(partner: number, path: string, body: string, key: string): Promise<Result> {
    return this.#client(partner).post(path, body, { key })
  }

  #client(partner: number): PartnerClient {
    return this.#clients[partner] as PartnerClient
  }

  #compare(response: Result, { status, code, fields = {} }: Expected): void {
    if (response.status !== status || (code !== undefined && response.body?.error?.code !== code)) {
      throw this.#differs(response, `${status} ${code ?? ''}`)
    }
    for (const [field, value] of Object.entries(fields)) {
      const given = response.body[field]
      const seen = field === 'timeline' ? given.map(({ type }: { type: string }) => type) : given
      if (JSON.stringify(seen) !== JSON.stringify(value)) {
        throw this.#differs(response, `${field} ${JSON.stringify(value)}`)
      }
    }
  }

  #differs(response: Result, expected: string): Disagreement {
    return new Disagreement(
      `answered ${response.status} ${response.text}, and the model has ${expected}`,
    )
  }

  #same(what: string, seen: unknown, expected: unknown): void {
    if (JSON.stringify(seen) === JSON.stringify(expected)) return
    throw new Disagreement(
      `the ${what} are ${JSON.stringify(seen)}, and the model has ${JSON.stringify(expected)}`,
    )
  }
}

const MOVES = ['clear', 'start', 'complete', 'fail', 'action-required', 'cancel', 'refund'] as const
type SandboxMove = readonly [path: string, move: string]
const SANDBOX_MOVES: readonly [SandboxMove, ...SandboxMove[]] = [
  ['clear-review', 'clear'],
  ['start-transfer', 'start'],
  ['start-transfer', 'start'],
  ['complete-transfer', 'complete'],
  ['complete-transfer', 'complete'],
  ['fail-transfer', 'fail'],
]
const STATEMENT_FIELDS = [
  'status',
  'order_count',
  'gross_sold_cents',
  'commission_retained_cents',
  'refunded_cents',
  'amount_owed_cents',
]

const sorted = (entries: [string, number][]) => entries.toSorted(([a], [b]) => (a < b ? -1 : 1))

/** In their order, but what one settlement run reports stands in any: there it is sorted. */
function grouped<T extends { type: string; order: string }>(events: T[]): T[] {
  const result: T[] = []
  let run: T[] = []
  const end = () => {
    result.push(...run.toSorted((a, b) => (a.order < b.order ? -1 : 1)))
    run = []
  }
  for (const event of events) {
    if (event.type === 'order.settled') run.push(event)
    else {
      end()
      result.push(event)
    }
  }
  end()
  return result
}
