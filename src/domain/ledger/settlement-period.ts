import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'

interface Owner {
  partner_id: string
  environment: Environment
}

/**
 * The partner's open period, held so that no run closes it before this transaction ends: what is
 * posted to it belongs to exactly one statement.
 */
export async function openSettlement(
  tx: Tx,
  { partner_id, environment }: Owner,
  currency: string,
  now: Date,
): Promise<Pick<Schema['settlements'], 'id' | 'period_start'>> {
  const find = () =>
    tx
      .selectFrom('settlements')
      .select(['id', 'period_start'])
      .where('partner_id', '=', partner_id)
      .where('environment', '=', environment)
      .where('currency', '=', currency)
      .where('status', '=', 'open')
      .forShare()
      .executeTakeFirst()
  // A run that held the row has closed it and opened the next, which another run may close in turn.
  for (;;) {
    const open = await find()
    if (open) return open
    await startPeriod(tx, { partner_id, environment }, currency, now)
  }
}

export async function startPeriod(
  tx: Tx,
  { partner_id, environment }: Owner,
  currency: string,
  from: Date,
  /** What was paid too much for the periods before. */
  creditCents = 0,
): Promise<void> {
  await tx
    .insertInto('settlements')
    .values({
      id: newId('stl', from),
      partner_id,
      environment,
      currency,
      status: 'open',
      period_start: from,
      period_end: null,
      order_count: null,
      gross_sold_cents: null,
      commission_retained_cents: null,
      refunded_cents: null,
      received_cents: creditCents,
    })
    .onConflict((other) =>
      other
        .columns(['partner_id', 'environment', 'currency'])
        // As a literal: a parameter would match no partial index once the database plans for any value.
        .where('status', '=', sql.lit('open'))
        .doNothing(),
    )
    .execute()
}
