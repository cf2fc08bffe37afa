import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type ProviderId, playedProvider } from './registry.ts'
import type { SaveOutcome } from './saved-cards.ts'

export type PaymentMethod = Schema['payment_methods']

/** Beyond the life of a provider's page, so that whatever was saved there is known by then. */
const PENDING_MS = 2 * HOUR

/** The card that a user saved with this provider. */
export async function activeMethod(
  db: Pick<Tx, 'selectFrom'>,
  userId: string,
  provider: Settings['paymentProvider'],
): Promise<PaymentMethod | undefined> {
  if (provider === 'none') return undefined
  return await db
    .selectFrom('payment_methods')
    .selectAll()
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .where('provider', '=', provider)
    .executeTakeFirst()
}

export async function findMethod(
  db: Pick<Tx, 'selectFrom'>,
  id: string,
): Promise<PaymentMethod | undefined> {
  return await db.selectFrom('payment_methods').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The row first, so that whatever the provider says of it later is known to be ours. */
export async function startMethod(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  userId: string,
  provider: ProviderId,
): Promise<PaymentMethod> {
  return await tx
    .insertInto('payment_methods')
    .values({
      id: newId('pm', now),
      user_id: userId,
      provider,
      status: 'pending',
      setup_ref: null,
      customer_ref: null,
      method_ref: null,
      label: null,
      created_at: now,
      updated_at: now,
      forget_due_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Takes in what became of saving a card. It replaces the user's other card, which is returned so that the
 * provider forgets it. What is not pending any more stays as it is: a removed card does not come back.
 */
export async function settleMethod(
  tx: Tx,
  now: Date,
  id: string,
  outcome: SaveOutcome,
): Promise<PaymentMethod | undefined> {
  const method = await tx
    .selectFrom('payment_methods')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .forUpdate()
    .executeTakeFirst()
  if (!method) return undefined
  const change =
    outcome.kind === 'saved'
      ? {
          status: 'active' as const,
          customer_ref: outcome.customerRef,
          method_ref: outcome.methodRef,
          label: outcome.label,
        }
      : outcome.kind === 'failed'
        ? { status: 'removed' as const }
        : { setup_ref: outcome.ref }
  const replaced =
    outcome.kind === 'saved' ? await removeMethod(tx, now, { user_id: method.user_id }) : undefined
  await tx
    .updateTable('payment_methods')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .execute()
  return replaced
}

/** Ends a saved card, the user's or this one, and returns it; a renewal under way is still paid with it. */
export async function removeMethod(
  tx: Pick<Tx, 'updateTable'>,
  now: Date,
  which: { user_id: string } | { id: string },
): Promise<PaymentMethod | undefined> {
  return await tx
    .updateTable('payment_methods')
    .set({ status: 'removed', updated_at: now })
    .where((row) => row.and(which))
    .where('status', '=', 'active')
    .returningAll()
    .executeTakeFirst()
}

/** Ends all cards of a user, those that are being saved too, and returns those that a provider keeps. */
export async function removeMethods(tx: Tx, now: Date, userId: string): Promise<PaymentMethod[]> {
  const removed = await tx
    .updateTable('payment_methods')
    .set({ status: 'removed', updated_at: now })
    .where('user_id', '=', userId)
    .where('status', '!=', 'removed')
    .returningAll()
    .execute()
  return removed.filter(({ method_ref }) => method_ref !== null)
}

/** Ends all cards of somebody who is erased. What a provider calls them stays until it has forgotten them. */
export async function eraseMethods(tx: Tx, now: Date, userId: string): Promise<void> {
  await tx
    .updateTable('payment_methods')
    .set({ status: 'removed', label: null, forget_due_at: now, updated_at: now })
    .where('user_id', '=', userId)
    .execute()
}

/** Cards that providers are to forget now, the longest due first. */
export async function methodsToForget(db: Database, now: Date): Promise<PaymentMethod[]> {
  return await db
    .selectFrom('payment_methods')
    .selectAll()
    .where('forget_due_at', '<=', now)
    .orderBy('forget_due_at')
    .limit(50)
    .execute()
}

/** The provider has forgotten the card, and so does the market. */
export async function noteForgotten(db: Database, now: Date, id: string): Promise<void> {
  await db
    .updateTable('payment_methods')
    .set({
      setup_ref: null,
      customer_ref: null,
      method_ref: null,
      forget_due_at: null,
      updated_at: now,
    })
    .where('id', '=', id)
    .execute()
}

/** The provider was away: it is told again in an hour. */
export async function forgetLater(db: Database, now: Date, id: string): Promise<void> {
  await db
    .updateTable('payment_methods')
    .set({ forget_due_at: after(now, HOUR) })
    .where('id', '=', id)
    .execute()
}

/** An account that is opened where no money is real has a card, so that everything can be tried at once. */
export async function giveTrialCard(
  tx: Tx,
  now: Date,
  userId: string,
  provider: Settings['paymentProvider'],
): Promise<void> {
  if (provider === 'none') return
  const card = playedProvider(provider)?.trialCard
  if (!card) return
  const method = await startMethod(tx, now, userId, provider)
  await settleMethod(tx, now, method.id, card)
}

/** Cards that are being saved on a provider's page, from which their owners may never come back. */
export async function pendingMethods(db: Database): Promise<PaymentMethod[]> {
  return await db
    .selectFrom('payment_methods')
    .selectAll()
    .where('status', '=', 'pending')
    .orderBy('created_at')
    .limit(50)
    .execute()
}

export function isAbandoned(method: PaymentMethod, now: Date): boolean {
  return method.created_at < after(now, -PENDING_MS)
}
