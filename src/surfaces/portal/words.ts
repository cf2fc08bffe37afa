import type { Tone } from '../pages/parts.tsx'
import { stateText } from '../pages/spoken.ts'

/** How each state looks, of whatever has one. */
const TONES: Record<string, Tone> = {
  EXTERNALLY_PAID: 'info',
  PAID: 'info',
  TRANSFER_IN_PROGRESS: 'info',
  TRANSFER_COMPLETED: 'good',
  SETTLED: 'good',
  REFUNDED: 'warn',
  CANCELLED: 'plain',
  active: 'good',
  consumed: 'good',
  open: 'info',
  paid: 'good',
  completed: 'good',
  agreed: 'good',
  sourcing: 'info',
  contacted: 'info',
  negotiating: 'info',
  failed: 'bad',
  revoked: 'bad',
  declined: 'bad',
  action_required: 'warn',
  in_progress: 'info',
  pending: 'info',
  processing: 'info',
  running: 'info',
  done: 'good',
  delivered: 'good',
}

export function toneOf(state: string): Tone {
  return TONES[state] ?? 'plain'
}

/** States to choose among in a filter, the empty one first. */
export function choices(any: string, states: readonly string[]): [value: string, label: string][] {
  return [['', any], ...states.map((state): [string, string] => [state, stateText(state)])]
}

export function at(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
