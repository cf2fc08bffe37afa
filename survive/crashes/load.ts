import { randomUUID } from 'node:crypto'
import { Buyer, CARDS } from '../../test/support/buyer.ts'
import { type PartnerClient, type Result, send } from '../../test/support/client.ts'
import { orderBody } from '../../test/support/sale.ts'
import type { Random } from '../proof.ts'

/** A write that was sent; `response` is missing when the service died before it came. */
export interface Sent {
  /** Whose it was, an index among the partners. */
  partner: number
  path: string
  body: string
  key: string
  answer?: Result
}

/** What partners and buyers did, and what they were told. */
export interface Journal {
  sent: Sent[]
  /** Orders that a receipt page showed. */
  receipts: string[]
  /** Signed reads that were responded to: their nonces are spent. */
  spent: { target: string; headers: Record<string, string> }[]
}

export function newJournal(): Journal {
  return { sent: [], receipts: [], spent: [] }
}

/** One partner's worker: sells, delivers, refunds, settles, reads, until the service is gone. */
export async function work(
  baseUrl: string,
  clients: readonly PartnerClient[],
  domains: string[],
  journal: Journal,
  random: Random,
): Promise<void> {
  const write = async (partner: number, path: string, body: object) => {
    const sent: Sent = { partner, path, body: JSON.stringify(body), key: randomUUID() }
    journal.sent.push(sent)
    const client = clients[partner] as PartnerClient
    sent.answer = await client.post(path, sent.body, { key: sent.key })
    return sent.answer
  }

  async function read(partner: number): Promise<void> {
    const client = clients[partner] as PartnerClient
    const target = `/api/partner/v1/${random.pick(['events', 'orders', 'settlements'])}?limit=5`
    const headers = client.sign('GET', target, '')
    const response = await send(baseUrl, { method: 'GET', target, headers })
    if (response.status === 200) journal.spent.push({ target, headers })
  }

  async function sellByPartner(partner: number, domain: string): Promise<void> {
    const quoted = await write(partner, '/quotes', { domain })
    // Another partner wants it too, and must not get it.
    if (random.chance(0.2)) await write(1 - partner, '/quotes', { domain })
    if (quoted.status !== 201) return
    const ordered = await write(partner, '/orders', orderBody(quoted.body))
    if (ordered.status !== 201) return
    const id: string = ordered.body.public_id
    const fate = random.next()
    if (fate < 0.2) await write(partner, '/refunds', { public_id: id })
    else if (fate < 0.7) {
      await write(partner, `/sandbox/orders/${id}/start-transfer`, {})
      if (fate < 0.3) await write(partner, `/sandbox/orders/${id}/fail-transfer`, {})
      else if (fate < 0.65) await write(partner, `/sandbox/orders/${id}/complete-transfer`, {})
    }
    if (fate > 0.93) await write(partner, '/sandbox/settlement-runs', {})
  }

  async function sellByMarketplace(partner: number, domain: string): Promise<void> {
    const session = await write(partner, '/checkout-session', { domain })
    if (session.status !== 201) return
    const buyer = new Buyer({ baseUrl })
    await buyer.pay(session.body.checkout_url, random.pick([CARDS.succeeds, CARDS.declined]))
    if (buyer.publicId) journal.receipts.push(buyer.publicId)
  }

  try {
    for (let domain = domains.pop(); domain; domain = domains.pop()) {
      const partner = random.below(2)
      const kind = random.next()
      if (kind < 0.7) await sellByPartner(partner, domain)
      else if (kind < 0.85) await sellByMarketplace(partner, domain)
      else if (kind < 0.9) {
        const budget = 100_000
        const target = `wanted-${domain}`
        const buyer_email = 'buyer@example.com'
        await write(partner, '/brokerage', { domain: target, tier: 'managed', buyer_email, budget })
      } else await read(partner)
    }
  } catch {
    // The service is gone: whether its last write took effect is what is asked afterwards.
  }
}
