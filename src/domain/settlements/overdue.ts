import { ENVIRONMENTS } from '../../core/caller.ts'
import type { Job } from '../../core/jobs.ts'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR } from '../../lib/clock.ts'
import { isUnpaid } from '../ledger/unpaid-statements.ts'
import { statementOverdueMail } from './mails/statement-overdue.ts'

/** How long until a partner is reminded again. */
const REMIND_AGAIN_MS = 7 * DAY
const BATCH = 200

/** Reminds partners of statements that are past their due date, when it has passed and each week after. */
export const remindOverdue: Job = {
  name: 'remind_overdue',
  everyMs: HOUR,
  async run(app, signal) {
    const { db, clock } = app
    const now = clock.now()
    for (const environment of ENVIRONMENTS) {
      const due = await db
        .selectFrom('settlements')
        .select('id')
        .where('environment', '=', environment)
        .where(isUnpaid)
        .where('due_at', '<=', now)
        .where((row) =>
          row.or([
            row('reminded_at', 'is', null),
            row('reminded_at', '<=', after(now, -REMIND_AGAIN_MS)),
          ]),
        )
        .orderBy('id')
        .limit(BATCH)
        .execute()
      for (const { id } of due) {
        if (signal.aborted) return
        await inTransaction(app, (tx) => remind(tx, now, app.settings.baseUrl, id))
      }
    }
  },
}

async function remind(tx: Tx, now: Date, baseUrl: string, id: string): Promise<void> {
  const statement = await tx
    .selectFrom('settlements')
    .selectAll()
    .where('id', '=', id)
    .where(isUnpaid)
    .forUpdate()
    .executeTakeFirst()
  if (!statement) return
  const { email } = await tx
    .selectFrom('partners')
    .select('email')
    .where('id', '=', statement.partner_id)
    .executeTakeFirstOrThrow()
  await tx.updateTable('settlements').set({ reminded_at: now }).where('id', '=', id).execute()
  await tx.executeQuery(
    queueMail(tx, now, { to: email, ...statementOverdueMail(statement, baseUrl) }, statement),
  )
}
