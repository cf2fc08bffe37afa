import type { CompiledQuery } from 'kysely'
import { dateOf } from '../../kernel/fields.ts'
import { queueMail } from '../../kernel/mail.ts'
import type { Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { nameText } from '../../lib/domain-name.ts'
import { moneyText } from '../../lib/money.ts'
import { mustFindUser } from '../accounts/user.ts'
import type { Charge } from '../payments/charge.ts'

type Renewal = Schema['renewals']

/** A mail names so many; the account shows all. */
const MAX_NAMED = 100

/** The receipt of a charge: what was renewed until when, and what went back. */
export async function renewalMail(
  tx: Tx,
  now: Date,
  charge: Charge,
  renewed: (Renewal & { until: Date })[],
  lost: Renewal[],
): Promise<CompiledQuery> {
  const lines = renewed.map(
    ({ domain, until, price_cents, currency }) =>
      `${nameText(domain)} until ${dateOf(until)}: ${moneyText(price_cents ?? 0, currency)}`,
  )
  const back = lost.map(
    ({ domain, price_cents, currency }) =>
      `${nameText(domain)} was no longer yours: ${moneyText(price_cents ?? 0, currency)} goes back to your card.`,
  )
  return await mailTo(tx, now, charge.user_id, {
    subject: `Renewed: ${named(renewed)}`,
    text: [
      listed(lines),
      listed(back),
      `Charged: ${moneyText(charge.amount_cents, charge.currency)}. Your reference is ${charge.id}.`,
    ],
  })
}

/** That names stay as they are, why, and what is to be done. */
export async function renewalFailedMail(
  tx: Tx,
  now: Date,
  userId: string,
  renewals: Pick<Renewal, 'domain' | 'from_expires_at' | 'automatic'>[],
  reason: string,
): Promise<CompiledQuery> {
  const lines = renewals.map(({ domain, from_expires_at }) =>
    from_expires_at
      ? `${nameText(domain)} expires on ${dateOf(from_expires_at)}`
      : nameText(domain),
  )
  return await mailTo(tx, now, userId, {
    subject: `Not renewed: ${named(renewals)}`,
    text: [
      `${reason} Nothing was charged.`,
      listed(lines),
      renewals.some(({ automatic }) => automatic)
        ? 'We try again every five days, five times in all. Please look after the payment method in your account.'
        : 'Please look after the payment method in your account, and renew again.',
    ],
  })
}

/**
 * That a bank took the payment of renewals back.
 *
 * @param card which is charged no more; null when its owner had another one already, or none
 */
export async function renewalDisputedMail(
  tx: Tx,
  now: Date,
  charge: Charge,
  renewals: Renewal[],
  card: string | null,
): Promise<CompiledQuery> {
  return await mailTo(tx, now, charge.user_id, {
    subject: `Payment disputed: ${named(renewals)}`,
    text: [
      'The bank has taken back what was paid for these renewals, since its cardholder asked it to. What was renewed stays renewed.',
      listed(renewals.map(({ domain }) => nameText(domain))),
      card === null
        ? ''
        : `${card} is not charged any more. To renew names, or to have them renew themselves, save a payment method in your account.`,
      `Paid: ${moneyText(charge.amount_cents, charge.currency)}. Your reference is ${charge.id}.`,
    ],
  })
}

/** That the house gave back what it had earned by renewals, or a part of it. */
export async function renewalRefundedMail(
  tx: Tx,
  now: Date,
  charge: Charge,
  renewals: Renewal[],
  cents: number,
): Promise<CompiledQuery> {
  return await mailTo(tx, now, charge.user_id, {
    subject: `Refunded: ${named(renewals)}`,
    text: [
      `${moneyText(cents, charge.currency)} of what you paid for renewals goes back to your card.`,
      listed(renewals.map(({ domain }) => nameText(domain))),
      `Your reference is ${charge.id}.`,
    ],
  })
}

/** Names that have been given up, since they expired and were not renewed. */
export async function expiredMail(
  tx: Tx,
  now: Date,
  userId: string,
  domains: string[],
): Promise<CompiledQuery> {
  return await mailTo(tx, now, userId, {
    subject: `Expired: ${named(domains.map((domain) => ({ domain })))}`,
    text: [
      'These names expired and were not renewed in time. They are no longer yours.',
      listed(domains.map(nameText)),
    ],
  })
}

async function mailTo(
  tx: Tx,
  now: Date,
  userId: string,
  { subject, text }: { subject: string; text: string[] },
): Promise<CompiledQuery> {
  const { email } = await mustFindUser(tx, userId)
  return queueMail(tx, now, { to: email, subject, text: `${text.filter(Boolean).join('\n\n')}\n` })
}

function named(renewals: { domain: string }[]): string {
  const [first] = renewals
  return renewals.length === 1 && first ? nameText(first.domain) : `${renewals.length} domains`
}

function listed(lines: string[]): string {
  const more = lines.length - MAX_NAMED
  return [...lines.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}
