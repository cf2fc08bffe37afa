import { z } from 'zod'
import type { Actor, Presence } from '../../core/caller.ts'
import { ApiError, conflict, notFound } from '../../core/errors.ts'
import { emailField, iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { ROLES } from '../../core/roles.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'

export type User = Schema['users']

/** Addresses are compared in lower case, as every mailbox that people use does. */
export const accountEmailField = emailField.transform((email) => email.toLowerCase())

export const UserView = z.object({
  user_id: z.string(),
  email: z.string(),
  email_confirmed: z.boolean(),
  operator: z.boolean(),
  role: z.enum(ROLES).nullable().describe('What the operator may do; null of everybody else.'),
  partner_id: z.string().nullable(),
  affiliate_id: z.string().nullable(),
  disabled: z.boolean(),
  created_at: timestamp,
})

export function viewUser(row: User): z.output<typeof UserView> {
  return {
    user_id: row.id,
    email: row.email,
    email_confirmed: row.email_confirmed_at !== null,
    operator: row.is_operator,
    role: row.role,
    partner_id: row.partner_id,
    affiliate_id: row.affiliate_id,
    disabled: row.disabled_at !== null,
    created_at: iso(row.created_at),
  }
}

/** An operator who acts by their session. */
export function operatorOf({
  user: { id, email, role },
  presence,
}: {
  user: Pick<User, 'id' | 'email' | 'role'>
  presence: Presence
}): Actor {
  if (role === null) throw new ApiError('forbidden', 'Only operators can do this.')
  return { userId: id, name: email, person: id, role, presence }
}

/** Makes an account, or rejects since the address has one. */
export async function insertUser(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  { email, passwordHash, confirmed }: { email: string; passwordHash: string; confirmed: boolean },
): Promise<User> {
  const row = await tx
    .insertInto('users')
    .values({
      id: newId('usr', now),
      email,
      email_confirmed_at: confirmed ? now : null,
      password_hash: passwordHash,
      is_operator: false,
      role: null,
      partner_id: null,
      affiliate_id: null,
      created_at: now,
      disabled_at: null,
      failed_sign_ins: 0,
    })
    .onConflict((known) => known.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw conflict('already_exists', `There is an account of ${email} already.`)
  return row
}

export async function userByEmail(
  db: Pick<Tx, 'selectFrom'>,
  email: string,
): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst()
}

/** The user's row, or `not_found`. */
export async function mustFindUser(db: Pick<Tx, 'selectFrom'>, userId: string): Promise<User> {
  const row = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!row) throw notFound('user')
  return row
}

/** The same, held for this transaction: whoever else would change the account waits. */
export async function lockUser(tx: Tx, userId: string): Promise<User> {
  const row = await tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('user')
  return row
}

/** Rejects what must wait until it is known that the account is that of its address's owner. */
export function assertConfirmed({ email_confirmed_at }: Pick<User, 'email_confirmed_at'>): void {
  if (email_confirmed_at !== null) return
  throw conflict(
    'not_allowed_now',
    'Please confirm your e-mail address first: we have sent you a link.',
    { status: 'unconfirmed' },
  )
}

/** The address of an account by which what was written to it is the account's; null until its owner has confirmed it. */
export function confirmedEmail({
  email,
  email_confirmed_at,
}: Pick<User, 'email' | 'email_confirmed_at'>): string | null {
  return email_confirmed_at === null ? null : email
}

export async function isDisabled(db: Pick<Tx, 'selectFrom'>, userId: string): Promise<boolean> {
  return (await mustFindUser(db, userId)).disabled_at !== null
}

/** A password was reset, or a token made: what is listed for sale soon after is held back for a while. */
export async function noteNewAccess(tx: Tx, now: Date, userId: string): Promise<void> {
  await tx.updateTable('users').set({ access_changed_at: now }).where('id', '=', userId).execute()
}

/** A new password ends whatever the old one had opened, but for the session that changed it. */
export async function setPassword(
  tx: Tx,
  userId: string,
  passwordHash: string,
  keepSession: string | null = null,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .execute()
  let sessions = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (keepSession !== null) sessions = sessions.where('id', '!=', keepSession)
  await sessions.execute()
  await tx.deleteFrom('presence_checks').where('user_id', '=', userId).execute()
  await tx.deleteFrom('mailed_links').where('user_id', '=', userId).execute()
}
