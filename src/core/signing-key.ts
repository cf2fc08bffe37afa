import {
  CompactSign,
  type CryptoKey,
  compactVerify,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { inTransaction } from '../db/transaction.ts'
import { fromBase64url } from '../lib/base64url.ts'
import { SECOND } from '../lib/clock.ts'
import { sha256Hex } from '../lib/signature.ts'
import type { Environment } from './caller.ts'
import type { AppContext } from './context.ts'
import type { Tx } from './operation.ts'

/** Signs what partners carry around and anyone may check (JWS, RFC 7515, with EdDSA, RFC 8037). */
export interface SigningKey {
  /**
   * With the newest key.
   * @param header what stands in the protected header beside the key; without a `typ` it is `JWT`
   */
  sign(payload: object, header?: { typ: string; environment?: Environment }): Promise<string>
  /**
   * The `JWT` that was signed of one of these payloads and has this hash, by whichever key; null when none has it. The
   * same key signs the same bytes alike (RFC 8032).
   */
  signAgain(payloads: readonly object[], sha256: string): Promise<string | null>
  /**
   * Returns the payload, or null when we did not sign the token as it is, or for something else than `JWT`. Keys that
   * were replaced still verify.
   */
  verify(token: string): Promise<Record<string, unknown> | null>
  /** What `/.well-known/jwks.json` publishes (RFC 7517): every key that there was, newest first. */
  jwks(): Promise<{ keys: JWK[] }>
}

type Key = CryptoKey | Uint8Array

/** A key of the database, ready to be used. */
interface LoadedKey {
  kid: string
  publicJwk: JWK
  publicKey: Key
  privateKey: Key
}

type Needs = Pick<AppContext, 'db' | 'server' | 'secrets' | 'clock'>

const ALGORITHM = 'EdDSA'
const TYPE = 'JWT'
/** How soon an instance signs with a key that another one has made. */
const FRESH_MS = 2 * SECOND

/** Reads the keys from the database, or makes the first; two instances that start at once agree on one. */
export async function loadSigningKey(app: Needs): Promise<SigningKey> {
  const first = await loadKeys(app)
  let keys = first.length > 0 ? first : await makeFirstKey(app)
  let readAt = performance.now()

  async function reload(): Promise<void> {
    readAt = performance.now()
    keys = await loadKeys(app)
  }

  /** Not waited for: whoever signs is in a transaction, which has the embedded database to itself. */
  function refresh(): void {
    if (performance.now() - readAt > FRESH_MS) reload().catch(() => {})
  }

  async function findSigned(payloads: readonly object[], sha256: string): Promise<string | null> {
    for (const key of keys) {
      for (const payload of payloads) {
        const token = await signWith(key, payload, { typ: TYPE })
        if (sha256Hex(token) === sha256) return token
      }
    }
    return null
  }

  return {
    async sign(payload, header = { typ: TYPE }) {
      refresh()
      const [newest] = keys
      if (!newest) throw new Error('there is no signing key')
      return await signWith(newest, payload, header)
    },
    async signAgain(payloads, sha256) {
      const found = await findSigned(payloads, sha256)
      if (found !== null || app.server.kind === 'embedded') return found
      // Another instance may have made its key a moment ago.
      await reload()
      return await findSigned(payloads, sha256)
    },
    async verify(token) {
      // Another spelling of the same bytes is still another token.
      if (token.split('.').some((part) => fromBase64url(part) === null)) return null
      try {
        const { kid, typ } = decodeProtectedHeader(token)
        if (typ !== TYPE) return null
        const find = () => keys.find((key) => key.kid === kid)
        // Another instance may have made it a moment ago; the embedded database has none.
        if (!find() && app.server.kind !== 'embedded') await reload()
        const key = find()
        if (!key) return null
        const { payload } = await compactVerify(token, key.publicKey, { algorithms: [ALGORITHM] })
        return JSON.parse(Buffer.from(payload).toString())
      } catch {
        return null
      }
    },
    async jwks() {
      // Without the database, those that it had.
      await reload().catch(() => {})
      return { keys: keys.map(({ publicJwk }) => publicJwk) }
    },
  }
}

async function signWith(key: LoadedKey, payload: object, header: object): Promise<string> {
  return await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, ...header })
    .sign(key.privateKey)
}

/** Newest first. */
async function loadKeys({ db, secrets }: Pick<Needs, 'db' | 'secrets'>): Promise<LoadedKey[]> {
  const rows = await db
    .selectFrom('signing_keys')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .execute()
  return await Promise.all(
    rows.map(async ({ kid, public_jwk, private_jwk_sealed }) => {
      const publicJwk: JWK = { ...public_jwk, kid, alg: ALGORITHM, use: 'sig' }
      const privateJwk = JSON.parse(secrets.open(private_jwk_sealed, signingKeyPurpose(kid)))
      return {
        kid,
        publicJwk,
        publicKey: await importJWK(publicJwk, ALGORITHM),
        privateKey: await importJWK(privateJwk, ALGORITHM),
      }
    }),
  )
}

/** What a signing key is sealed for. */
export function signingKeyPurpose(kid: string): string {
  return `signing key ${kid}`
}

/** A new pair; whoever signs from then on uses it. */
export async function newSigningKey({ secrets }: Pick<Needs, 'secrets'>) {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = sha256Hex(JSON.stringify(publicJwk)).slice(0, 16)
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
  return {
    kid,
    public_jwk: JSON.stringify(publicJwk),
    private_jwk_sealed: secrets.seal(privateJwk, signingKeyPurpose(kid)),
  }
}

export async function insertSigningKey(
  tx: Tx,
  now: Date,
  key: Awaited<ReturnType<typeof newSigningKey>>,
): Promise<void> {
  await tx
    .insertInto('signing_keys')
    .values({ ...key, created_at: now })
    .execute()
}

async function makeFirstKey(app: Needs): Promise<LoadedKey[]> {
  const made = await newSigningKey(app)
  await inTransaction(app, async (tx) => {
    const first = await tx
      .insertInto('installation')
      .values({ name: 'signing_key', value: made.kid })
      .onConflict((conflict) => conflict.doNothing())
      .returning('name')
      .executeTakeFirst()
    if (first) await insertSigningKey(tx, app.clock.now(), made)
  })
  const keys = await loadKeys(app)
  if (keys.length === 0) throw new Error('the signing key was not stored')
  return keys
}
