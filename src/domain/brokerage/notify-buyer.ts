import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { after, DAY } from '../../lib/clock.ts'
import { type Case, readOffers } from './case.ts'
import { caseProgressMail } from './mails/case-progress.ts'
import { progressUrl } from './progress-link.ts'
import type { MoveContext } from './status.ts'

/** Mails a day to an address that nobody has shown to be theirs: a partner names whom it likes. */
const MAX_TO_STRANGER = 20

export async function isFlooded(tx: Tx, now: Date, email: string): Promise<boolean> {
  const known = await tx
    .selectFrom('users')
    .select('id')
    .where('email', '=', email.toLowerCase())
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (known) return false
  const sent = await tx
    .selectFrom('mails')
    .select('id')
    .where('recipient', '=', email)
    .where('created_at', '>', after(now, -DAY))
    .limit(MAX_TO_STRANGER)
    .execute()
  return sent.length === MAX_TO_STRANGER
}

/** Writes to the buyer what the case's last step was, in the transaction of that step. */
export async function notifyBuyer({ tx, now, app }: MoveContext, row: Case): Promise<void> {
  const step = row.timeline.at(-1)
  if (!step) return
  if (await isFlooded(tx, now, row.buyer_email)) return
  const offers = await readOffers(tx, row.case_id)
  const open = offers.find(({ status }) => status === 'open')
  const mail = caseProgressMail(row, step, open, progressUrl(app, row))
  await tx.executeQuery(queueMail(tx, now, { to: row.buyer_email, ...mail }, row))
}
