import type { CompiledQuery, Selectable } from 'kysely'
import { z } from 'zod'
import type { Environment } from '../../core/caller.ts'
import { iso, timestamp } from '../../core/fields.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx, WriteContext } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { accountOf, type BankAccount } from './bank-account.ts'
import { payeeChangedMail } from './mails/payee-changed.ts'

export type Payee = Selectable<Schema['payees']>

/** Where money goes, as it may be shown: never the whole account (contract, section 17). */
export const PayeeView = z
  .object({
    status: z
      .enum(['missing', 'pending', 'ready'])
      .describe(
        '`missing`: nothing was set. `pending`: a change waits until `usable_from`; payouts made before keep ' +
          'the account before it. `ready`: payouts go there.',
      ),
    name: z
      .string()
      .nullable()
      .meta({ description: 'The holder of the account, or null.', example: 'Example Shop Inc' }),
    country: z
      .string()
      .nullable()
      .meta({ description: 'The country of the holder, or null.', example: 'US' }),
    account_masked: z.string().nullable().meta({
      description: 'The last four characters of the account, or null.',
      example: '****6789',
    }),
    currency: z
      .string()
      .nullable()
      .meta({ description: 'The currency of the account, or null.', example: 'USD' }),
    usable_from: timestamp
      .nullable()
      .describe(
        'From when on payouts are made to it, or null. In the sandbox, from its change on.',
      ),
  })
  .meta({ id: 'Payee', description: 'Where your payouts go.' })

export function viewPayee(
  payee: Payee | undefined,
  environment: Environment,
  now: Date,
): z.output<typeof PayeeView> {
  if (!payee) {
    return {
      status: 'missing',
      name: null,
      country: null,
      account_masked: null,
      currency: null,
      usable_from: null,
    }
  }
  const usableFrom = usableIn(payee, environment)
  return {
    status: usableFrom !== null && usableFrom <= now ? 'ready' : 'pending',
    name: payee.name,
    country: payee.country,
    account_masked: payee.account_last4 === '' ? null : `****${payee.account_last4}`,
    currency: payee.currency,
    usable_from: iso(usableFrom),
  }
}

/** Null while a provider still checks who the payee is. */
function usableIn({ created_at, usable_from }: Payee, environment: Environment): Date | null {
  return environment === 'sandbox' && usable_from !== null ? created_at : usable_from
}

/** What was set last. */
export async function latestPayee(
  db: Pick<Tx, 'selectFrom'>,
  partnerId: string,
): Promise<Payee | undefined> {
  return await db
    .selectFrom('payees')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .orderBy('payee_id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Sets where a partner's money goes. Live payouts use it once the delay is over, so that whoever took over an
 * account can be stopped; the partner and all its members are told at once.
 */
export async function storePayee(
  { tx, now, app, defer }: Pick<WriteContext, 'tx' | 'now' | 'app' | 'defer'>,
  partner: { id: string; email: string; name: string },
  account: BankAccount,
  by: string,
): Promise<Payee> {
  const payee_id = newId('pye', now)
  const usable_from = after(now, app.settings.payeeDelayHours * HOUR)
  const payee = {
    payee_id,
    partner_id: partner.id,
    rail: 'file' as const,
    account_id: null,
    details: app.secrets.seal(JSON.stringify(account), payeePurpose(payee_id)),
    name: account.name,
    country: account.country,
    currency: account.currency,
    account_last4: accountOf(account).slice(-4),
    created_at: now,
    usable_from,
    created_by: by,
  }
  await tx.insertInto('payees').values(payee).execute()
  defer(...(await payeeChangedMails(tx, now, partner, payee)))
  return payee
}

/** Forgets where a partner's money goes: payouts wait until that is set anew. */
export async function forgetPayees(tx: Tx, partnerId: string): Promise<void> {
  await tx.deleteFrom('payees').where('partner_id', '=', partnerId).execute()
}

/** The mails that tell a partner and all its members where its money will go, and from when on. */
export async function payeeChangedMails(
  tx: Tx,
  now: Date,
  partner: { id: string; email: string; name: string },
  payee: Payee & { usable_from: Date },
): Promise<CompiledQuery[]> {
  const members = await tx
    .selectFrom('users')
    .select('email')
    .where('partner_id', '=', partner.id)
    .where('disabled_at', 'is', null)
    .execute()
  const mail = payeeChangedMail(partner.name, payee)
  return [...new Set([partner.email, ...members.map(({ email }) => email)])].map((to) =>
    queueMail(tx, now, { to, ...mail }),
  )
}

/** The bank account of a payee who is paid by files for the bank. */
export function openPayee(secrets: SecretBox, { payee_id, details }: Payee): BankAccount {
  if (details === null) throw new Error(`${payee_id} is no bank account`)
  return JSON.parse(secrets.open(details, payeePurpose(payee_id)))
}

/** What it is sealed for. */
export function payeePurpose(payeeId: string): string {
  return `payee ${payeeId}`
}

/**
 * The account of a payout: the newest that was usable when the payout was made; where there was none, the first
 * that is usable now. A change that waited when a newer one came is never used. In the sandbox nothing waits, and the
 * newest is used.
 */
export function payeeForPayout(
  payees: readonly Payee[],
  { created_at, environment }: Pick<Schema['payouts'], 'created_at' | 'environment'>,
  now: Date,
): Payee | undefined {
  const checked = payees.filter(isChecked).toSorted((a, b) => (a.payee_id < b.payee_id ? -1 : 1))
  if (environment === 'sandbox') return checked.at(-1)
  const lasting = checked.filter(({ usable_from }, place) =>
    checked.slice(place + 1).every((newer) => usable_from <= newer.created_at),
  )
  const usableBy = (moment: Date) => lasting.filter(({ usable_from }) => usable_from <= moment)
  return usableBy(created_at).at(-1) ?? usableBy(now)[0]
}

/** Whether no provider still has to check who the payee is. */
function isChecked(payee: Payee): payee is Payee & { usable_from: Date } {
  return payee.usable_from !== null
}
