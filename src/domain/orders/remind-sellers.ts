import { nameText } from 'domain-marketplace-domain-names'
import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { queueMail } from '../../core/mail.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR } from '../../lib/clock.ts'
import { mustFindUser } from '../accounts/user.ts'
import { codeReminderMail } from './mails/code-reminder.ts'
import { sellerCodePath, sellerGivesCode } from './seller-code.ts'

/** How long after they were asked, and after each reminder, a seller is reminded. */
const REMIND_AFTER_MS = 2 * DAY
const BATCH = 200

/**
 * Reminds sellers who were asked for a transfer code and have not given it, until the transfer has stalled: from then on
 * operators deal with it.
 */
export const remindSellers: Job = {
  name: 'remind_sellers',
  everyMs: HOUR,
  async run(app, signal) {
    const late = await waiting(app, app.db).orderBy('public_id').limit(BATCH).execute()
    for (const { public_id } of late) {
      if (signal.aborted) return
      await remind(app, public_id)
    }
  },
}

function waiting({ clock }: AppContext, db: Pick<AppContext['db'], 'selectFrom'>) {
  const now = clock.now()
  return db
    .selectFrom('orders')
    .select(['public_id', 'domain', 'seller_id'])
    .where(sellerGivesCode)
    .where('code_available_at', 'is', null)
    .where('held', '=', false)
    .where('disputed', '=', false)
    .where('expected_by', '>', now)
    .where(
      sql<Date>`greatest(transfer_started_at, code_reminded_at)`,
      '<=',
      after(now, -REMIND_AFTER_MS),
    )
}

async function remind(app: AppContext, publicId: string): Promise<void> {
  await inTransaction(app, async (tx) => {
    const order = await waiting(app, tx)
      .where('public_id', '=', publicId)
      .forUpdate()
      .executeTakeFirst()
    if (!order?.seller_id) return
    const now = app.clock.now()
    await tx
      .updateTable('orders')
      .set({ code_reminded_at: now })
      .where('public_id', '=', publicId)
      .execute()
    const { email } = await mustFindUser(tx, order.seller_id)
    const link = `${app.settings.baseUrl}${sellerCodePath(publicId)}`
    const mail = codeReminderMail(nameText(order.domain), publicId, link)
    await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }))
  })
}
