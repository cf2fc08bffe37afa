import type { ConflictReason } from './conflict-reasons.ts'

/** Every error code of the JSON APIs, with its HTTP status (contract, section 2). */
export const ERROR_STATUS = {
  validation_error: 400,
  invalid_cursor: 400,
  missing_idempotency_key: 400,
  unauthorized: 401,
  invalid_token: 401,
  missing_credentials: 401,
  missing_signature_headers: 401,
  invalid_timestamp: 401,
  invalid_signature: 401,
  replay_detected: 401,
  payment_failed: 402,
  forbidden: 403,
  insufficient_scope: 403,
  credential_not_active: 403,
  partner_not_active: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  price_changed: 409,
  mandate_exceeded: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  price_mismatch: 422,
  quote_expired: 422,
  offer_too_low: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** Why each error is returned, and what to do about it; backquotes mark code. */
export const ERROR_HELP: Record<ErrorCode, { cause: string; fix: string }> = {
  validation_error: {
    cause: 'A field is missing or malformed. `details` lists each as `{field, issue}`.',
    fix: 'Correct the fields that `details` names. Sending the same request again fails again.',
  },
  invalid_cursor: {
    cause: 'The cursor belongs to another list, filter or sort order, or was changed.',
    fix: 'Send the cursor of a response unchanged, with the same filters; or start again without one.',
  },
  missing_idempotency_key: {
    cause: 'The Idempotency-Key header is missing, and the call requires it.',
    fix: 'Send a new value, such as a UUID, with each operation, and the same one with its retries.',
  },
  unauthorized: {
    cause: 'The call requires a token or a session.',
    fix: 'Sign the user in: the WWW-Authenticate header names the metadata that says how.',
  },
  invalid_token: {
    cause: 'The bearer token is malformed, expired or revoked, or was issued elsewhere.',
    fix: 'Refresh the token or sign the user in again. Reading without a token works, too.',
  },
  missing_credentials: {
    cause: 'The X-Service-Key-Id header is missing.',
    fix: 'Sign the request with one of your credentials and send all four X-Service headers.',
  },
  missing_signature_headers: {
    cause: 'A signing header is missing, empty, malformed or sent twice.',
    fix: 'Send X-Service-Timestamp, X-Service-Nonce and X-Service-Signature once each.',
  },
  invalid_timestamp: {
    cause: 'The timestamp is not in Unix seconds, or is more than 300 s away from now.',
    fix: 'Set the clock of your machine, and sign each attempt at the moment of sending.',
  },
  invalid_signature: {
    cause: 'The signature does not match the request, or the key id is not known.',
    fix: 'Sign the bytes that you send: raw path and query, exact body. The portal compares your canonical string line by line.',
  },
  replay_detected: {
    cause: 'The nonce was used before.',
    fix: 'Use a new nonce for every attempt, including retries.',
  },
  payment_failed: {
    cause: 'The saved card was declined, or no card is saved.',
    fix: 'Have the user save another card, then try again.',
  },
  forbidden: {
    cause:
      'The caller may not do this: mostly a credential without the scope that `details` names.',
    fix: 'Use a credential with the scope, or ask an operator for it.',
  },
  insufficient_scope: {
    cause: 'The access token is good, but the user did not grant the scope that the call requires.',
    fix: 'Ask the user for the `scope` that the WWW-Authenticate header names.',
  },
  credential_not_active: {
    cause: 'The credential is revoked.',
    fix: 'Use another credential, or create one in the partner portal.',
  },
  partner_not_active: {
    cause: 'The partner account is suspended.',
    fix: 'Contact the operator of the marketplace.',
  },
  not_found: {
    cause: 'There is nothing at this path or with this id, or it belongs to somebody else.',
    fix: 'Check the path and the id, and whether it belongs to the environment of your credential.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not for this method.',
    fix: 'Use a method that the Allow header lists.',
  },
  conflict: {
    cause: 'The current state does not allow it; `details.reason` says why.',
    fix: 'Act on `details.reason`. With a Retry-After header, send the same request again after it.',
  },
  price_changed: {
    cause: 'The price is not the one that was confirmed. Nothing was bought.',
    fix: 'Call again without `confirm`, show the new price, and confirm that one.',
  },
  mandate_exceeded: {
    cause: 'The purchase is beyond what the user lets the app spend; `details.left_cents` is left.',
    fix: 'Choose a cheaper domain, or ask the user for a new mandate or to pay themselves.',
  },
  payload_too_large: {
    cause: 'The body is larger than 256 KiB.',
    fix: 'Send less at once.',
  },
  unsupported_media_type: {
    cause: 'The body is not JSON, or has a Content-Encoding.',
    fix: 'Send plain JSON in UTF-8 with `Content-Type: application/json`.',
  },
  misdirected_request: {
    cause: 'The Host header names neither this service nor a domain that is for sale here.',
    fix: 'Send the request to the address of the service. A proxy must pass the Host header on unchanged.',
  },
  price_mismatch: {
    cause:
      'The price that you sent is not the current one, which `details.current_price_cents` holds.',
    fix: 'Show the buyer the current price, and create a new quote.',
  },
  quote_expired: {
    cause: 'The quote has expired, by default ten minutes after its creation.',
    fix: 'Create a new quote. Its price may differ.',
  },
  offer_too_low: {
    cause:
      'The amount is below the least that the seller considers, which `details.min_offer_cents` holds.',
    fix: 'Offer at least that amount.',
  },
  rate_limited: {
    cause: 'The rate limit is used up.',
    fix: 'Wait for the seconds in Retry-After. The RateLimit headers say how much is left.',
  },
  internal_error: {
    cause: 'Something went wrong in the service.',
    fix: 'Retry with increasing delays and the same Idempotency-Key. Report the `request_id` if it persists.',
  },
  unavailable: {
    cause:
      'Something that the response depends on is not available, such as a registry or the database.',
    fix: 'Retry after the seconds in Retry-After, with the same Idempotency-Key.',
  },
}

export interface FieldIssue {
  field: string
  issue: string
}

/** An issue with what pages say it from; responses have `field` and `issue` alone. */
export interface FieldProblem extends FieldIssue {
  /** The values that there are, by their names on the wire, where that is what the issue says. */
  choices?: readonly string[]
}

/** A response that is not the one asked for: thrown anywhere, turned into the error body by the surface. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  /** What is wrong with each field, of a `validation_error` that says so. */
  readonly issues: readonly FieldProblem[]
  /** What is in a state that does not allow this, such as `order`: for pages. */
  readonly subject: string | undefined
  /** Seconds after which the same request may succeed; sent as `Retry-After`. */
  readonly retryAfter: number | undefined
  /** Whether a token would help: sent as `WWW-Authenticate`. */
  readonly challenge: boolean
  /** What the token would have to allow. */
  readonly scope: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      details?: unknown
      issues?: readonly FieldProblem[]
      subject?: string
      retryAfter?: number
      challenge?: boolean
      scope?: string | undefined
    } = {},
  ) {
    super(message)
    this.code = code
    this.issues = more.issues ?? []
    this.details = more.issues?.map(({ field, issue }) => ({ field, issue })) ?? more.details
    this.subject = more.subject
    this.retryAfter = more.retryAfter
    this.challenge = more.challenge ?? false
    this.scope = more.scope
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }
}

