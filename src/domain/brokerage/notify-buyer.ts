import { queueMail } from '../../core/mail.ts'
import { type Case, readOffers } from './case.ts'
import { caseProgressMail } from './mails/case-progress.ts'
import { progressUrl } from './progress-link.ts'
import type { MoveContext } from './status.ts'

/** Writes to the buyer what the case's last step was, in the transaction of that step. */
export async function notifyBuyer({ tx, now, app }: MoveContext, row: Case): Promise<void> {
  const step = row.timeline.at(-1)
  if (!step) return
  const offers = await readOffers(tx, row.case_id)
  const open = offers.find(({ status }) => status === 'open')
  const mail = caseProgressMail(row, step, open, progressUrl(app, row))
  await tx.executeQuery(queueMail(tx, now, { to: row.buyer_email, ...mail }, row))
}
