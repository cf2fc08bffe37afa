import { sql } from 'kysely'
import { inTransaction } from '../../src/db/transaction.ts'
import type { PartnerClient } from './client.ts'
import { must } from './market.ts'
import type { TestService } from './service.ts'

let lastName = 0

/** A name that is not for sale, and in no case yet. */
export function freshTarget(label?: string): string {
  lastName += 1
  return label ? `${label}.w${lastName}.test` : `wanted-${lastName}.test`
}

export function caseBody(more: object = {}) {
  return {
    domain: freshTarget(),
    tier: 'self_serve',
    buyer_email: 'buyer@example.com',
    budget: 500_000,
    ...more,
  }
}

/** An open case, or a loud failure. */
export async function openCase(client: PartnerClient, more: object = {}) {
  return must(await client.post('/brokerage', caseBody(more)), 201).body
}

/** An operator's moves, one after the other; a price goes with `agree`. */
export async function moveCase(service: TestService, caseId: string, ...moves: string[]) {
  let row: Awaited<ReturnType<typeof openCase>>
  for (const move of moves) {
    const body = move === 'agree' ? { price_cents: 400_000 } : {}
    row = must(await service.admin('POST', `/brokerage/${caseId}/${move}`, body), 200).body
  }
  return row
}

/** A name of the partner's sandbox that is for sale or sold, as nothing but the database knows of it. */
export async function placeListing(
  service: TestService,
  { partner_id }: PartnerClient,
  domain: string,
  status: 'listed' | 'sold',
) {
  const now = service.clock.now()
  await inTransaction(service.app, async (tx) => {
    await tx
      .insertInto('listings')
      .values({
        environment: 'sandbox',
        domain,
        label: 'wanted',
        tld: 'test',
        price_cents: 1,
        floor_price_cents: 1,
        currency: 'USD',
        status: 'listed',
        reserved_by: null,
        reserved_until: null,
        metadata: '{}',
        listed_at: now,
        updated_at: now,
      })
      .execute()
    await sql`insert into sandbox_listings (partner_id, domain, status, updated_at)
      values (${partner_id}, ${domain}, ${status}, ${now})`.execute(tx)
  })
}
