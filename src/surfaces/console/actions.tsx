import type { VNode } from 'preact'
import type { z } from 'zod'
import { invalid } from '../../kernel/errors.ts'
import type { AdminWrite } from '../../kernel/operation.ts'
import { nameText } from '../../lib/domain-name.ts'
import { endUserSessions } from '../../modules/accounts/end-user-sessions.ts'
import { createUserToken } from '../../modules/accounts/personal-token.ts'
import { updateUser } from '../../modules/accounts/update-user.ts'
import { operateCase } from '../../modules/brokerage/operate-case.ts'
import { operatorRenewsLink, operatorRevokesLink } from '../../modules/brokerage/renew-link.ts'
import {
  assignCase,
  noteCase,
  recordAnswer,
  recordContact,
  recordOffer,
} from '../../modules/brokerage/work-case.ts'
import { moveRefund } from '../../modules/checkout/operate-payments.ts'
import { switchEndpoint } from '../../modules/events/operate-endpoints.ts'
import { createUser } from '../../modules/holdings/import-domains.ts'
import { operateOrder } from '../../modules/orders/operate-order.ts'
import { approveLive } from '../../modules/partners/approve-live.ts'
import { createCredential } from '../../modules/partners/create-credential.ts'
import { createPartner } from '../../modules/partners/create-partner.ts'
import { declineLive } from '../../modules/partners/decline-live.ts'
import { revokeCredential } from '../../modules/partners/revoke-credential.ts'
import { rotateCredential } from '../../modules/partners/rotate-credential.ts'
import { setPartnerStatus } from '../../modules/partners/set-partner-status.ts'
import { setPartnerTerms } from '../../modules/partners/set-partner-terms.ts'
import { createPayouts, movePayout } from '../../modules/payouts/operate-payouts.ts'
import { setTldPrice } from '../../modules/registry/set-tld-price.ts'
import { runSettlement } from '../../modules/settlements/run-settlement.ts'
import { runJob } from '../admin/schedule.ts'
import { readFields } from '../input.ts'
import { amount, parseAmount } from '../pages/money.ts'
import { Copyable, Notice } from '../pages/parts.tsx'
import { counted, stateText } from '../pages/spoken.ts'

/** What a form of the console does: an operation of the admin API, and what its answer is told as. */
interface Action<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  operation: AdminWrite<I, O>
  /** Said once on the page that follows. */
  done(answer: z.output<O>): string
  /** The page that follows; absent: the form's own. */
  to?(answer: z.output<O>): string
  /** What is shown instead, where the answer holds a secret. */
  show?(answer: z.output<O>): VNode
  /** Fields that are taken away by leaving them empty. */
  emptied?: readonly string[]
}

function action<I extends z.ZodObject, O extends z.ZodType>(given: Action<I, O>): Action {
  return given
}

