import { encodeStrictly, queryPairs, sortedPairs } from '../../lib/canonical-query.ts'
import {
  type CanonicalLines,
  canonicalLines,
  hmacHex,
  joinLines,
  type SignedParts,
  sha256Hex,
} from '../../lib/signature.ts'

export interface SignedRequest extends SignedParts {
  /** The query as sent, for a partner that signed it so. */
  rawQuery: string
  /** The host that it was sent to, for a partner that signed the whole address. */
  host?: string | undefined
}

/**
 * What is longer is not hashed, or written, over and over: anybody may send a wrong signature. An indented body
 * takes its length times its depth, and no body of this API is nested deeper.
 */
const MAX_STRING = 2_048
const MAX_BODY = 16 * 1024
const MAX_DEPTH = 8

interface Mistake {
  cause: string
  /** The lines that whoever made it signed otherwise. */
  signed?: Partial<CanonicalLines>
  key?: string
}

/**
 * Helps a sandbox partner whose signature is wrong: our canonical string to compare with, and the
 * likely cause when repeating a common mistake gives the very signature that was sent. It never shows
 * the right signature.
 */
export function explainSignature(
  keyId: string,
  secret: string,
  request: SignedRequest,
  signature: string,
): { canonical_string: string; likely_cause: string | null } {
  // The body is hashed once, and not for each mistake.
  const lines = canonicalLines(request)
  const canonical_string = joinLines(lines)
  const sent = signature.replace(/^v1=/, '')
  const isMistake = ({ signed = {}, key = secret }: Mistake) =>
    hmacHex(key, joinLines({ ...lines, ...signed })) === sent.toLowerCase()
  let likely_cause =
    mistakes(keyId, request, canonical_string.length > MAX_STRING).find(isMistake)?.cause ?? null
  if (hmacHex(secret, canonical_string) === sent.toLowerCase()) {
    likely_cause = signature.startsWith('v1=')
      ? 'The signature is in upper-case hex instead of lower-case.'
      : 'The signature lacks its prefix "v1=".'
  } else if (hmacHex(secret, `${canonical_string}\n`) === sent.toLowerCase()) {
    likely_cause = 'The canonical string was signed with a newline at its end.'
  }
  return { canonical_string, likely_cause }
}

export const BODY_CHANGED =
  'The body was changed after it was hashed: hash the very bytes that you send.'
const MILLISECONDS = 'The timestamp was signed in milliseconds instead of seconds.'

function mistakes(keyId: string, request: SignedRequest, isLong: boolean): Mistake[] {
  const { path, rawQuery, timestamp, body, host } = request
  const withQuery = rawQuery === '' ? path : `${path}?${rawQuery}`
  return [
    { cause: 'The key id was used as the HMAC key instead of the secret.', key: keyId },
    ...['/api', '/api/partner', '/api/partner/v1']
      .filter((base) => path.startsWith(`${base}/`))
      .map((base) => ({
        cause: `The path was signed without ${base}.`,
        signed: { path: path.slice(base.length) },
      })),
    ...['http', 'https'].flatMap((scheme) =>
      [path, withQuery].map((sent) => ({
        cause: 'The whole address was signed: of it only the path, and the query on its own line.',
        signed: { path: `${scheme}://${host}${sent}`, ...(sent !== path && { query: '' }) },
      })),
    ),
    {
      cause:
        'The path was signed with a slash at its end that was not sent, or without one that was.',
      signed: { path: path.endsWith('/') ? path.slice(0, -1) : `${path}/` },
    },
    {
      cause: 'The query was signed as part of the path: it has a line of its own.',
      signed: { path: withQuery, query: '' },
    },
    { cause: 'The path was signed with the query.', signed: { path: withQuery } },
    ...otherQueries(rawQuery).map((query) => ({
      cause:
        'The query was signed in another order or encoding: sort its pairs by key, then value, and encode them as the canonical query.',
      signed: { query },
    })),
    { cause: 'The query was left out of the canonical string.', signed: { query: '' } },
    {
      cause: 'The query was signed with its question mark.',
      signed: { query: `?${request.query}` },
    },
    {
      cause: 'The method was signed in lower case.',
      signed: { method: request.method.toLowerCase() },
    },
    { cause: 'The body was left out of the signature.', signed: { bodyHash: sha256Hex('') } },
    ...reserialised(body).map((text) => ({
      cause: BODY_CHANGED,
      signed: { bodyHash: sha256Hex(text) },
    })),
    ...Array.from({ length: isLong ? 0 : 1_000 }, (_, ms) => ({
      cause: MILLISECONDS,
      signed: { timestamp: `${timestamp}${String(ms).padStart(3, '0')}` },
    })),
  ]
}

/** What programs make of the same pairs: as they came or sorted, either way round, in each of the usual encodings. */
function otherQueries(rawQuery: string): string[] {
  const pairs = queryPairs(rawQuery)
  const encodings = [
    encodeStrictly,
    encodeURIComponent,
    (text: string) => new URLSearchParams([['', text]]).toString().slice(1),
    (text: string) => text,
  ]
  const orders = [pairs, sortedPairs(pairs)].flatMap((order) => [order, order.toReversed()])
  const written = orders.flatMap((order) =>
    encodings.map((encode) =>
      order.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&'),
    ),
  )
  return [rawQuery, rawQuery.split('&').toSorted().join('&'), ...written]
}

/** What JSON libraries make of the same body: compact, or with a space after each colon and comma. */
function reserialised(body: Uint8Array): string[] {
  const text = Buffer.from(body).toString()
  if (body.length > MAX_BODY || isDeep(text)) return []
  try {
    const value: unknown = JSON.parse(text)
    const spaced = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
    return [
      JSON.stringify(value),
      `${JSON.stringify(value)}\n`,
      JSON.stringify(value, null, 2),
      spaced.replace(/([[{]) /g, '$1').replace(/ ([\]}])/g, '$1'),
    ]
  } catch {
    return []
  }
}

function isDeep(json: string): boolean {
  let depth = 0
  for (const character of json) {
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}
