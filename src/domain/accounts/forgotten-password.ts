import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { lastSent, newMailedLink } from './mailed-link.ts'
import { RESET_PASSWORD, resetPasswordMail } from './mails/reset-password.ts'
import { lockUser } from './user.ts'

/** Anybody may ask for anybody's. The last link works for an hour, so there is always one for its owner. */
const MAX_AN_HOUR = 5

/** Mails the link that leads to a new password, unless enough were sent; an older one works no more. */
export async function sendPasswordLink(
  tx: Tx,
  now: Date,
  baseUrl: string,
  userId: string,
  linkOf: (token: string) => string,
): Promise<void> {
  const { email } = await lockUser(tx, userId)
  const since = after(now, -HOUR)
  const sent = await lastSent(tx, email, RESET_PASSWORD, { since, limit: MAX_AN_HOUR })
  if (sent.length === MAX_AN_HOUR) return
  const link = linkOf(await newMailedLink(tx, now, userId, 'reset_password'))
  const mail = resetPasswordMail({ baseUrl, link })
  await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }))
}
