import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'

interface ReceiptClaims {
  iss: string
  jti: string
  iat: number
  public_id: string
  domain: string
  price_cents: number
  currency: string
  quote_sha256: string | null
  payment_ref_sha256: string | null
  registrar: { asked: object | null; answered: object | null }
  registry: { before: object | null; after: object | null }
  sold_at: string
  delivered_at: string
}

export interface VerifiedReceipt {
  /** The id of the key that signed it. */
  kid: string
  /** `sandbox` for a test. */
  environment: string
  claims: ReceiptClaims
}

/** What should stand in a receipt, as far as its reader knows it. */
export interface Expected {
  issuer?: string | undefined
  /** The token of the quote that fixed the price. */
  quoteToken?: string | undefined
  paymentRef?: string | undefined
}

/** Why a receipt proves nothing. */
export class BadReceipt extends Error {}

const TYPE = 'delivery-receipt+jwt'
const SHA256 = /^[0-9a-f]{64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Verifies a delivery receipt with the keys of its issuer alone, offline, as docs/guides/delivery-receipts.md has it.
 *
 * @throws BadReceipt
 */
export function verifyReceipt(
  token: string,
  jwks: unknown,
  expected: Expected = {},
): VerifiedReceipt {
  const parts = token.split('.')
  const [header64 = '', payload64 = '', signature64 = ''] = parts
  if (parts.length !== 3) throw new BadReceipt('it is no JWS in compact form')
  const header = parse(header64, 'header')
  const { alg, typ, kid, environment } = header
  if (alg !== 'EdDSA') throw new BadReceipt(`its algorithm is ${String(alg)} instead of EdDSA`)
  if (typ !== TYPE) throw new BadReceipt(`its type is ${String(typ)} instead of ${TYPE}`)
  if ('crit' in header) throw new BadReceipt('it has an extension that is not known here')
  if (typeof kid !== 'string') throw new BadReceipt('it names no key')
  if (environment !== 'live' && environment !== 'sandbox') {
    throw new BadReceipt('it does not say whether it is of a live sale')
  }
  const signed = Buffer.from(`${header64}.${payload64}`)
  if (!verify(null, signed, keyOf(jwks, kid), bytesOf(signature64, 'signature'))) {
    throw new BadReceipt('its signature does not match')
  }
  const claims = claimsOf(parse(payload64, 'payload'))
  assertExpected(claims, expected)
  return { kid, environment, claims }
}

function keyOf(jwks: unknown, kid: string) {
  const keys = (jwks as { keys?: unknown } | null)?.keys
  if (!Array.isArray(keys)) throw new BadReceipt('the keys are no JWK Set')
  const jwk: JsonWebKey | undefined = keys.find((key) => key?.kid === kid)
  if (!jwk) throw new BadReceipt(`its key ${kid} is not among the keys`)
  if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519') {
    throw new BadReceipt(`its key ${kid} is no Ed25519 key`)
  }
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw new BadReceipt(`its key ${kid} is malformed`)
  }
}

/** Another spelling of the same bytes would be another receipt. */
function bytesOf(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new BadReceipt(`its ${what} is no base64url`)
  return bytes
}

function parse(text: string, what: string): Record<string, unknown> {
  const bytes = bytesOf(text, what)
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    throw new BadReceipt(`its ${what} is no JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadReceipt(`its ${what} is no JSON object`)
  }
  return value as Record<string, unknown>
}

const matches = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value)
const isText = matches(/./)
const isTime = matches(TIME)
const isHash = (value: unknown) => value === null || matches(SHA256)(value)
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
/** An object with these keys, each an object or null. */
const isPair = (first: string, second: string) => (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  [first, second].every((key) => typeof (value as Record<string, unknown>)[key] === 'object')

const CLAIMS: Record<keyof ReceiptClaims, (value: unknown) => boolean> = {
  iss: isText,
  jti: isText,
  iat: isCount,
  public_id: isText,
  domain: isText,
  price_cents: isCount,
  currency: matches(/^[A-Z]{3}$/),
  quote_sha256: isHash,
  payment_ref_sha256: isHash,
  registrar: isPair('asked', 'answered'),
  registry: isPair('before', 'after'),
  sold_at: isTime,
  delivered_at: isTime,
}

function claimsOf(payload: Record<string, unknown>): ReceiptClaims {
  for (const [name, isWell] of Object.entries(CLAIMS)) {
    if (!isWell(payload[name])) throw new BadReceipt(`its claim ${name} is missing or malformed`)
  }
  return payload as unknown as ReceiptClaims
}

function assertExpected(claims: ReceiptClaims, { issuer, quoteToken, paymentRef }: Expected) {
  if (issuer !== undefined && claims.iss !== issuer) {
    throw new BadReceipt(`its issuer is ${claims.iss} instead of ${issuer}`)
  }
  if (quoteToken !== undefined && claims.quote_sha256 !== sha256(quoteToken)) {
    throw new BadReceipt('it is of another quote')
  }
  if (paymentRef !== undefined && claims.payment_ref_sha256 !== sha256(paymentRef)) {
    throw new BadReceipt('it is of another payment')
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
