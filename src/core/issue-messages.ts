import type { z } from 'zod'

const WHOLE = 'a whole number'

const KINDS: Record<string, string> = {
  string: 'text',
  // No field takes another, but where it says so itself.
  number: WHOLE,
  int: WHOLE,
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

/**
 * What is wrong with a field, wherever its schema has no words of its own: for whoever wrote the request, who
 * knows nothing of our checker.
 */
export const issueMessages: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected]
      return kind && `must be ${kind}`
    }
    case 'invalid_value':
      return choicesText(issue.values.map(String))
    case 'too_small':
      if (issue.minimum === 1 && ['string', 'array'].includes(issue.origin))
        return 'must not be empty'
      return `must ${sizeOf(issue.origin, 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', issue.maximum)}`
    case 'invalid_key':
      return 'is no name for a field'
    default:
      return undefined
  }
}

/** What a field is that takes no other values. */
export function choicesText(values: readonly string[]): string {
  const last = values.at(-1) ?? ''
  return `must be ${values.length > 1 ? `${values.slice(0, -1).join(', ')} or ${last}` : last}`
}

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${size} characters`
  if (origin === 'array') return `have ${bound} ${size} entries`
  return `be ${bound} ${size}`
}
