import type { Tx } from '../../core/operation.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, HOUR } from '../../lib/clock.ts'
import { sha256 } from '../../lib/signature.ts'
import type { LinkPurpose } from './link-purpose.ts'

const LIFETIME_MS: Record<LinkPurpose, number> = {
  reset_password: HOUR,
  confirm_email: 7 * DAY,
  change_email: DAY,
}

/** Makes the token of a link to be mailed; an older one of the same purpose works no more. */
export async function newMailedLink(
  tx: Tx,
  now: Date,
  userId: string,
  purpose: LinkPurpose,
  newEmail: string | null = null,
): Promise<string> {
  await tx
    .deleteFrom('mailed_links')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .execute()
  const { token, hash } = newToken('mkt_link')
  await tx
    .insertInto('mailed_links')
    .values({
      token_hash: hash,
      user_id: userId,
      purpose,
      new_email: newEmail,
      expires_at: after(now, LIFETIME_MS[purpose]),
    })
    .execute()
  return token
}

/** When mails of this subject were last sent to an address, newest first. */
export async function lastSent(
  tx: Tx,
  email: string,
  subject: string,
  { since, limit }: { since: Date; limit: number },
): Promise<Date[]> {
  const sent = await tx
    .selectFrom('mails')
    .select('created_at')
    .where('recipient', '=', email)
    .where('subject', '=', subject)
    .where('created_at', '>', since)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return sent.map(({ created_at }) => created_at)
}

/** Uses a link up and returns its row; null when it is none, or none of this user, or the account is disabled. */
export async function takeMailedLink(
  tx: Tx,
  now: Date,
  token: string,
  purpose: LinkPurpose,
  userId?: string,
): Promise<{ user_id: string; new_email: string | null } | null> {
  let found = tx
    .deleteFrom('mailed_links')
    .where('token_hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .where('user_id', 'in', (row) =>
      row.selectFrom('users').select('id').where('disabled_at', 'is', null),
    )
  if (userId !== undefined) found = found.where('user_id', '=', userId)
  return (await found.returning(['user_id', 'new_email']).executeTakeFirst()) ?? null
}

/** What a link that was used up has shown. */
export interface Proof {
  userId: string
  /** Nobody had shown before that the account's address is theirs. */
  isFirst: boolean
}

/** Uses up a link that was mailed to the account's own address: only its owner can read that mail. */
export async function proveAddress(
  tx: Tx,
  now: Date,
  token: string,
  purpose: Exclude<LinkPurpose, 'change_email'>,
  userId?: string,
): Promise<Proof | null> {
  const row = await takeMailedLink(tx, now, token, purpose, userId)
  if (!row) return null
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ email_confirmed_at: now })
    .where('id', '=', row.user_id)
    .where('email_confirmed_at', 'is', null)
    .executeTakeFirst()
  return { userId: row.user_id, isFirst: numUpdatedRows > 0n }
}
