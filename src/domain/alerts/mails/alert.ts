import type { Environment } from '../../../core/caller.ts'
import { type Letter, letter } from '../../../core/letter.tsx'
import type { AlertType } from '../../../core/raise-alert.ts'
import { moneyText } from '../../../lib/money.ts'

const TITLES: Record<AlertType, string> = {
  'alert.order_paid': 'An order was paid',
  'alert.order_held': 'An order is held for review',
  'alert.transfer_stalled': 'A transfer is stalled',
  'alert.refund_failed': 'A refund failed',
  'alert.dispute_opened': 'A bank disputes a payment',
  'alert.payout_failed': 'A payout failed',
  'alert.job_failed': 'A scheduled job failed',
  'alert.claim_conflict': 'Two users claim the same domain',
  'alert.code_not_cleared': 'A transfer code may still be good',
}

/** The page of the console where somebody can act. */
const PAGES: Record<AlertType, (data: Record<string, unknown>) => string> = {
  'alert.order_paid': ({ public_id }) => `/orders/${String(public_id)}`,
  'alert.order_held': ({ public_id }) => `/orders/${String(public_id)}`,
  'alert.transfer_stalled': ({ public_id }) => `/orders/${String(public_id)}`,
  'alert.refund_failed': () => '/payments',
  'alert.dispute_opened': () => '/disputes',
  'alert.payout_failed': () => '/payouts',
  'alert.job_failed': () => '/jobs',
  'alert.claim_conflict': () => '',
  'alert.code_not_cleared': ({ public_id }) => `/orders/${String(public_id)}`,
}

/** There is no alert for each domain. */
const MORE_CLAIMS =
  'The user may claim more domains of others: `claim list --user-id USER_ID` lists them.'

/** Tells operators of something that needs a person. */
export function alertMail(
  {
    type,
    environment,
    data,
  }: { type: AlertType; environment: Environment; data: Record<string, unknown> },
  baseUrl: string,
): Letter {
  const { amount_cents, currency, ...others } = data
  const facts = Object.entries(others)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name.replaceAll('_', ' '), String(value)] as const)
  const amount =
    typeof amount_cents === 'number' && typeof currency === 'string'
      ? [['amount', moneyText(amount_cents, currency)] as const]
      : []
  const test = environment === 'sandbox' ? '[Test] ' : ''
  return letter(`${test}${TITLES[type]}`, [
    `${TITLES[type]}.`,
    { facts: [...facts, ...amount] },
    type === 'alert.claim_conflict' && MORE_CLAIMS,
    { button: 'Open the console', url: `${baseUrl}/operator${PAGES[type](data)}` },
  ])
}
