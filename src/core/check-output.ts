import type { z } from 'zod'

/** Holds a response against its published schema; fields that it does not declare fail too. */
export function checkOutput<T>(name: string, output: z.ZodType, value: T): T {
  const parsed = output.parse(value)
  if (JSON.stringify(sorted(parsed)) !== JSON.stringify(sorted(value))) {
    throw new Error(`${name} responded with fields that it does not declare`)
  }
  return value
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}
