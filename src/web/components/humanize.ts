import type { ApiError, FieldProblem } from '../../core/errors.ts'
import { choicesText } from '../../core/issue-messages.ts'
import type { Tone } from './parts.tsx'

interface ConflictFacts {
  subject?: string | undefined
  status?: string
  price_cents?: number
}

/** What pages say of a conflict whose message is for programs, by its reason. */
const CONFLICTS: Record<string, (facts: ConflictFacts) => string | undefined> = {
  not_allowed_now: ({ subject, status = '' }) =>
    subject && `This ${subject} is ${stateText(status)} by now: this can no longer be done.`,
  // A price in cents is what operators sent; buyers are told in words already.
  above_budget: ({ price_cents }) =>
    price_cents === undefined
      ? undefined
      : "The price is above the buyer's budget. Let the buyer raise it, or confirm that the buyer agreed to this price.",
}

/** An error as people read it: the API names fields and states as programs do. */
export function errorText({ code, details, issues, message, subject }: ApiError): string {
  if (issues.length > 0) return issues.map(sentenceOf).join(' ')
  if (code !== 'conflict') return message
  const { reason = '', ...facts } = (details ?? {}) as ConflictFacts & { reason?: string }
  return CONFLICTS[reason]?.({ ...facts, subject }) ?? message
}

/** What stands beside the field itself. */
export function fieldText({ issue, choices }: FieldProblem, subject = 'It'): string {
  if (choices) return `${subject} ${choicesText(choices.map(stateText))}.`
  const isSentence = issue.charAt(0) !== issue.charAt(0).toLowerCase()
  return isSentence ? issue : `${subject} ${issue}.`
}

/** A state as people read it: `TRANSFER_COMPLETED` is transfer completed. */
export function stateText(state: string): string {
  return state.toLowerCase().replaceAll('_', ' ')
}

/** The same at the beginning of a sentence, or on a button. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** How each state looks, of whatever has one. */
export function toneOf(state: string): Tone {
  return TONES[state] ?? 'plain'
}

const TONES: Record<string, Tone> = {
  active: 'good',
  accepted: 'good',
  agreed: 'good',
  approved: 'good',
  completed: 'good',
  consumed: 'good',
  delivered: 'good',
  done: 'good',
  paid: 'good',
  ready: 'good',
  won: 'good',
  TRANSFER_COMPLETED: 'good',
  SETTLED: 'good',
  open: 'info',
  pending: 'info',
  processing: 'info',
  running: 'info',
  waiting: 'info',
  uploading: 'info',
  in_progress: 'info',
  sourcing: 'info',
  contacted: 'info',
  negotiating: 'info',
  EXTERNALLY_PAID: 'info',
  PAID: 'info',
  TRANSFER_IN_PROGRESS: 'info',
  action_required: 'warn',
  needs_response: 'warn',
  REFUNDED: 'warn',
  suspended: 'bad',
  failed: 'bad',
  refund_failed: 'bad',
  charged_back: 'bad',
  disputed: 'bad',
  lost: 'bad',
  revoked: 'bad',
  declined: 'bad',
}

/** So many of something: `1 order`, `1,204 orders`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

/** What a field's name ends in that says how it is written, and not what it holds. */
const NOTATIONS = ['cents', 'bps', 'id']

function sentenceOf(problem: FieldProblem): string {
  const { field } = problem
  if (field === 'path') return 'This address is not one of ours: look at how it is written.'
  // Of an item of a list, which its place stands for, the list has the name.
  const name = field.split('.').findLast((part) => Number.isNaN(Number(part))) ?? field
  const words = name.split('_')
  if (words.length > 1 && NOTATIONS.includes(words.at(-1) ?? '')) words.pop()
  const subject = words.join(' ')
  return fieldText(problem, capitalized(subject))
}
