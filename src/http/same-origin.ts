import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import type { FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../core/errors.ts'

/**
 * Rejects what a page of another site had a browser send. `Sec-Fetch-Site` decides where it is sent, since
 * our own pages have no referrer and so the origin `null`; older browsers send an Origin with every POST;
 * whoever sends neither is no browser, and has nobody's cookies.
 */
export function assertSameOrigin(request: FastifyRequest, baseUrl: string): void {
  if (!isOurs(request, baseUrl)) throw foreign()
}

/**
 * The same for a form of our pages. Browsers send no `Sec-Fetch-Site` over plain http, other than to
 * themselves, so that the origin `null` is all that our own forms have there, where other sites' may have it
 * too. They are let in: the session's cookie is SameSite=Lax, so no form of another site comes with it.
 */
export function assertOwnForm(request: FastifyRequest, baseUrl: string): void {
  const { headers } = request
  const isUntold = headers['sec-fetch-site'] === undefined && headers.origin === 'null'
  const tellsNobody = baseUrl.startsWith('http:') && !isLoopbackUrl(baseUrl)
  if (!(isUntold && tellsNobody) && !isOurs(request, baseUrl)) throw foreign()
}

function isOurs({ headers }: FastifyRequest, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined
    ? headers.origin === undefined || headers.origin === new URL(baseUrl).origin
    : site === 'same-origin'
}

function foreign(): ApiError {
  return new ApiError(
    'forbidden',
    'This was sent by a page of another site. Start from our own page.',
  )
}

/** The fields of a form that one of our own pages sent. */
export function readForm(request: FastifyRequest, baseUrl: string): URLSearchParams {
  assertOwnForm(request, baseUrl)
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    throw new ApiError('unsupported_media_type', 'Send the form as a browser does.')
  }
  const form = new URLSearchParams(
    request.body instanceof Uint8Array ? Buffer.from(request.body).toString() : '',
  )
  for (const [field, value] of form) {
    if (value.includes('\u0000') || field.includes('\u0000')) {
      throw invalid({ field: 'form', issue: 'holds a character that is no text' })
    }
  }
  return form
}

/** Where to go on: a path of ours, or the account. Browsers read a backslash as a slash. */
export function pathOf(next: unknown): string {
  const isOurs = typeof next === 'string' && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(next)
  return isOurs ? next : '/account'
}
