import { z } from 'zod'
import { ENVIRONMENT_VARIABLES } from '../src/core/environment.ts'

/** The table of docs/OPERATING.md: a row for each variable, with its default and what it is. */
export function describeSettings(): string {
  const rows = Object.entries(ENVIRONMENT_VARIABLES.shape).map(([name, field]) => {
    const { description = '', otherwise = textOf(defaultOf(field)) } = (field.meta() ?? {}) as {
      description?: string
      otherwise?: string
    }
    return `| \`${name}\` | ${otherwise} | ${description} |\n`
  })
  return ['| variable | default | what it is |\n', '|---|---|---|\n', ...rows].join('')
}

function defaultOf(field: z.core.$ZodType): unknown {
  if (field instanceof z.ZodDefault) return field.def.defaultValue
  return field instanceof z.ZodPipe ? defaultOf(field.def.in) : undefined
}

function textOf(standard: unknown): string {
  if (typeof standard === 'number') return String(standard)
  return typeof standard === 'string' && standard !== '' ? `\`${standard}\`` : 'none'
}
