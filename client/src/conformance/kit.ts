import { expectStatus, Skipped } from './expect.ts'
import { type Answer, Wire } from './wire.ts'

/** One thing that a service must do. */
export interface Check {
  group: string
  /** Where the rule stands: `service` is the specification, `contract` what settles its gaps. */
  rule: string
  title: string
  /** @throws Failure when the service does otherwise, and Skipped when it could not be tried */
  run(kit: Kit): Promise<void>
}

/** Makes the checks of a group. */
export function checksOf(group: string) {
  return (rule: string, title: string, run: Check['run']): Check => ({ group, rule, title, run })
}

/** A name that was never listed. */
export function unlisted(): string {
  return `conformance-${crypto.randomUUID()}.com`
}

export interface OrderBody {
  domain: string
  quote_id: string
  sale_price_cents: number
  currency: string
  external_payment_ref: string
  buyer: { email: string }
}

/** What the names of a sandbox are about. */
export const QUERIES = ['shop', 'home', 'garden', 'music', 'travel', 'book', 'game', 'health']

/** What checks quote and sell with; it takes back what they leave. */
export class Kit extends Wire {
  /** What holds names now; those that were sold with are rejected when they are given back. */
  readonly #quotes = new Set<string>()

  /** Quotes a name of the sandbox that is for sale, and answers an order's body for it. */
  async offer(): Promise<OrderBody> {
    let found = 0
    for (const q of QUERIES) {
      const { body } = expectStatus(await this.get(`/domains/search?q=${q}`), 200)
      for (const { domain, available } of body.results) {
        // Some names of the sandbox have a fixed fate.
        if (!available || /^(price-moves|manual-review|transfer-fails|sold-)/.test(domain)) continue
        found += 1
        const quote = await this.post('/quotes', { domain }, { key: crypto.randomUUID() })
        // Somebody else holds or has bought it; all else is no way to answer.
        if (quote.status === 409) continue
        const { quote_id, price_cents, currency } = expectStatus(quote, 201).body
        this.#quotes.add(quote_id)
        return {
          domain,
          quote_id,
          sale_price_cents: price_cents,
          currency,
          external_payment_ref: `conformance-${crypto.randomUUID()}`,
          buyer: { email: 'conformance@example.com' },
        }
      }
    }
    throw new Skipped(
      found === 0
        ? 'GET /domains/search finds no available name'
        : 'no name of the sandbox is left to be quoted: reset it and try again',
    )
  }

  /** Records a sale; what the check leaves is taken back by `tidy`. */
  async sale(): Promise<Answer> {
    return expectStatus(
      await this.post('/orders', await this.offer(), { key: crypto.randomUUID() }),
      201,
    )
  }

  /** Takes back what a check quoted and sold, so that the next one and the next run find names. */
  async giveBack(): Promise<void> {
    if (this.#quotes.size === 0) return
    await this.releaseAll()
    await this.tidy()
  }

  async releaseAll(): Promise<void> {
    for (const quoteId of this.#quotes) {
      await this.signed({ method: 'DELETE', target: `/quotes/${quoteId}` })
    }
    this.#quotes.clear()
  }

  /** Takes back all sales of the kit, also those of a run that was cut off. */
  async tidy(): Promise<void> {
    const { body } = await this.get('/orders?status=EXTERNALLY_PAID&limit=100')
    for (const { public_id, external_payment_ref } of body?.orders ?? []) {
      if (!String(external_payment_ref).startsWith('conformance-')) continue
      await this.post('/refunds', { public_id }, { key: crypto.randomUUID() })
    }
  }
}
