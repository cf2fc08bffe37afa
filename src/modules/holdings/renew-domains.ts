import { inTransaction } from '../../kernel/database/transaction.ts'
import { conflict, Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { type Attempt, refuseOtherBody } from '../../kernel/idempotency.ts'
import { newId } from '../../lib/ids.ts'
import { findCharge } from '../payments/charge.ts'
import { activeMethod } from '../payments/payment-method.ts'
import { changeHoldings } from './change.ts'
import {
  answerOf,
  type ChangeAnswer,
  type ChangeCaller,
  type ChangeInput,
  namesIn,
  refuseParams,
} from './change-domains.ts'
import { advanceCharge } from './collect.ts'
import { renewalsOf } from './renewal.ts'

/** Whether a change takes money, which needs the network; a look at what it would do does not. */
export function isCharged({ op, dry_run }: ChangeInput): boolean {
  return op === 'renew' && !dry_run
}

/**
 * Renews many domains with one charge: the charge and its lines are written first, then the provider is
 * asked, outside any transaction, then what became of it is written. A repeat of a request that broke off in
 * between finds its charge, and charges nothing.
 */
export async function renewDomains(
  house: House,
  { userId, requestId }: ChangeCaller,
  input: ChangeInput,
  attempt: Attempt | null,
): Promise<{ value: ChangeAnswer; isFinal: boolean }> {
  refuseParams(input)
  const key = attempt && `${attempt.subject} ${attempt.path} ${attempt.key}`
  const known = key === null ? undefined : await findCharge(house.db, { request_key: key })
  if (known && attempt) refuseOtherBody(known.request_fingerprint, attempt)
  const { chargeId, refusals } = known
    ? { chargeId: known.id, refusals: await check(house, userId, input) }
    : await order(house, userId, input, key, attempt)
  const charge = known ?? (await findCharge(house.db, { id: chargeId }))
  if (charge && !known) await advanceCharge(house, charge, true)
  const renewals = new Map(
    (await renewalsOf(house.db, chargeId)).map((renewal) => [renewal.domain, renewal]),
  )
  const value = answerOf(input, requestId, (domain) => {
    const renewal = renewals.get(domain)
    switch (renewal?.status) {
      case 'paid':
        return 200
      case 'due':
        return 202
      case 'failed':
        return new Refusal('payment_failed', `${renewal.reason} It was not renewed.`)
      case 'refunded':
        return conflict(`${renewal.reason} What was paid for it goes back.`)
      default:
        return refusals.get(domain) ?? conflict('It was refused before. Send it with a new key.')
    }
  })
  // A repeat may learn more of what is pending, and try again what took no effect.
  return { value, isFinal: value.pending === 0 && value.succeeded > 0 }
}

async function order(
  house: House,
  userId: string,
  input: ChangeInput,
  requestKey: string | null,
  attempt: Attempt | null,
) {
  const now = house.clock.now()
  const chargeId = newId('chg', now)
  const refusals = await inTransaction(house, async (tx) => {
    const method = await activeMethod(tx, userId, house.settings.paymentProvider)
    const requestFingerprint = attempt?.fingerprint ?? null
    return await changeHoldings(tx, now, userId, {
      op: 'renew',
      params: input.params,
      domains: namesIn(input),
      dryRun: false,
      hasCard: method !== undefined,
      ...(method && {
        order: { chargeId, method, automatic: false, requestKey, requestFingerprint },
      }),
    })
  })
  return { chargeId, refusals }
}

async function check(house: House, userId: string, input: ChangeInput) {
  const wanted = {
    op: 'renew',
    params: input.params,
    domains: namesIn(input),
    dryRun: true,
    hasCard: true,
  } as const
  const now = house.clock.now()
  return await inTransaction(house, (tx) => changeHoldings(tx, now, userId, wanted))
}
