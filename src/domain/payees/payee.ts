import type { Selectable } from 'kysely'
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
    status: usableFrom <= now ? 'ready' : 'pending',
    name: payee.name,
    country: payee.country,
    account_masked: `****${payee.account_last4}`,
    currency: payee.currency,
    usable_from: iso(usableFrom),
  }
}

function usableIn({ created_at, usable_from }: Payee, environment: Environment): Date {
  return environment === 'sandbox' ? created_at : usable_from
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
  const usableFrom = after(now, app.settings.payeeDelayHours * HOUR)
  const payee: Payee = {
    payee_id,
    partner_id: partner.id,
    details: app.secrets.seal(JSON.stringify(account), payeePurpose(payee_id)),
    name: account.name,
    country: account.country,
    currency: account.currency,
    account_last4: accountOf(account).slice(-4),
    created_at: now,
    usable_from: usableFrom,
    created_by: by,
  }
  await tx.insertInto('payees').values(payee).execute()
  const members = await tx
    .selectFrom('users')
    .select('email')
    .where('partner_id', '=', partner.id)
    .where('disabled_at', 'is', null)
    .execute()
  for (const to of new Set([partner.email, ...members.map(({ email }) => email)])) {
    defer(queueMail(tx, now, { to, ...payeeChangedMail(partner.name, payee, by) }))
  }
  return payee
}

export function openPayee(secrets: SecretBox, { payee_id, details }: Payee): BankAccount {
  return JSON.parse(secrets.open(details, payeePurpose(payee_id)))
}

/** What it is sealed for. */
export function payeePurpose(payeeId: string): string {
  return `payee ${payeeId}`
}

/**
 * The account of a payout: the newest that was usable when the payout was made; where there was none, the first
 * that is usable now.
 */
export function payeeForPayout(
  payees: readonly Payee[],
  { created_at, environment }: Pick<Schema['payouts'], 'created_at' | 'environment'>,
  now: Date,
): Payee | undefined {
  const byAge = payees.toSorted((a, b) => (a.payee_id < b.payee_id ? -1 : 1))
  const usableBy = (moment: Date) => byAge.filter((payee) => usableIn(payee, environment) <= moment)
  return usableBy(created_at).at(-1) ?? usableBy(now)[0]
}
