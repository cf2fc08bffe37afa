import type { z } from 'zod'
import { ellipsize } from '../lib/truncate.ts'
import { type FieldProblem, invalid } from './errors.ts'
import { choicesText, issueMessages } from './issue-messages.ts'

/** An error names so many at most. */
export const MAX_ISSUES = 20
const MAX_KEY = 64

/**
 * What the schema makes of it. What does not fit is rejected, with a message for the caller about each field.
 * @param at the field that it was given in, where it is a part of an input
 */
export function checkInput<S extends z.ZodType>(
  schema: S,
  given: unknown,
  at: string[] = [],
): z.output<S> {
  const result = schema.safeParse(given, { reportInput: true, error: issueMessages })
  if (result.success) return result.data
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue, at))
  const [first, ...rest] = problems.slice(0, MAX_ISSUES)
  throw invalid(first ?? { field: 'body', issue: 'is not valid' }, ...rest)
}

function problemsOf(issue: z.core.$ZodIssue, at: PropertyKey[]): FieldProblem[] {
  const path = [...at, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...path, ellipsize(key, MAX_KEY)].join('.'),
      issue: 'is not a known field',
    }))
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((issues) => issues.every(isWithin))
    if (meant?.length) return meant.flatMap((each) => problemsOf(each, path))
  }
  const field = path.join('.') || 'body'
  if (issue.input === undefined) return [{ field, issue: 'is required' }]
  const choices = issue.code === 'invalid_value' ? issue.values.map(String) : []
  const isChoice = issue.message === choicesText(choices)
  return [{ field, issue: issue.message, ...(isChoice && { choices }) }]
}

/** Whether it is about a part of the value, which is of the right kind itself. */
function isWithin({ code, path }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === 'unrecognized_keys'
}
