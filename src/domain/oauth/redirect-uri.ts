const MAX_LENGTH = 2_000
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/
/** What a browser would run, read or fetch itself instead of handing it to an app. */
const NEVER =
  /^(?:javascript|data|vbscript|file|blob|about|filesystem|view-source|ftp|ws|wss|mailto|tel|sms|urn|intent|https?):/i

/** Why a client may not be sent to this address, or null (RFC 8252, section 7). */
export function redirectUriProblem(uri: string): string | null {
  if (uri.length > MAX_LENGTH) return `has more than ${MAX_LENGTH} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri) || !URL.canParse(uri)) {
    return 'is not a URL'
  }
  if (uri.includes('#')) return 'has a fragment'
  const { protocol, username, password, hostname } = new URL(uri)
  if (username !== '' || password !== '') return 'holds credentials'
  if (protocol === 'https:') return /^https:\/\/[^/]/i.test(uri) && hostname ? null : 'is not a URL'
  if (protocol === 'http:')
    return LOOPBACK.test(uri) ? null : 'must use https, unless it is loopback'
  // A private-use scheme is a reversed domain, or at least has an authority of the app's own.
  const isPrivate = !NEVER.test(uri) && (protocol.includes('.') || uri.includes('://'))
  return isPrivate ? null : 'has a scheme that is neither https nor private to an app'
}

/**
 * Whether a client may be sent there: the very characters that were registered, but for the port of a
 * loopback address, which an app gets only when it listens (RFC 8252, 7.3; RFC 9700, 2.1).
 */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  return registered.some((known) => known === uri || withoutPort(known) === withoutPort(uri))
}

function withoutPort(uri: string): string | symbol {
  const host = LOOPBACK.exec(uri)
  // What has no port to leave out, or one that there is not, equals nothing but itself.
  if (!host || !URL.canParse(uri)) return Symbol(uri)
  return `http://${host[1]}${uri.slice(host[0].length)}`
}
