import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict } from '../../core/errors.ts'
import { assertSameBody, type IdempotentRequest } from '../../core/idempotency.ts'
import { inTransaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import { type Charge, findCharge } from '../payments/charge.ts'
import { activeMethod } from '../payments/payment-method.ts'
import {
  assertParams,
  type ChangeInput,
  type ChangeOutput,
  namesIn,
  resultOf,
} from './change-outcome.ts'
import { changeOwnedDomains } from './change-owned-domains.ts'
import { advanceCharge } from './collect.ts'
import { ownedAmong } from './owned-domain.ts'
import { type Performers, performersOf } from './registrar.ts'
import { registrarKeyOf, renewalOperations, renewalsOf } from './renewal.ts'

interface RenewContext {
  app: AppContext
  userId: string
  requestId: string
  idempotency: IdempotentRequest | null
}

/**
 * Renews many domains with one charge, and one more for those that registrars renew: the charges and their
 * lines are written first, then the provider is asked, outside any transaction, then what became of it is
 * written. A repeat of a request that broke off in between finds its charges, and charges nothing.
 */
export async function renewDomains(
  { app, userId, requestId, idempotency }: RenewContext,
  input: ChangeInput,
): Promise<{ value: ChangeOutput; isFinal: boolean }> {
  assertParams(input)
  const key = idempotency && `${idempotency.subject} ${idempotency.path} ${idempotency.key}`
  const known = key === null ? [] : await chargesOf(app, key)
  for (const { request_fingerprint } of known) {
    if (idempotency) assertSameBody(request_fingerprint, idempotency)
  }
  const performers = await performersOfOwned(app, userId, input)
  const { charges, errors } =
    known.length > 0
      ? { charges: known, errors: await check(app, userId, input, performers) }
      : await order(app, userId, input, performers, key, idempotency)
  if (known.length === 0) for (const charge of charges) await advanceCharge(app, charge, true)
  const ids = charges.map(({ id }) => id)
  const rows = (await Promise.all(ids.map((id) => renewalsOf(app.db, id)))).flat()
  const renewals = new Map(rows.map((renewal) => [renewal.domain, renewal]))
  const operations = await renewalOperations(app.db, rows)
  const value = resultOf(input, requestId, (domain) => {
    const renewal = renewals.get(domain)
    const operationId = renewal && operations.get(renewal.id)
    switch (renewal?.status) {
      case 'paid':
        return 200
      case 'due':
      case 'renewed':
        return operationId === undefined ? 202 : { operationId }
      case 'failed':
        return new ApiError('payment_failed', `${renewal.reason} It was not renewed.`)
      case 'refunded':
        return conflict('not_allowed_now', `${renewal.reason} What was paid for it goes back.`, {
          status: renewal.status,
        })
      default:
        return (
          errors.get(domain) ??
          conflict('changed_meanwhile', 'It was rejected before. Send it with a new key.')
        )
    }
  })
  // A repeat may learn more of what is pending, and try again what took no effect.
  return { value, isFinal: value.pending === 0 && value.succeeded > 0 }
}

/** Of the user's own names alone: whoever does not own a name has no registrar asked for it. */
export async function performersOfOwned(
  app: AppContext,
  userId: string,
  input: ChangeInput,
): Promise<Performers> {
  const owned = await ownedAmong(app.db, userId, namesIn(input))
  return await performersOf(app, input.op, owned, userId)
}

async function chargesOf(app: AppContext, key: string): Promise<Charge[]> {
  const found = await Promise.all(
    [key, registrarKeyOf(key)].map((request_key) => findCharge(app.db, { request_key })),
  )
  return found.filter((charge) => charge !== undefined)
}

async function order(
  app: AppContext,
  userId: string,
  input: ChangeInput,
  performers: Performers,
  requestKey: string | null,
  idempotency: IdempotentRequest | null,
) {
  const now = app.clock.now()
  const [chargeId, registrarChargeId] = [newId('chg', now), newId('chg', now)]
  const { errors } = await inTransaction(app, async (tx) => {
    const method = await activeMethod(tx, userId, app.settings.paymentProvider)
    const requestFingerprint = idempotency?.fingerprint ?? null
    return await changeOwnedDomains({ tx, now, app }, userId, {
      op: 'renew',
      params: input.params,
      domains: namesIn(input),
      dryRun: false,
      performers,
      hasCard: method !== undefined,
      ...(method && {
        order: {
          chargeId,
          registrarChargeId,
          method,
          automatic: false,
          requestKey,
          requestFingerprint,
        },
      }),
    })
  })
  const made = await Promise.all(
    [chargeId, registrarChargeId].map((id) => findCharge(app.db, { id })),
  )
  return { charges: made.filter((charge) => charge !== undefined), errors }
}

async function check(
  app: AppContext,
  userId: string,
  input: ChangeInput,
  performers: Performers,
): Promise<Map<string, ApiError>> {
  const wanted = {
    op: 'renew',
    params: input.params,
    domains: namesIn(input),
    dryRun: true,
    performers,
    hasCard: true,
  } as const
  const now = app.clock.now()
  const { errors } = await inTransaction(app, (tx) =>
    changeOwnedDomains({ tx, now, app }, userId, wanted),
  )
  return errors
}