const secretOnce = (what: string, id: string, secret: string) => (
  <Notice kind="good">
    {what} This is the only time that the secret is shown.
    <Copyable id={`secret-${id}`} text={secret} />
  </Notice>
)

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  [
    action({
      operation: operateOrder,
      done: ({ domain, status, held }) =>
        `The order of ${nameText(domain)} is now: ${stateText(status)}${held ? ', held' : ''}.`,
    }),
    action({
      operation: operateCase,
      done: ({ domain, status }) => `The case of ${nameText(domain)} is ${stateText(status)} now.`,
    }),
    action({
      operation: assignCase,
      done: ({ assignee }) =>
        assignee === null ? 'The case is back in the queue.' : `${assignee} has the case now.`,
      emptied: ['assignee'],
    }),
    action({ operation: noteCase, done: () => 'The note is kept.' }),
    action({ operation: recordContact, done: () => 'The try is kept.' }),
    action({ operation: recordOffer, done: () => 'The offer is on the table.' }),
    action({
      operation: recordAnswer,
      done: ({ status }) => `The answer is kept; the case is ${stateText(status)}.`,
    }),
    action({ operation: operatorRenewsLink, done: () => 'The buyer’s link is a new one now.' }),
    action({ operation: operatorRevokesLink, done: () => 'The buyer’s link opens nothing now.' }),
    action({
      operation: runSettlement,
      done: ({ settlements, order_count }) =>
        settlements.length === 0
          ? 'There was nothing left to close.'
          : `${counted(settlements.length, 'statement is', 'statements are')} closed, with ${counted(order_count, 'order')}.`,
    }),
    action({
      operation: createPayouts,
      done: ({ count }) =>
        count === 0
          ? 'Nothing was payable.'
          : `${counted(count, 'payout is', 'payouts are')} made.`,
    }),
    action({
      operation: moveRefund,
      done: ({ status }) =>
        status === 'refunded' ? 'It is noted as paid.' : 'The refund is on its way again.',
    }),
    action({
      operation: movePayout,
      done: ({ amount_cents, currency, status }) =>
        `The payout of ${amount(amount_cents, currency)} is ${status} now.`,
    }),
    action({
      operation: createPartner,
      done: ({ name }) => `${name} has an account now.`,
      to: ({ partner_id }) => `/operator/partners/${partner_id}`,
    }),
    action({
      operation: setPartnerStatus,
      done: ({ name, status }) => `${name} is ${status} now.`,
    }),
    action({
      operation: setPartnerTerms,
      done: ({ name }) => `What ${name} sells from now on earns by these terms.`,
    }),
    action({
      operation: createCredential,
      done: () => '',
      show: ({ key_id, secret }) => secretOnce(`${key_id} is made.`, key_id, secret),
    }),
    action({
      operation: rotateCredential,
      done: () => '',
      show: ({ key_id, secret }) =>
        secretOnce(
          `${key_id} has a new secret; the old one works for another day.`,
          key_id,
          secret,
        ),
    }),
    action({ operation: revokeCredential, done: ({ key_id }) => `${key_id} no longer works.` }),
    action({ operation: approveLive, done: () => 'The partner may sell for real, and is told.' }),
    action({
      operation: declineLive,
      done: () => 'The request is declined, and the partner told.',
    }),
    action({
      operation: switchEndpoint,
      done: ({ active }) =>
        active
          ? 'Deliveries are on again. What was dropped can be replayed by the partner.'
          : 'Deliveries are off. What waited is dropped.',
    }),
    action({
      operation: updateUser,
      done: ({ email, disabled }) =>
        disabled ? `${email} cannot sign in any more.` : `${email} is changed.`,
      emptied: ['partner_id', 'affiliate_id'],
    }),
    action({
      operation: endUserSessions,
      done: ({ ended }) => `${counted(ended, 'session has', 'sessions have')} ended.`,
    }),
    action({
      operation: createUser,
      done: ({ email }) => `${email} has an account now.`,
      to: ({ user_id }) => `/operator/users/${user_id}`,
    }),
    action({
      operation: createUserToken,
      done: () => '',
      show: ({ token_id, email, token }) =>
        secretOnce(`${email} has a new token.`, token_id, token),
    }),
    action({
      operation: setTldPrice,
      done: ({ tld, op, price_cents }) =>
        price_cents === null
          ? `The operation ${op} is no longer sold on .${tld}.`
          : `The operation ${op} has its new price on .${tld}.`,
      emptied: ['price_cents'],
    }),
    action({
      operation: runJob,
      done: ({ name }) => `${name} runs within a second or two.`,
    }),
  ].map((each) => [each.operation.name, each]),
)

/**
 * Reads a form as the operation's input. People write amounts in units (`price_amount`) and shares in
 * percent (`referral_percent`), which become `price_cents` and `referral_bps`.
 */
export function inputOf({ operation, emptied = [] }: Action, form: URLSearchParams) {
  const fields = new URLSearchParams(form)
  for (const [name, text] of form) {
    const amount = /^(\w+)_amount$/.exec(name)?.[1]
    if (amount !== undefined) fields.set(`${amount}_cents`, centsOf(name, text))
    const share = /^(\w+)_percent$/.exec(name)?.[1]
    if (share !== undefined) fields.set(`${share}_bps`, bpsOf(name, text))
  }
  const given: Record<string, unknown> = {}
  for (const name of emptied) if (fields.get(name) === '') given[name] = null
  return readFields(operation, fields, given)
}

function centsOf(field: string, text: string): string {
  if (text.trim() === '') return ''
  const cents = parseAmount(text)
  if (cents === null) {
    throw invalid({ field, issue: 'Write an amount such as 1250 or 1,250.50, above zero.' })
  }
  return String(cents)
}

function bpsOf(field: string, text: string): string {
  if (text.trim() === '') return ''
  if (!/^\d{1,3}(?:\.\d{1,2})?$/.test(text.trim())) {
    throw invalid({ field, issue: 'Write a percentage such as 10 or 7.5.' })
  }
  return String(Math.round(Number(text) * 100))
}