export function invalid(...issues: [FieldProblem, ...FieldProblem[]]): ApiError {
  const message = issues.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  return new ApiError('validation_error', message, { issues })
}

export function notFound(what: string): ApiError {
  return new ApiError('not_found', `There is no such ${what}.`)
}

/** The caller is nobody in particular, and what was asked for is for users. */
export function tokenNeeded(message: string, scope?: string): ApiError {
  return new ApiError('unauthorized', message, { challenge: true, scope })
}

/** What stands beside the reason; the state where it is the state that does not allow it. */
type ConflictDetails<R extends ConflictReason> = R extends 'not_allowed_now'
  ? [details: { status: string; [field: string]: unknown }]
  : [details?: Record<string, unknown>, retryAfter?: number]

export function conflict<R extends ConflictReason>(
  reason: R,
  message: string,
  ...[details, retryAfter]: ConflictDetails<R>
): ApiError {
  return new ApiError('conflict', message, {
    details: { reason, ...details },
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** The state of something, such as an `order`, does not allow this; pages say so in words of their own. */
export function notAllowedNow(subject: string, status: string, message: string): ApiError {
  const details = { reason: 'not_allowed_now' satisfies ConflictReason, status }
  return new ApiError('conflict', message, { details, subject })
}

/** The state of something does not allow this move. */
export function moveNotOpen(move: string, subject: string, status: string): ApiError {
  const article = subject === 'order' ? 'an' : 'a'
  const message = `The move ${move} is not open to ${article} ${subject} that is ${status}.`
  return notAllowedNow(subject, status, message)
}

/** The error body of every JSON surface. */
export function errorBody(error: ApiError, requestId: string) {
  const { code, message, details } = error
  return {
    error: { code, message, request_id: requestId, ...(details !== undefined && { details }) },
  }
}
