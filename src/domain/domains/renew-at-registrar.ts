import { sql } from 'kysely'
import type { Tx, WriteContext } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { type Charge, lockCharge, updateCharge } from '../payments/charge.ts'
import {
  NOT_DONE_IN_TIME,
  type OperationError,
  type OperationParams,
  queueOperation,
} from '../registrars/operation.ts'
import type { Finisher } from '../registrars/settle-operation.ts'
import { lockOwned } from './owned-domain.ts'
import { renewalOf, renewalsOf, sourceOf } from './renewal.ts'

type Context = Pick<WriteContext, 'tx' | 'now'> & { app: { secrets: SecretBox } }
type Renewal = Schema['renewals']

/** The card is authorized: each name's registrar is asked to renew it, if it is the user's still. */
export async function askRegistrars(
  { tx, now, app }: Context,
  charge: Charge,
  ref: string,
): Promise<void> {
  await updateCharge(tx, charge.id, now, {
    status: 'authorized',
    provider_ref: ref,
    due_at: null,
    attempts: 0,
  })
  const renewals = await renewalsOf(tx, charge.id)
  const ids = renewals.map(({ registrar_id }) => registrar_id).filter((id) => id !== null)
  const registrars = await tx
    .selectFrom('registrars')
    .select(['id', 'name'])
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  const held = await lockOwned(
    tx,
    charge.user_id,
    renewals.map(({ domain }) => domain),
  )
  for (const { id, domain, years, registrar_id, price_cents, currency } of renewals) {
    if (!held.has(domain)) {
      await endRenewal(tx, id, 'failed', 'It is no longer yours.')
      continue
    }
    const registrar = registrars.find((each) => each.id === registrar_id)
    if (!registrar) {
      await endRenewal(tx, id, 'failed', 'Its registrar connection was removed.')
      continue
    }
    await queueOperation(
      { tx, now, app },
      {
        environment: 'live',
        domain,
        // No more than the user pays, which is less than a premium name may cost.
        command: {
          op: 'renew',
          years,
          expiresAt: null,
          maxFee: price_cents === null ? null : { cents: price_cents, currency },
        },
        registrar,
        source: sourceOf(id),
        userId: charge.user_id,
      },
    )
  }
  await captureIfOver(tx, now, charge.id)
}

/** What a registrar said to a renewal. Once it is over for all names of a charge, that is captured. */
export const finishRenewal: Finisher = {
  concerns: ({ op, source }) => op === 'renew' && renewalOf(source) !== null,
  async finish({ tx, now }, { source, status, error, domain }, { expiresAt }) {
    const renewal = await tx
      .selectFrom('renewals')
      .selectAll()
      .where('id', '=', renewalOf(source))
      .executeTakeFirst()
    if (!renewal?.charge_id) return
    // The names of one charge end one after the other.
    await lockCharge(tx, renewal.charge_id)
    if (renewal.status !== 'due') return
    if (status === 'succeeded') {
      await endRenewal(tx, renewal.id, 'renewed', null)
      if (expiresAt) {
        await tx
          .updateTable('owned_domains')
          .set({ expires_at: expiresAt, updated_at: now })
          .where('domain', '=', domain)
          .execute()
      }
    } else {
      await endRenewal(tx, renewal.id, 'failed', whyNot(error))
    }
    await captureIfOver(tx, now, renewal.charge_id)
  },
}

function whyNot(error: OperationError | null): string {
  if (!error) return 'The registrar did not renew it.'
  if (error.code === NOT_DONE_IN_TIME) return 'Nobody renewed it at its registrar in time.'
  return `The registrar said: ${error.message}.`.replace(/\.\.$/, '.')
}

/** What registrars did to a user's domain is so here, too. */
export const finishChange: Finisher = {
  concerns: ({ op, user_id, status }) =>
    user_id !== null && status === 'succeeded' && op !== 'renew' && op !== 'push',
  async finish({ tx, now }, { domain, params }) {
    const change = changeOf(params)
    if (!change) return
    await tx
      .updateTable('owned_domains')
      .set({ ...change, updated_at: now })
      .where('domain', '=', domain)
      .execute()
  },
}

function changeOf(params: OperationParams) {
  switch (params.op) {
    case 'lock':
      return { locked: true }
    case 'unlock':
      return { locked: false }
    case 'set_nameservers':
      return { nameservers: [...params.nameservers] }
    case 'set_privacy':
      return { privacy: params.enabled }
    default:
      return null
  }
}

async function endRenewal(
  tx: Tx,
  id: string,
  status: Renewal['status'],
  reason: string | null,
): Promise<void> {
  await tx.updateTable('renewals').set({ status, reason }).where('id', '=', id).execute()
}

async function captureIfOver(tx: Tx, now: Date, chargeId: string): Promise<void> {
  const renewals = await renewalsOf(tx, chargeId)
  if (renewals.some(({ status }) => status === 'due')) return
  const renewed = renewals.filter(({ status }) => status === 'renewed')
  const capture_cents = renewed.reduce((sum, { price_cents }) => sum + (price_cents ?? 0), 0)
  await updateCharge(tx, chargeId, now, { status: 'capture_due', capture_cents, due_at: now })
}
