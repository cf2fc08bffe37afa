import { ApiError } from '../../core/errors.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { after, DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { lastSent, newMailedLink } from './mailed-link.ts'
import { ADDRESS_TAKEN, addressTakenMail } from './mails/address-taken.ts'
import { CONFIRM_ADDRESS, confirmAddressMail } from './mails/confirm-address.ts'
import { lockUser, type User } from './user.ts'

/** The address may be another's, who has not asked for any of this. */
const MAX_A_DAY = 5

/** Mails the link that shows whose an address is; an older one works no more. */
export async function sendConfirmation(
  tx: Tx,
  now: Date,
  baseUrl: string,
  { id, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  const token = await newMailedLink(tx, now, id, 'confirm_email')
  const mail = confirmAddressMail({ baseUrl, token })
  await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }))
}

/** The same again, where the mail was lost: once a minute, and a few times a day. False: there is no need. */
export async function sendConfirmationAgain(
  tx: Tx,
  now: Date,
  baseUrl: string,
  userId: string,
): Promise<boolean> {
  // Held, so that a second click finds the first one's mail.
  const user = await lockUser(tx, userId)
  if (user.email_confirmed_at !== null) return false
  const since = after(now, -DAY)
  const sent = await lastSent(tx, user.email, CONFIRM_ADDRESS, { since, limit: MAX_A_DAY })
  if (sent.length >= MAX_A_DAY) throw tooMany('often enough today: try again tomorrow', HOUR)
  const [last] = sent
  if (last && last > after(now, -MINUTE)) throw tooMany('a moment ago: wait a minute', MINUTE)
  await sendConfirmation(tx, now, baseUrl, user)
  return true
}

/** Tells the owner of an account that somebody tried to open another one with its address; once a day. */
export async function mailAddressTaken(
  tx: Tx,
  now: Date,
  baseUrl: string,
  email: string,
): Promise<void> {
  const [last] = await lastSent(tx, email, ADDRESS_TAKEN, { since: after(now, -DAY), limit: 1 })
  if (!last) await tx.executeQuery(queueMail(tx, now, { to: email, ...addressTakenMail(baseUrl) }))
}

function tooMany(when: string, waitMs: number): ApiError {
  return new ApiError('rate_limited', `We sent you the link ${when}, and look into your mail.`, {
    retryAfter: waitMs / SECOND,
  })
}
