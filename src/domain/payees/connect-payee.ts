import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict, invalid } from '../../core/errors.ts'
import { countryField } from '../../core/fields.ts'
import type { Job } from '../../core/jobs.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { findPartner, lockPartner } from '../partners/partner.ts'
import { latestPayee, type Payee, payeeChangedMails } from './payee.ts'
import type { PayoutRail, RailAccount } from './payout-rail.ts'
import { lockPaid } from './set-own-payee.ts'

/** Whoever began and did not come back is looked after for so long. */
const LOOKED_AFTER_MS = 30 * DAY
const AT_ONCE = 100

/**
 * A person begins to open an account at the provider that pays out; beginning again goes on with the same one. It is
 * used once the provider knows who they are and the waiting period is over.
 */
export const connectPayee = pageWrite({
  name: 'connect_payee',
  input: z.object({ country: countryField.describe('Where the holder lives or is registered.') }),
  output: z.object({ payee_id: z.string() }),
  audit: (input, { payee_id }, { partner, user }) => ({
    subject: partner?.partnerId ?? user?.id ?? null,
    input: { ...input, payee_id },
  }),
  async handler({ tx, now, app, caller }, { country }) {
    const rail = app.settings.payoutRail
    if (rail === 'file') throw noProvider()
    const partner = await lockPaid(tx, now, caller)
    const begun = await latestPayee(tx, partner.id)
    if (begun?.rail === rail && (begun.country === country || begun.usable_from !== null)) {
      return { payee_id: begun.payee_id }
    }
    const payee_id = newId('pye', now)
    await tx
      .insertInto('payees')
      .values({
        payee_id,
        partner_id: partner.id,
        rail,
        account_id: null,
        details: null,
        name: partner.name,
        country,
        currency: '',
        account_last4: '',
        created_at: now,
        usable_from: null,
        created_by: caller.user?.email ?? '',
      })
      .execute()
    return { payee_id }
  },
})

/** The provider's page on which the payee goes on, and comes back to ours from. */
export async function onboardingPage(
  app: AppContext,
  payeeId: string,
  ourPage: string,
): Promise<string> {
  const { payoutRail, db } = app
  if (!payoutRail) throw noProvider()
  const payee = await db
    .selectFrom('payees')
    .selectAll()
    .where('payee_id', '=', payeeId)
    .executeTakeFirstOrThrow()
  try {
    const accountId = payee.account_id ?? (await openAccount(app, payoutRail, payee))
    return await payoutRail.onboardingPage(accountId, ourPage)
  } catch (error) {
    if (error instanceof ApiError) throw error
    app.log.warn({ err: error, payee_id: payeeId }, 'payouts: no account was opened')
    throw new ApiError('unavailable', `${payoutRail.label} did not respond. Please try again.`)
  }
}

async function openAccount(
  { db }: AppContext,
  rail: PayoutRail,
  { payee_id, partner_id, country }: Payee,
): Promise<string> {
  const { email } = await findPartner(db, partner_id)
  const opened = await rail.openAccount({ id: payee_id, email, country })
  if ('rejected' in opened) {
    throw invalid({ field: 'country', issue: `was rejected by ${rail.label}: ${opened.rejected}` })
  }
  const account_id = opened.accountId
  await db.updateTable('payees').set({ account_id }).where('payee_id', '=', payee_id).execute()
  return account_id
}

function noProvider(): ApiError {
  return conflict('not_applicable', 'No provider pays out here: payouts go to bank accounts.')
}

/** Takes in how an account stands. Money goes there after the waiting period, of which all members are told. */
export async function applyAccount(app: AppContext, account: RailAccount): Promise<void> {
  if (!account.ready) return
  await inTransaction(app, async (tx) => {
    const now = app.clock.now()
    const payee = await lockByAccount(tx, account.accountId)
    if (!payee || payee.usable_from !== null) return
    const change = {
      // Until now nothing had changed about where money goes.
      created_at: now,
      usable_from: after(now, app.settings.payeeDelayHours * HOUR),
      country: account.country || payee.country,
      currency: account.currency,
      account_last4: account.accountId.slice(-4),
    }
    await tx.updateTable('payees').set(change).where('payee_id', '=', payee.payee_id).execute()
    const partner = await lockPartner(tx, payee.partner_id)
    for (const mail of await payeeChangedMails(tx, now, partner, { ...payee, ...change })) {
      await tx.executeQuery(mail)
    }
  })
}

async function lockByAccount(tx: Tx, accountId: string): Promise<Payee | undefined> {
  return await tx
    .selectFrom('payees')
    .selectAll()
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst()
}

/** Asks the provider how an account stands that is not ready; what it does not say now is asked again. */
export async function lookUpPayee(app: AppContext, payee: Payee | undefined): Promise<void> {
  if (!app.payoutRail || !payee?.account_id || payee.usable_from !== null) return
  try {
    await applyAccount(app, await app.payoutRail.lookUpAccount(payee.account_id))
  } catch (error) {
    app.log.warn({ err: error, payee_id: payee.payee_id }, 'payouts: no account was looked up')
  }
}

/** Whose webhook was missed is ready none the less. */
export const lookUpPayees: Job = {
  name: 'look_up_payees',
  everyMs: 10 * MINUTE,
  queriesUpstream: true,
  async run(app, signal) {
    if (!app.payoutRail) return
    const open = await app.db
      .selectFrom('payees')
      .selectAll()
      .where('usable_from', 'is', null)
      .where('account_id', 'is not', null)
      .where('created_at', '>', after(app.clock.now(), -LOOKED_AFTER_MS))
      .orderBy('created_at', 'desc')
      .limit(AT_ONCE)
      .execute()
    for (const payee of open) {
      if (signal.aborted) return
      await lookUpPayee(app, payee)
    }
  },
}
