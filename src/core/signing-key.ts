import { CompactSign, compactVerify, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Database } from '../db/dialect.ts'
import { inTransaction } from '../db/transaction.ts'
import { fromBase64url } from '../lib/base64url.ts'
import { sha256Hex } from '../lib/signature.ts'
import type { AppContext } from './context.ts'

/** Signs what partners carry around and anyone may check (JWS, RFC 7515, with EdDSA, RFC 8037). */
export interface SigningKey {
  sign(payload: object): Promise<string>
  /** Answers the payload, or null when we did not sign the token as it is. */
  verify(token: string): Promise<Record<string, unknown> | null>
  /** What `/.well-known/jwks.json` publishes (RFC 7517). */
  readonly jwks: { keys: JWK[] }
}

const ALGORITHM = 'EdDSA'

/** Reads the key from the database, or makes it; two instances that start at once agree on one. */
export async function loadSigningKey(
  app: Pick<AppContext, 'db' | 'server' | 'secrets' | 'clock'>,
): Promise<SigningKey> {
  const { secrets } = app
  const stored = (await readKey(app.db)) ?? (await makeKey(app))
  const publicJwk: JWK = {
    ...stored.public_jwk,
    kid: stored.kid,
    alg: ALGORITHM,
    use: 'sig',
  }
  const privateJwk = JSON.parse(
    secrets.open(stored.private_jwk_sealed, `signing key ${stored.kid}`),
  )
  const privateKey = await importJWK(privateJwk, ALGORITHM)
  const publicKey = await importJWK(publicJwk, ALGORITHM)
  return {
    jwks: { keys: [publicJwk] },
    sign: (payload) =>
      new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: ALGORITHM, kid: stored.kid, typ: 'JWT' })
        .sign(privateKey),
    async verify(token) {
      // Another spelling of the same bytes is still another token.
      if (token.split('.').some((part) => fromBase64url(part) === null)) return null
      try {
        const { payload } = await compactVerify(token, publicKey, { algorithms: [ALGORITHM] })
        return JSON.parse(Buffer.from(payload).toString())
      } catch {
        return null
      }
    },
  }
}

async function readKey(db: Database) {
  return await db.selectFrom('signing_keys').selectAll().orderBy('created_at').executeTakeFirst()
}

async function makeKey(app: Pick<AppContext, 'db' | 'server' | 'secrets' | 'clock'>) {
  const { db, secrets, clock } = app
  const pair = await generateKeyPair(ALGORITHM, { extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = sha256Hex(JSON.stringify(publicJwk)).slice(0, 16)
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
  await inTransaction(app, async (tx) => {
    const first = await tx
      .insertInto('installation')
      .values({ name: 'signing_key', value: kid })
      .onConflict((conflict) => conflict.doNothing())
      .returning('name')
      .executeTakeFirst()
    if (!first) return
    await tx
      .insertInto('signing_keys')
      .values({
        kid,
        public_jwk: JSON.stringify(publicJwk),
        private_jwk_sealed: secrets.seal(privateJwk, `signing key ${kid}`),
        created_at: clock.now(),
      })
      .execute()
  })
  const key = await readKey(db)
  if (!key) throw new Error('the signing key was not stored')
  return key
}
