import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { mailAddressTaken } from './confirmation.ts'
import { newMailedLink, takeMailedLink } from './mailed-link.ts'
import { addressChangedMail } from './mails/address-changed.ts'
import { addressChangingMail } from './mails/address-changing.ts'
import { changeAddressMail } from './mails/change-address.ts'
import { lockUser, noteNewAccess, type User, userByEmail } from './user.ts'

export const CHANGE_EMAIL = '/account/email/confirm'

/**
 * Mails a link to the address that an account is to have, and word of it to the one that it has. Whether another
 * account has the address, only its owner is told.
 */
export async function askToChangeEmail(
  tx: Tx,
  now: Date,
  baseUrl: string,
  userId: string,
  newEmail: string,
): Promise<void> {
  const user = await lockUser(tx, userId)
  if (await userByEmail(tx, newEmail)) return await mailAddressTaken(tx, now, baseUrl, newEmail)
  const token = await newMailedLink(tx, now, userId, 'change_email', newEmail)
  const url = `${baseUrl}${CHANGE_EMAIL}?token=${token}`
  const asks = changeAddressMail({ url, baseUrl })
  await tx.executeQuery(queueMail(tx, now, { to: newEmail, ...asks }))
  await tellConfirmed(tx, now, user, addressChangingMail({ to: newEmail, baseUrl }))
}

/** Gives an account the address that its link was mailed to, or null: the link is none, or another has it by now. */
export async function changeEmail(
  tx: Tx,
  now: Date,
  baseUrl: string,
  { userId, sessionId, token }: { userId: string; sessionId: string; token: string },
): Promise<{ before: User; email: string } | null> {
  const before = await lockUser(tx, userId)
  const email = (await takeMailedLink(tx, now, token, 'change_email', userId))?.new_email
  if (!email || (await userByEmail(tx, email))) return null
  await tx
    .updateTable('users')
    .set({ email, email_confirmed_at: now })
    .where('id', '=', userId)
    .execute()
  // Links to the old address and all other sessions belong to the account as it was.
  await tx.deleteFrom('mailed_links').where('user_id', '=', userId).execute()
  await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '!=', sessionId)
    .execute()
  await noteNewAccess(tx, now, userId)
  await tellConfirmed(
    tx,
    now,
    before,
    addressChangedMail({ to: email, support: `${baseUrl}/contact` }),
  )
  return { before, email }
}

/** An address that nobody has confirmed may be a stranger's. */
async function tellConfirmed(
  tx: Tx,
  now: Date,
  { email, email_confirmed_at }: User,
  mail: ReturnType<typeof addressChangedMail>,
): Promise<void> {
  if (email_confirmed_at === null) return
  await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }))
}
