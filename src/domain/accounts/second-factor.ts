import { randomInt } from 'node:crypto'
import type { Selectable } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { conflict, invalid, notFound } from '../../core/errors.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { sha256 } from '../../lib/signature.ts'
import { secondFactorMail } from './mails/second-factor.ts'
import { lockUser, type User } from './user.ts'

export type SecondFactor = Selectable<Schema['second_factors']>

/** RFC 6238 with what every app has: SHA-1, six digits, 30 seconds. */
const PERIOD_SECONDS = 30
/** One step behind and one ahead, for clocks that differ. */
const WINDOW = 1
const MAX_FACTORS = 10
const CODES = 10
/** Without letters and digits that look alike: 16 of them hold 80 bits. */
const ALPHABET = 'abcdefghjkmnpqrstvwxyz23456789'
const CODE_LENGTH = 16

interface Context {
  tx: Tx
  now: Date
  secrets: SecretBox
}

/** The factors that a user has shown to work, oldest first. */
export async function listFactors(
  db: Pick<Tx, 'selectFrom'>,
  userId: string,
): Promise<SecondFactor[]> {
  return await db
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .orderBy('factor_id')
    .execute()
}

/** An app that is being set up: its secret as people type it, and as a link for a QR code. */
export interface NewApp {
  factorId: string
  secret: string
  uri: string
}

/** Begins with an authenticator app; it counts once a code of it was typed. */
export async function beginApp(
  { tx, now, secrets }: Context,
  user: Pick<User, 'id' | 'email'>,
  issuer: string,
): Promise<NewApp> {
  await tx
    .deleteFrom('second_factors')
    .where('user_id', '=', user.id)
    .where('confirmed_at', 'is', null)
    .execute()
  const factorId = newId('fac', now)
  const secret = new Secret({ size: 20 })
  await insertFactor(tx, user.id, {
    factor_id: factorId,
    kind: 'totp',
    label: 'Authenticator app',
    secret: secrets.seal(secret.base32, factorPurpose(factorId)),
    confirmed_at: null,
    created_at: now,
  })
  return { factorId, secret: secret.base32, uri: totpOf(secret, issuer, user.email).toString() }
}

/** The same again, for a page that is shown again. */
export async function appBeingSetUp(
  { tx, secrets }: Omit<Context, 'now'>,
  user: Pick<User, 'id' | 'email'>,
  factorId: string,
  issuer: string,
): Promise<NewApp> {
  const factor = await findFactor(tx, user.id, factorId)
  const secret = Secret.fromBase32(secretOf(secrets, factor))
  return { factorId, secret: secret.base32, uri: totpOf(secret, issuer, user.email).toString() }
}

/** Ends the setup of an app with a code that it shows. */
export async function confirmApp(
  { tx, now, secrets }: Context,
  user: User,
  factorId: string,
  code: string,
): Promise<void> {
  await lockUser(tx, user.id)
  const factor = await findFactor(tx, user.id, factorId)
  if (factor.confirmed_at !== null) return
  if (!(await useCode({ tx, now, secrets }, factor, code))) {
    throw invalid({ field: 'code', issue: 'is not the code that the app shows now' })
  }
  await tx
    .updateTable('second_factors')
    .set({ confirmed_at: now })
    .where('factor_id', '=', factorId)
    .execute()
  await tell(tx, now, user, 'An authenticator app was added')
}

/** Adds a factor, and holds the user to no more than they can look through. */
export async function insertFactor(
  tx: Tx,
  userId: string,
  factor: Pick<SecondFactor, 'factor_id' | 'kind' | 'label' | 'confirmed_at' | 'created_at'> &
    Partial<SecondFactor>,
): Promise<void> {
  if ((await listFactors(tx, userId)).length >= MAX_FACTORS) {
    throw conflict('limit_reached', `There are ${MAX_FACTORS} of them. Remove one first.`)
  }
  await tx
    .insertInto('second_factors')
    .values({ ...factor, user_id: userId })
    .execute()
}

export async function removeFactor(tx: Tx, now: Date, user: User, factorId: string): Promise<void> {
  await lockUser(tx, user.id)
  const factor = await findFactor(tx, user.id, factorId)
  await tx.deleteFrom('second_factors').where('factor_id', '=', factorId).execute()
  if ((await listFactors(tx, user.id)).length === 0) {
    await tx.deleteFrom('recovery_codes').where('user_id', '=', user.id).execute()
  }
  await tell(tx, now, user, `${factor.label} was removed`)
}

/** Removes all factors and recovery codes of a user, and returns how many factors there were. */
export async function removeFactors(tx: Tx, userId: string): Promise<number> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const removed = await tx
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .returning('confirmed_at')
    .execute()
  return removed.filter(({ confirmed_at }) => confirmed_at !== null).length
}

/**
 * Whether a code is one that an app of the user shows now, or a recovery code of theirs. Each works once: a code that
 * was seen over a shoulder opens nothing any more.
 */
export async function useAnyCode(
  { tx, now, secrets }: Context,
  userId: string,
  given: string,
): Promise<boolean> {
  const code = given.replace(/[\s-]/g, '').toLowerCase()
  if (/^\d{6}$/.test(code)) {
    for (const factor of await listFactors(tx, userId)) {
      if (factor.kind === 'totp' && (await useCode({ tx, now, secrets }, factor, code))) return true
    }
    return false
  }
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', sha256(code))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes new recovery codes; those before work no more. */
export async function newRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  await lockUser(tx, userId)
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const codes = Array.from({ length: CODES }, () =>
    Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  )
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: sha256(code), used_at: null })))
    .execute()
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'))
}

export async function recoveryCodesLeft(db: Database, userId: string): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select((row) => row.fn.countAll<number>().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return left
}

/** Tells the user, who may not be the one who did it. */
export async function tell(tx: Tx, now: Date, user: User, what: string): Promise<void> {
  await tx.executeQuery(queueMail(tx, now, { to: user.email, ...secondFactorMail(what) }))
}

async function findFactor(tx: Tx, userId: string, factorId: string): Promise<SecondFactor> {
  const factor = await tx
    .selectFrom('second_factors')
    .selectAll()
    .where('factor_id', '=', factorId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!factor) throw notFound('second factor')
  return factor
}

/** Uses a code of an app up, with all that it showed before. */
async function useCode(
  { tx, now, secrets }: Context,
  factor: SecondFactor,
  code: string,
): Promise<boolean> {
  const totp = totpOf(Secret.fromBase32(secretOf(secrets, factor)), '', '')
  const delta = totp.validate({
    token: code.replace(/\s/g, ''),
    timestamp: now.getTime(),
    window: WINDOW,
  })
  if (delta === null) return false
  const step = Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta
  const { numUpdatedRows } = await tx
    .updateTable('second_factors')
    .set({ last_step: step, last_used_at: now })
    .where('factor_id', '=', factor.factor_id)
    .where((row) => row.or([row('last_step', 'is', null), row('last_step', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function totpOf(secret: Secret, issuer: string, label: string): TOTP {
  return new TOTP({ issuer, label, secret, period: PERIOD_SECONDS })
}

function secretOf(secrets: SecretBox, { factor_id, secret }: SecondFactor): string {
  if (secret === null) throw notFound('authenticator app')
  return secrets.open(secret, factorPurpose(factor_id))
}

/** What it is sealed for. */
export function factorPurpose(factorId: string): string {
  return `second factor ${factorId}`
}
