import { sql } from 'kysely'
import { ApiError } from '../../core/errors.ts'
import { queueMail } from '../../core/mail.ts'
import type { Database } from '../../db/dialect.ts'
import type { DatabaseServer } from '../../db/server.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR, SECOND } from '../../lib/clock.ts'
import { wrongPasswordsMail } from './mails/wrong-passwords.ts'
import type { User } from './user.ts'

/** Wrong passwords an hour of one account, over all addresses. */
const MAX_AN_HOUR = 50
/** From so many on its owner is told, once a day. */
const WARN_FROM = 20

/**
 * Rejects further guesses of an account that had too many within the hour. Whoever is at an address from which its
 * owner has signed in is let through: a stranger who guesses does not lock the owner out.
 */
export async function assertNotGuessed(
  db: Database,
  now: Date,
  { id, failed_sign_ins, failed_since }: User,
  address: string,
): Promise<void> {
  if (failed_since === null || failed_since <= after(now, -HOUR)) return
  if (failed_sign_ins < MAX_AN_HOUR) return
  const known = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', id)
    .where('address', '=', address)
    .limit(1)
    .executeTakeFirst()
  if (known) return
  throw new ApiError(
    'rate_limited',
    'Too many wrong passwords for this account. Try again later.',
    {
      retryAfter: HOUR / SECOND,
    },
  )
}

/** Counts a wrong password, and tells the owner where there were many. */
export async function countWrongPassword(
  app: { server: DatabaseServer },
  now: Date,
  { id, email }: User,
): Promise<void> {
  await inTransaction(app, async (tx) => {
    const began = sql<boolean>`failed_since is null or failed_since <= ${after(now, -HOUR)}`
    const user = await tx
      .updateTable('users')
      .set({
        failed_sign_ins: sql<number>`case when ${began} then 1 else failed_sign_ins + 1 end`,
        failed_since: sql<Date>`case when ${began} then ${now}::timestamptz else failed_since end`,
      })
      .where('id', '=', id)
      .returning(['failed_sign_ins', 'warned_at'])
      .executeTakeFirst()
    if (!user || user.failed_sign_ins < WARN_FROM) return
    if (user.warned_at !== null && user.warned_at > after(now, -DAY)) return
    await tx.updateTable('users').set({ warned_at: now }).where('id', '=', id).execute()
    await tx.executeQuery(
      queueMail(tx, now, { to: email, ...wrongPasswordsMail(user.failed_sign_ins) }),
    )
  })
}
