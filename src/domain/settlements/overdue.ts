import { type Expression, type SqlBool, sql } from 'kysely'
import { ENVIRONMENTS, type Partner } from '../../core/caller.ts'
import type { Job } from '../../core/jobs.ts'
import { type Letter, letter } from '../../core/letter.tsx'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR } from '../../lib/clock.ts'
import { moneyText } from '../../lib/money.ts'

/** How long until a partner is reminded again. */
const REMIND_AGAIN_MS = 7 * DAY
const BATCH = 200

/** As the index of unpaid statements has it. */
export const isUnpaid: Expression<SqlBool> = sql<SqlBool>`status = 'closed' and due_at is not null
  and received_cents < gross_sold_cents - commission_retained_cents`

/** Whether a partner owes for a statement for so long that its new orders are held (contract, section 17). */
export async function isLongOverdue(
  tx: Pick<Tx, 'selectFrom'>,
  now: Date,
  { overdueHoldDays }: Pick<Settings, 'overdueHoldDays'>,
  { partnerId, environment }: Partner,
): Promise<boolean> {
  if (overdueHoldDays === undefined) return false
  const found = await tx
    .selectFrom('settlements')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
    .where(isUnpaid)
    .where('due_at', '<=', after(now, -overdueHoldDays * DAY))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

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
    queueMail(tx, now, { to: email, ...overdueMail(statement, baseUrl) }, statement),
  )
}

function overdueMail(statement: Schema['settlements'], baseUrl: string): Letter {
  const { id, environment, currency, received_cents, due_at } = statement
  const owed = (statement.gross_sold_cents ?? 0) - (statement.commission_retained_cents ?? 0)
  const day = due_at?.toISOString().slice(0, 10) ?? ''
  return letter(`A statement of yours was due on ${day}`, [
    'We have not received all that you owe for the domains that you sold in this period.',
    {
      facts: [
        ['Statement', id],
        ['Owed', moneyText(owed, currency)],
        ['Received', moneyText(received_cents, currency)],
        ['Open', moneyText(owed - received_cents, currency)],
        ['Due', day],
      ],
    },
    { button: 'Open the statement', url: `${baseUrl}/partner/${environment}/settlements/${id}` },
    'If you have paid meanwhile, there is nothing to do.',
  ])
}
