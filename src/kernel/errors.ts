/** Every error code of the JSON surfaces, with its HTTP status (contract, section 2). */
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
  credential_not_active: 403,
  partner_not_active: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  price_mismatch: 422,
  quote_expired: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export interface FieldIssue {
  field: string
  issue: string
}

/** An answer that is not the one asked for: thrown anywhere, turned into the error body by the surface. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: unknown
  /** Seconds after which the same request may succeed; sent as `Retry-After`. */
  readonly retryAfter: number | undefined
  /** Whether a token would help: sent as `WWW-Authenticate`. */
  readonly challenge: boolean

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: unknown; retryAfter?: number; challenge?: boolean } = {},
  ) {
    super(message)
    this.code = code
    this.details = more.details
    this.retryAfter = more.retryAfter
    this.challenge = more.challenge ?? false
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }
}

export function invalid(...issues: [FieldIssue, ...FieldIssue[]]): Refusal {
  const message = issues.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  return new Refusal('validation_error', message, { details: issues })
}

export function notFound(what: string): Refusal {
  return new Refusal('not_found', `There is no such ${what}.`)
}

/** The caller is nobody in particular, and what was asked for is for users. */
export function tokenNeeded(message: string): Refusal {
  return new Refusal('unauthorized', message, { challenge: true })
}

export function conflict(message: string, details?: unknown): Refusal {
  return new Refusal('conflict', message, { details })
}

/** The error body of every JSON surface. */
export function errorBody(refusal: Refusal, requestId: string) {
  const { code, message, details } = refusal
  return {
    error: { code, message, request_id: requestId, ...(details !== undefined && { details }) },
  }
}
