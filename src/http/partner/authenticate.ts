import type { IncomingMessage } from 'node:http'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { type Credential, loadCredentials } from '../../domain/partners/credential.ts'
import { batcher } from '../../lib/batcher.ts'
import { canonicalQuery, type QueryPair, queryPairs } from '../../lib/canonical-query.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { canonicalString, equalInConstantTime, requestSignature } from '../../lib/signature.ts'
import { BODY_CHANGED, explainSignature, type SignedRequest } from './explain-signature.ts'

export const TIMESTAMP_SKEW_SECONDS = 300
const MAX_CACHED = 10_000
/** As the specification spells them, and as they are looked up. */
const HEADERS = [
  'X-Service-Key-Id',
  'X-Service-Timestamp',
  'X-Service-Nonce',
  'X-Service-Signature',
].map((name) => ({ name, key: name.toLowerCase() }))
const NONCE = /^[\x21-\x7e]{8,128}$/
/** Signs for key ids that do not exist, so that they cost the same work. */
const NOBODY = 'sk_nobody'

/** A request whose signature is right. Its nonce is still to be spent. */
export interface Authenticated {
  credential: Credential
  nonce: string
  /** Unix seconds. */
  timestamp: number
  /** The decoded query, which is what was signed. */
  query: QueryPair[]
  /** The raw path, which is what was signed. */
  path: string
}

/** Carries what was checked, for whoever helps to find the mistake. */
export class WrongSignature extends ApiError {
  readonly signed: SignedRequest
  readonly signature: string

  constructor(signed: SignedRequest, signature: string, details: unknown) {
    super(
      'invalid_signature',
      'The signature does not match the request. Check the secret and the canonical string.',
      { details },
    )
    this.signed = signed
    this.signature = signature
  }
}

export interface Authenticator {
  authenticate(request: IncomingMessage, body: Uint8Array, now: Date): Promise<Authenticated>
  /** The credential as the database has it now; what was cached is stale. */
  refresh(keyId: string): Promise<Credential | undefined>
}

/** Checks signed requests in the order of contract section 3, up to the signature. */
export function createAuthenticator(app: AppContext): Authenticator {
  const cache = new Map<string, Credential>()
  const load = batcher((keyIds: string[]) => loadCredentials(app.db, app.secrets, keyIds))

  async function refresh(keyId: string): Promise<Credential | undefined> {
    const credential = await load(keyId)
    if (credential) {
      if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '')
      cache.set(keyId, credential)
    }
    return credential
  }

  return {
    refresh,
    async authenticate(request, body, now) {
      const [keyId, timestamp, nonce, signature] = readHeaders(request)
      assertFresh(timestamp, now)
      const { path, rawQuery } = splitTarget(request.url ?? '')
      const query = queryPairs(rawQuery)
      const method = request.method ?? ''
      const signed: SignedRequest = {
        method,
        path,
        rawQuery,
        host: request.headers.host,
        query: canonicalQuery(query),
        timestamp,
        nonce,
        body: method === 'GET' || method === 'HEAD' ? new Uint8Array() : body,
      }
      const canonical = canonicalString(signed)
      const accept = (credential: Credential | undefined): credential is Credential =>
        credential !== undefined && isSignedBy(credential, canonical, signature, now)
      let credential = cache.get(keyId)
      // A cached credential may have been rotated since: look once more before rejecting.
      if (!accept(credential)) credential = await refresh(keyId)
      if (accept(credential)) {
        return { credential, nonce, timestamp: Number(timestamp), query, path }
      }
      if (!credential) requestSignature(NOBODY, canonical)
      throw wrongSignature(credential, signed, signature)
    },
  }
}

function readHeaders(request: IncomingMessage): [string, string, string, string] {
  if (request.headers['x-service-key-id'] === undefined) {
    throw new ApiError(
      'missing_credentials',
      'Send your key id in X-Service-Key-Id, and sign the request.',
    )
  }
  const counts = new Map<string, number>()
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]?.toLowerCase() ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const values = HEADERS.map(({ name, key }) => {
    const value = request.headers[key]
    if (typeof value !== 'string' || value === '' || counts.get(key) !== 1) {
      throw new ApiError('missing_signature_headers', `Send ${name} once, and not empty.`)
    }
    return value
  }) as [string, string, string, string]
  if (!NONCE.test(values[2])) {
    throw new ApiError(
      'missing_signature_headers',
      'X-Service-Nonce must be 8 to 128 visible ASCII characters, such as a UUID.',
    )
  }
  return values
}

function assertFresh(timestamp: string, now: Date): void {
  if (!/^\d{10}$/.test(timestamp)) {
    const milliseconds = /^\d{13}$/.test(timestamp) ? ' This one looks like milliseconds.' : ''
    throw new ApiError(
      'invalid_timestamp',
      `X-Service-Timestamp must be Unix time in seconds, 10 digits.${milliseconds}`,
    )
  }
  const skew = Math.abs(Number(timestamp) - unixSeconds(now))
  if (skew > TIMESTAMP_SKEW_SECONDS) {
    throw new ApiError(
      'invalid_timestamp',
      `X-Service-Timestamp is more than ${TIMESTAMP_SKEW_SECONDS} s from the server's time.`,
    )
  }
}

/**
 * The target exactly as sent: nothing is decoded, folded or resolved before it is signed. Of an absolute
 * one (RFC 9112, 3.2.2) what follows the host.
 */
function splitTarget(sent: string): { path: string; rawQuery: string } {
  const target = sent.startsWith('/') ? sent : sent.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, rawQuery: '' }
    : { path: target.slice(0, mark), rawQuery: target.slice(mark + 1) }
}

function isSignedBy(
  credential: Credential,
  canonical: string,
  signature: string,
  now: Date,
): boolean {
  return credential.secrets.some(
    ({ secret, expiresAt }) =>
      (expiresAt === null || expiresAt > now) &&
      equalInConstantTime(requestSignature(secret, canonical), signature),
  )
}

/** The same for a wrong signature and an unknown key id; the sandbox adds what helps to mend it. */
function wrongSignature(
  credential: Credential | undefined,
  signed: SignedRequest,
  signature: string,
): ApiError {
  if (credential?.environment !== 'sandbox') return new WrongSignature(signed, signature, undefined)
  const { keyId, secrets } = credential
  const said = explainSignature(keyId, secrets[0]?.secret ?? '', signed, signature)
  // Nobody can find the bytes that a body was before, but no other common mistake is left.
  const likely_cause =
    said.likely_cause ??
    (signed.body.length > 0 ? `If the secret is the right one: ${BODY_CHANGED}` : null)
  return new WrongSignature(signed, signature, { ...said, likely_cause })
}
