import { queueMail } from '../../kernel/mail.ts'
import type { Tx } from '../../kernel/operation.ts'
import { after, HOUR } from '../../lib/clock.ts'
import { lastSent, newMailedLink } from './mailed-link.ts'
import { lockUser } from './user.ts'

const SUBJECT = 'Your new password'
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
  const sent = await lastSent(tx, email, SUBJECT, { since, limit: MAX_AN_HOUR })
  if (sent.length === MAX_AN_HOUR) return
  const link = linkOf(await newMailedLink(tx, now, userId, 'reset_password'))
  const text = `Somebody, hopefully you, asked for a new password at ${baseUrl}. Choose it here within an hour:\n\n${link}\n\nIf it was not you, ignore this mail: nothing has changed.\n`
  await tx.executeQuery(queueMail(tx, now, { to: email, subject: SUBJECT, text }))
}
