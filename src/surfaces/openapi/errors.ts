import { ERROR_STATUS, type ErrorCode } from '../../kernel/errors.ts'

/** When each error is answered, as the documents tell it. */
const WHEN: Record<ErrorCode, string> = {
  validation_error: 'A field is missing or malformed; `details` names it.',
  invalid_cursor: 'The cursor belongs to another list, filter or sort, or was altered.',
  missing_idempotency_key: 'The Idempotency-Key header is missing.',
  unauthorized: 'A token is needed.',
  invalid_token: 'The bearer token is malformed, expired or none of ours.',
  missing_credentials: 'The X-Service-Key-Id header is missing.',
  missing_signature_headers: 'A signing header is missing, empty or malformed.',
  invalid_timestamp: 'The timestamp is not Unix seconds within 300 s of now.',
  invalid_signature: 'The signature does not fit the request.',
  replay_detected: 'The nonce was used before.',
  payment_failed: 'The saved card was declined, or no card is saved.',
  forbidden: 'The credential lacks the scope; `details` names it.',
  credential_not_active: 'The credential is revoked.',
  partner_not_active: 'The partner account is suspended.',
  not_found: 'There is no such thing, or it is somebody else’s.',
  method_not_allowed: 'The path serves other methods; see the Allow header.',
  conflict:
    'The state of things does not allow it, or the Idempotency-Key was used for another body.',
  payload_too_large: 'The body has more than 256 KiB.',
  unsupported_media_type: 'The body is not JSON.',
  price_mismatch: 'The price is not the current one.',
  quote_expired: 'The quote is older than ten minutes.',
  rate_limited: 'The limit is used up; wait as long as Retry-After says.',
  internal_error: 'Something went wrong on our side. Retry with growing pauses.',
  unavailable: 'Something that the answer needs is away. Retry after Retry-After.',
}

export const errorSchema = {
  type: 'object',
  description: 'Every error of every endpoint has this form.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', description: 'What went wrong, for programs.' },
        message: { type: 'string', description: 'What went wrong, for people.' },
        request_id: { type: 'string', description: 'The X-Request-Id of the answer.' },
        details: {
          description: 'Of a validation_error: a list of `{field, issue}`.',
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
  'Idempotent-Replayed': text('`true` when the answer is a stored one.'),
  Deprecation: text('Since when the operation is deprecated: `@` and Unix seconds (RFC 9745).'),
  Sunset: text('When the operation goes away (RFC 8594).'),
  'WWW-Authenticate': text('Where to find out how to get a token (RFC 9728).'),
}
const MORE_HEADERS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'WWW-Authenticate',
  invalid_token: 'WWW-Authenticate',
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
          description: own.map((code) => `\`${code}\`: ${WHEN[code]}`).join('\n\n'),
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
      ? { details: [{ field: 'limit', issue: 'Too big: expected number to be <=100' }] }
      : {}
  const message = WHEN[code].replaceAll('`', '')
  return { error: { code, message, request_id: 'req_9e4f25c7f4797b03f2ca33bf', ...details } }
}
