import { money } from '../../lib/money.ts'
import type { Case, CaseStatus, CaseStep, Offer } from './case.ts'

/** A case told to its buyer in plain words: on the progress page and in mails. */

const HEADLINES: Record<Exclude<CaseStatus, 'agreed' | 'completed'>, string> = {
  open: 'We have your request.',
  sourcing: 'We are finding out who owns it.',
  contacted: 'We have contacted the owner.',
  negotiating: 'The owner is talking with us.',
  declined: 'The owner does not want to sell.',
  no_contact: 'We could not reach the owner.',
  cancelled: 'This search was ended.',
}

/** Where the case stands, in a sentence. */
export function headline(row: Case): string {
  const price = row.price_cents === null ? '' : money(row.price_cents, row.currency)
  if (row.status === 'agreed') return `You have a deal for ${price}.`
  if (row.status === 'completed') return `The deal is done, for ${price}.`
  return HEADLINES[row.status]
}

/** What happens next, and whose turn it is. */
export function whatIsNext(row: Case, open: Offer | undefined): string {
  const own = row.tier === 'self_serve'
  switch (row.status) {
    case 'open':
      return 'A broker takes it up and finds out who owns the name and how to reach them.'
    case 'sourcing':
      return 'Once we know whom to ask, we write to them.'
    case 'contacted':
      return 'We are waiting for a response. Owners often take some days; we will write to you.'
    case 'negotiating':
      if (open?.made_by === 'owner') {
        const price = money(open.price_cents, row.currency)
        return own
          ? `It is your turn: the owner would sell for ${price}.`
          : `The owner would sell for ${price}. Your broker will ask you about it.`
      }
      if (open) return `Your offer of ${money(open.price_cents, row.currency)} is with the owner.`
      return own ? 'It is your turn: make an offer.' : 'Your broker negotiates for you.'
    case 'agreed':
      return 'Your broker writes to you about the payment and the transfer. Nothing is paid on this page.'
    case 'completed':
      return 'Nothing is left to do here.'
    case 'declined':
    case 'no_contact':
      return 'Nothing is owed. Ask again whenever you like: owners change, and so do their minds.'
    default:
      return 'Nothing is owed.'
  }
}

const CHANNELS: Record<string, string> = {
  email: 'by e-mail',
  phone: 'by phone',
  letter: 'by letter',
  message: 'by message',
}

/** One step of the timeline. */
export function describeStep(step: CaseStep, currency: string): string {
  const price = step.price_cents === null ? '' : money(step.price_cents, currency)
  const who = step.by === 'owner' ? 'The owner' : 'You'
  switch (step.type) {
    case 'brokerage.case_opened':
      return 'We received the request.'
    case 'brokerage.case_sourcing':
      return 'A broker began to look for the owner.'
    case 'brokerage.case_contacted':
      return 'We contacted the owner.'
    case 'brokerage.case_negotiating':
      return 'The owner is ready to talk.'
    case 'brokerage.case_agreed':
      return `Everyone agreed on ${price}.`
    case 'brokerage.case_completed':
      return `The deal was completed, for ${price}.`
    case 'brokerage.case_declined':
      return 'The owner declined to sell.'
    case 'brokerage.case_no_contact':
      return 'We have stopped: nobody responded.'
    case 'brokerage.case_cancelled':
      return step.by === 'buyer' ? 'You ended the search.' : 'The search was ended.'
    case 'brokerage.contact_tried':
      return `We tried to reach the owner${step.note && CHANNELS[step.note] ? ` ${CHANNELS[step.note]}` : ''}.`
    case 'brokerage.offer_made':
      return step.by === 'owner' ? `The owner would sell for ${price}.` : `You offered ${price}.`
    case 'brokerage.offer_accepted':
      return `${who} accepted ${price}.`
    case 'brokerage.offer_rejected':
      return `${who} turned ${price} down.`
    default:
      return `You raised your budget to ${price}.`
  }
}

/** What people wrote to a step; a contact's note is its channel, which `describeStep` has told. */
export function noteOf(step: CaseStep): string | null {
  return step.type === 'brokerage.contact_tried' ? null : step.note
}
