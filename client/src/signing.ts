import { hex, hmac } from './hmac.ts'

const encoder = new TextEncoder()

/** What a signature covers, each as it goes over the wire. */
export interface SignedParts {
  /** Upper-case HTTP verb. */
  method: string
  /** The raw path, without the query. */
  path: string
  /** All that follows the first `?` of the target; empty if nothing does. */
  rawQuery: string
  /** Unix seconds. */
  timestamp: string
  nonce: string
  body: Uint8Array<ArrayBuffer>
}

/** A query as it is signed: read, sorted by key and value in code point order, and written again. */
export function canonicalQuery(rawQuery: string): string {
  // WHATWG's reading: + is a space, and a % without two hex digits stays as it is.
  return [...new URLSearchParams(`?${rawQuery}`)]
    .toSorted(([a, b], [c, d]) => compare(a, c) || compare(b, d))
    .map((pair) => pair.map(encode).join('='))
    .join('&')
}

/** Percent-encodes all but A-Z a-z 0-9 - . _ ~ */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** By code points, where JavaScript compares UTF-16 units. */
function compare(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** The six lines that a partner signs. */
export async function canonicalString(parts: SignedParts): Promise<string> {
  const hashed = parts.method === 'GET' || parts.method === 'HEAD' ? new Uint8Array() : parts.body
  const digest = await crypto.subtle.digest('SHA-256', hashed)
  return [
    parts.method,
    parts.path,
    canonicalQuery(parts.rawQuery),
    parts.timestamp,
    parts.nonce,
    hex(digest),
  ].join('\n')
}

/** The header fields that sign a request. */
export async function signatureHeaders(
  { keyId, secret }: { keyId: string; secret: string },
  parts: SignedParts,
): Promise<Record<string, string>> {
  const signature = await hmac(encoder.encode(secret), await canonicalString(parts))
  return {
    'X-Service-Key-Id': keyId,
    'X-Service-Timestamp': parts.timestamp,
    'X-Service-Nonce': parts.nonce,
    'X-Service-Signature': `v1=${hex(signature)}`,
  }
}
