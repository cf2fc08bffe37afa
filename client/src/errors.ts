import type { ErrorCode } from './types.ts'

/**
 * What every error of this library is. An ES module and a CommonJS module get classes of their own: across them, compare
 * `name` instead of using `instanceof`.
 */
export class MarketplaceError extends Error {
  override readonly name: string = 'MarketplaceError'
}

/**
 * The service rejected: `code` says why, and `requestId` names the request to whoever looks into it. The code is
 * `unknown` when something else answered in its place.
 */
export class ApiError extends MarketplaceError {
  override readonly name = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  readonly code: ErrorCode
  /** What the operator finds the request by; null when no service of ours answered. */
  readonly requestId: string | null
  /** Of a `validation_error` an array of `{field, issue}`; else whatever helps to mend the request. */
  readonly details: unknown
  /** Seconds after which the same request may succeed, if the service said so. */
  readonly retryAfter: number | null

  constructor(answer: {
    status: number
    code: ErrorCode
    message: string
    requestId: string | null
    details?: unknown
    retryAfter: number | null
  }) {
    super(answer.message)
    this.status = answer.status
    this.code = answer.code
    this.requestId = answer.requestId
    this.details = answer.details
    this.retryAfter = answer.retryAfter
  }
}

/** No whole answer came: the connection failed or broke off. Whether the request took effect is not known. */
export class ConnectionError extends MarketplaceError {
  override readonly name: string = 'ConnectionError'
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

/** A webhook whose signature or time is wrong: answer it with 400, and do nothing else. */
export class WebhookVerificationError extends MarketplaceError {
  override readonly name = 'WebhookVerificationError'
}
