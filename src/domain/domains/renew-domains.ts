import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict } from '../../core/errors.ts'
import { assertSameBody, type IdempotentRequest } from '../../core/idempotency.ts'
import { inTransaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import { findCharge } from '../payments/charge.ts'
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
import { renewalsOf } from './renewal.ts'

interface RenewContext {
  app: AppContext
  userId: string
  requestId: string
  idempotency: IdempotentRequest | null
}

/**
 * Renews many domains with one charge: the charge and its lines are written first, then the provider is
 * asked, outside any transaction, then what became of it is written. A repeat of a request that broke off in
 * between finds its charge, and charges nothing.
 */
export async function renewDomains(
  { app, userId, requestId, idempotency }: RenewContext,
  input: ChangeInput,
): Promise<{ value: ChangeOutput; isFinal: boolean }> {
  assertParams(input)
  const key = idempotency && `${idempotency.subject} ${idempotency.path} ${idempotency.key}`
  const known = key === null ? undefined : await findCharge(app.db, { request_key: key })
  if (known && idempotency) assertSameBody(known.request_fingerprint, idempotency)
  const { chargeId, refusals: errors } = known
    ? { chargeId: known.id, refusals: await check(app, userId, input) }
    : await order(app, userId, input, key, idempotency)
  const charge = known ?? (await findCharge(app.db, { id: chargeId }))
  if (charge && !known) await advanceCharge(app, charge, true)
  const renewals = new Map(
    (await renewalsOf(app.db, chargeId)).map((renewal) => [renewal.domain, renewal]),
  )
  const value = resultOf(input, requestId, (domain) => {
    const renewal = renewals.get(domain)
    switch (renewal?.status) {
      case 'paid':
        return 200
      case 'due':
        return 202
      case 'failed':
        return new ApiError('payment_failed', `${renewal.reason} It was not renewed.`)
      case 'refunded':
        return conflict('not_allowed_now', `${renewal.reason} What was paid for it goes back.`, {
          status: renewal.status,
        })
      default:
        return (
          errors.get(domain) ??
          conflict('changed_meanwhile', 'It was refused before. Send it with a new key.')
        )
    }
  })
  // A repeat may learn more of what is pending, and try again what took no effect.
  return { value, isFinal: value.pending === 0 && value.succeeded > 0 }
}

async function order(
  app: AppContext,
  userId: string,
  input: ChangeInput,
  requestKey: string | null,
  idempotency: IdempotentRequest | null,
) {
  const now = app.clock.now()
  const chargeId = newId('chg', now)
  const errors = await inTransaction(app, async (tx) => {
    const method = await activeMethod(tx, userId, app.settings.paymentProvider)
    const requestFingerprint = idempotency?.fingerprint ?? null
    return await changeOwnedDomains(tx, now, userId, {
      op: 'renew',
      params: input.params,
      domains: namesIn(input),
      dryRun: false,
      settings: app.settings,
      hasCard: method !== undefined,
      ...(method && {
        order: { chargeId, method, automatic: false, requestKey, requestFingerprint },
      }),
    })
  })
  return { chargeId, refusals: errors }
}

async function check(app: AppContext, userId: string, input: ChangeInput) {
  const wanted = {
    op: 'renew',
    params: input.params,
    domains: namesIn(input),
    dryRun: true,
    settings: app.settings,
    hasCard: true,
  } as const
  const now = app.clock.now()
  return await inTransaction(app, (tx) => changeOwnedDomains(tx, now, userId, wanted))
}
