import { z } from 'zod'
import { centsView, currencyView, iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'

/** What a user lets an app spend, by one consent. */
export type Mandate = Omit<Schema['mandates'], 'grant_id'>

export const MandateView = z
  .object({
    max_per_order_cents: centsView(50_000).describe('What one purchase may cost, with tax.'),
    max_total_cents: centsView(100_000).describe('What all purchases may cost together.'),
    currency: currencyView,
    expires_at: timestamp.describe('When it ends.'),
  })
  .meta({ id: 'Mandate', description: 'What a user lets an app spend.' })

export function viewMandate(mandate: Mandate): z.output<typeof MandateView> {
  return {
    max_per_order_cents: mandate.max_per_order_cents,
    max_total_cents: mandate.max_total_cents,
    currency: mandate.currency,
    expires_at: iso(mandate.expires_at),
  }
}

export async function findMandate(
  db: Pick<Tx, 'selectFrom'>,
  grantId: string,
): Promise<Mandate | undefined> {
  return await db
    .selectFrom('mandates')
    .selectAll()
    .where('grant_id', '=', grantId)
    .executeTakeFirst()
}

/**
 * The mandate, held for this transaction with its consent: purchases by it come one after the other, and none after it
 * was taken back. Undefined when it was, or never stood.
 */
export async function lockMandate(tx: Tx, grantId: string): Promise<Mandate | undefined> {
  return await tx
    .selectFrom('mandates as m')
    .innerJoin('oauth_grants as g', 'g.id', 'm.grant_id')
    .selectAll('m')
    .where('m.grant_id', '=', grantId)
    .where('g.revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}
