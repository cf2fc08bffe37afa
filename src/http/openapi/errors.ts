import { CONFLICT_REASONS, OTHER_REASONS } from '../../core/conflict-reasons.ts'
import { ERROR_HELP, ERROR_STATUS, type ErrorCode } from '../../core/errors.ts'

const REASONS = { ...CONFLICT_REASONS, ...OTHER_REASONS }
const REASON_LIST = Object.entries(REASONS)
  .map(([reason, words]) => `- \`${reason}\`: ${words}`)
  .join('\n')

export const errorSchema = {
  type: 'object',
  description: 'Every error of every endpoint has this form.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'What went wrong.',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', description: 'What went wrong, for programs.' },
        message: { type: 'string', description: 'What went wrong, for people.' },
        request_id: { type: 'string', description: 'The X-Request-Id of the response.' },
        details: {
          description: 'What a program needs to know beside the code; another form for some codes.',
          anyOf: [
            {
              type: 'array',
              description: 'Of a validation_error.',
              items: {
                type: 'object',
                required: ['field', 'issue'],
                properties: {
                  field: {
                    type: 'string',
                    description: 'The field, with dots between the parts of its path.',
                  },
                  issue: { type: 'string', description: 'What is wrong with it.' },
                },
              },
            },
            {
              type: 'object',
              properties: {
                reason: {
                  type: 'string',
                  enum: Object.keys(REASONS),
                  description: `Of every conflict, of a forbidden referral, and of a purchase by an app that failed:\n\n${REASON_LIST}`,
                },
                status: { type: 'string', description: 'Of `not_allowed_now`: the state.' },
              },
            },
          ],
        },
      },
    },
  },
} as const

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })
export const RATE_HEADERS = {
  'RateLimit-Limit': header('RateLimit-Limit'),
  'RateLimit-Remaining': header('RateLimit-Remaining'),
  'RateLimit-Reset': header('RateLimit-Reset'),
  'RateLimit-Policy': header('RateLimit-Policy'),
  'X-Request-Id': header('X-Request-Id'),
}

const text = (description: string) => ({ description, schema: { type: 'string' } })
const whole = (description: string) => ({ description, schema: { type: 'integer' } })
export const HEADERS = {
  'X-Request-Id': text('Names this request in logs and errors.'),
  'RateLimit-Limit': whole('Requests that the limit allows in a minute.'),
  'RateLimit-Remaining': whole('Requests left in this minute.'),
  'RateLimit-Reset': whole('Seconds until the minute is over.'),
  'RateLimit-Policy': text('The limit and its window in seconds, such as `600;w=60`.'),
  'Retry-After': whole('Seconds to wait before trying again.'),
  'Idempotent-Replayed': text('`true` when the response is a stored one.'),
  Deprecation: text('Since when the operation is deprecated: `@` and Unix seconds (RFC 9745).'),
  Sunset: text('When the operation goes away (RFC 8594).'),
  'WWW-Authenticate': text('Where to find out how to get a token (RFC 9728).'),
}
const MORE_HEADERS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'WWW-Authenticate',
  invalid_token: 'WWW-Authenticate',
  insufficient_scope: 'WWW-Authenticate',
  rate_limited: 'Retry-After',
  unavailable: 'Retry-After',
}

/** One response for each status, with an example of each code. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, object> {
  const all = [...new Set(codes)]
  const statuses = [...new Set(all.map((code) => ERROR_STATUS[code]))].toSorted((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const own = all.filter((code) => ERROR_STATUS[code] === status)
      const more = own.flatMap((code) => MORE_HEADERS[code] ?? [])
      return [
        String(status),
        {
          description: own.map((code) => `\`${code}\`: ${ERROR_HELP[code].cause}`).join('\n\n'),
          headers: {
            ...RATE_HEADERS,
            ...Object.fromEntries(more.map((name) => [name, header(name)])),
          },
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Error' },
              examples: Object.fromEntries(own.map((code) => [code, { value: example(code) }])),
            },
          },
        },
      ]
    }),
  )
}

function example(code: ErrorCode): object {
  const details =
    code === 'validation_error'
      ? { details: [{ field: 'limit', issue: 'must be at most 100' }] }
      : code === 'conflict'
        ? { details: { reason: 'not_allowed_now', status: 'TRANSFER_COMPLETED' } }
        : {}
  const message = ERROR_HELP[code].cause.replaceAll('`', '')
  return { error: { code, message, request_id: 'req_9e4f25c7f4797b03f2ca33bf', ...details } }
}
