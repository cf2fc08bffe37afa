import { stateText } from '../components/humanize.ts'

/** States to choose among in a filter, the empty one first. */
export function choices(any: string, states: readonly string[]): [value: string, label: string][] {
  return [['', any], ...states.map((state): [string, string] => [state, stateText(state)])]
}

export function at(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
