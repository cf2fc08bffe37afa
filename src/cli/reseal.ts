import type { Terminal } from './terminal.ts'

interface Step {
  column: string
  checked: number
  resealed: number
  next_cursor: string | null
}

/** Seals everything with the first key of SECRETS_KEY, and says how far it is. */
export async function resealSecrets({ ask, print }: Terminal): Promise<void> {
  const columns: Record<string, number> = {}
  const sum = { checked: 0, resealed: 0 }
  let cursor: string | null = null
  do {
    const step = (await ask('POST', '/secrets/reseal', { cursor })) as Step
    sum.checked += step.checked
    sum.resealed += step.resealed
    columns[step.column] = (columns[step.column] ?? 0) + step.resealed
    process.stderr.write(`${step.column}: ${step.resealed} of ${step.checked} sealed anew\n`)
    cursor = step.next_cursor
  } while (cursor !== null)
  print({ ...sum, columns })
}
