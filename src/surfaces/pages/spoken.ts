import type { FieldIssue, Refusal } from '../../kernel/errors.ts'
import type { Tone } from './parts.tsx'

/** What is wrong with each field, of a refusal that says so. */
export function issuesOf({ details }: Refusal): FieldIssue[] {
  return Array.isArray(details) ? (details as FieldIssue[]) : []
}

/** A refusal as people read it: the API names fields and states as programs do. */
export function spoken(refusal: Refusal): string {
  const issues = issuesOf(refusal)
  const text =
    issues.length > 0
      ? issues.map(sentenceOf).join(' ')
      : refusal.message.replace(NOT_OPEN, tooLate)
  return text.replace(/\b[A-Za-z]+(?:_[A-Za-z]+)+\b/g, stateText)
}

/** How the API refuses a move, such as that of a page which was open for a while. */
const NOT_OPEN = /^The move \S+ is not open to an? (\w+) that is (\w+)\.$/
function tooLate(_: string, what: string, state: string): string {
  return `This ${what} is ${stateText(state)} by now: that cannot be done any more.`
}

/** What stands beside the field itself. */
export function besideField(issue: string, subject = 'It'): string {
  if (FOR_PROGRAMS.test(issue)) return `${subject} is not what can be taken here.`
  return /^[A-Z]/.test(issue) ? issue : `${subject} ${issue}.`
}

/** A state as people read it: `TRANSFER_COMPLETED` is transfer completed. */
export function stateText(state: string): string {
  return state.toLowerCase().replaceAll('_', ' ')
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

/** For programs: states to choose from, by their names on the wire, and what the validator has no words for. */
const FOR_PROGRAMS = /^(?:must be (?:[A-Z_]+, )*[A-Z_]+ or [A-Z_]+$|Invalid |Unrecognized )/

function sentenceOf({ field, issue }: FieldIssue): string {
  if (field === 'path') return 'This address is not one of ours: look at how it is written.'
  const name = field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? field
  const subject = name.replace(/_(?:cents|bps|id)$/, '').replaceAll('_', ' ')
  return besideField(issue, subject.charAt(0).toUpperCase() + subject.slice(1))
}
