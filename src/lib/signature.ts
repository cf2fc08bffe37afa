import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** The parts of a request that its signature covers, each exactly as it went over the wire. */
export interface SignedParts {
  /** Upper-case HTTP verb. */
  method: string
  /** The raw path, without normalisation and without the query. */
  path: string
  /** The canonical query string, or empty. */
  query: string
  timestamp: string
  nonce: string
  /** The raw body; empty for GET and HEAD. */
  body: Uint8Array
}

const EMPTY_SHA256 = sha256Hex(new Uint8Array())

/** The lines of the canonical string: in place of the body the hex SHA-256 of it. */
export interface CanonicalLines extends Omit<SignedParts, 'body'> {
  bodyHash: string
}

export function canonicalLines(parts: SignedParts): CanonicalLines {
  const { method, path, query, timestamp, nonce, body } = parts
  const bodyHash = body.length === 0 ? EMPTY_SHA256 : sha256Hex(body)
  return { method, path, query, timestamp, nonce, bodyHash }
}

/** The six lines that a partner signs (service.md, Authentication). */
export function joinLines(lines: CanonicalLines): string {
  const { method, path, query, timestamp, nonce, bodyHash } = lines
  return [method, path, query, timestamp, nonce, bodyHash].join('\n')
}

export function canonicalString(parts: SignedParts): string {
  return joinLines(canonicalLines(parts))
}

/** Lower-case hex HMAC-SHA256, keyed with the UTF-8 bytes of the secret. */
export function hmacHex(secret: string, message: string | Uint8Array): string {
  return createHmac('sha256', secret).update(message).digest('hex')
}

/** The value of `X-Service-Signature` for a partner request. */
export function requestSignature(secret: string, canonical: string): string {
  return `v1=${hmacHex(secret, canonical)}`
}

/** Compares two strings in a time that does not tell how much of their beginnings is the same. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
