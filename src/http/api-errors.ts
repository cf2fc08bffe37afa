import type { FastifyError, FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../core/errors.ts'
import { DatabaseUnavailable, isLockTimeout } from '../db/server.ts'

export const BODY_LIMIT = 256 * 1024
export const BROKEN_OFF = invalid({ field: 'body', issue: 'broke off' })
const RETRY_AFTER_SECONDS = 2

/** The header fields that an error brings along. */
export function errorHeaders(
  error: ApiError,
  baseUrl: string,
  /** The path of the resource that was asked, where its metadata say so themselves. */
  resource = '',
): Record<string, string> {
  const { code, message, retryAfter, challenge, scope } = error
  const isNamed = code === 'invalid_token' || code === 'insufficient_scope'
  // RFC 6750, section 3: an error is named only when a token was sent. RFC 9728, section 5.1.
  const parameters = [
    `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${resource}"`,
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
    ...(isNamed ? [`error="${code}"`, `error_description="${message}"`] : []),
  ]
  return {
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
    ...(challenge && { 'WWW-Authenticate': `Bearer ${parameters.join(', ')}` }),
  }
}

export function toApiError(error: unknown, bodyLimit = BODY_LIMIT): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof DatabaseUnavailable || isLockTimeout(error)) {
    return new ApiError('unavailable', 'The service cannot respond at the moment. Try again.', {
      retryAfter: RETRY_AFTER_SECONDS,
    })
  }
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('payload_too_large', `A body may have ${bodyLimit / 1024} KiB at most.`)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type', 'Send the body as application/json.')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return invalid({ field: 'path', issue: 'is not a well-formed path of this API' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalid({ field: 'body', issue: 'does not have the length that Content-Length says' })
    default:
      return isClientError(error)
        ? invalid({ field: 'request', issue: 'is not well-formed' })
        : new ApiError('internal_error', 'Something went wrong on our side. Try again later.')
  }
}

/** The framework's own errors, of which only some have a code above. */
function isClientError(error: unknown): boolean {
  const { code, statusCode = 500 } = error as Partial<FastifyError>
  return code?.startsWith('FST_') === true && statusCode >= 400 && statusCode < 500
}

/** The sender hung up before its body was complete: nobody reads the response, and nothing is wrong here. */
export function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}
