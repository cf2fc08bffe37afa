import type { Environment, Tx } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    settlements: {
      id: string
      partner_id: string
      environment: Environment
      currency: string
      status: 'open' | 'closed'
      period_start: Date
      period_end: Date | null
    }
  }
}

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
): Promise<string> {
  const find = () =>
    tx
      .selectFrom('settlements')
      .select('id')
      .where('partner_id', '=', partner_id)
      .where('environment', '=', environment)
      .where('currency', '=', currency)
      .where('status', '=', 'open')
      .forShare()
      .executeTakeFirst()
  const open = await find()
  if (open) return open.id
  await startPeriod(tx, { partner_id, environment }, currency, now)
  // A run that held the row has closed it and opened the next, or it is the one just made.
  const started = await find()
  if (!started) throw new Error('no settlement period is open')
  return started.id
}

export async function startPeriod(
  tx: Tx,
  { partner_id, environment }: Owner,
  currency: string,
  from: Date,
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
    })
    .onConflict((other) =>
      other
        .columns(['partner_id', 'environment', 'currency'])
        .where('status', '=', 'open')
        .doNothing(),
    )
    .execute()
}
