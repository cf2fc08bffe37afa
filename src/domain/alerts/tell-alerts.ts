import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import { iso } from '../../core/fields.ts'
import type { Job } from '../../core/jobs.ts'
import { queueMail } from '../../core/mail.ts'
import { purge } from '../../core/purge.ts'
import { alertPolicy } from '../../core/settings.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, HOUR, MINUTE, SECOND, unixSeconds } from '../../lib/clock.ts'
import { signatureHeaders } from '../events/webhook-signature.ts'
import { alertMail } from './mails/alert.ts'

type Alert = Selectable<Schema['alerts']>

const BATCH = 100
const POSTED_AT_ONCE = 8
const KEPT_MS = 30 * DAY
const TIMEOUT_MS = 5 * SECOND
/** A webhook that is under way is tried again after this, should its instance die. */
const LEASE_MS = MINUTE
/** How long after each failed attempt the next one comes: a day in all. */
const RETRY_DELAYS_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 15 * HOUR]

/** Mails alerts, and posts them to the webhook of the operators; of the sandbox only where that is set. */
export const tellAlerts: Job = {
  name: 'tell_alerts',
  everyMs: 2 * SECOND,
  queriesUpstream: true,
  async run(app, signal) {
    let posted: number
    // What is new is mailed before each round of posts, however slow the webhook is.
    do {
      while (!signal.aborted && (await handle(app)) === BATCH);
      if (signal.aborted) return
      const due = await claim(app)
      await Promise.all(due.map((alert) => post(app, alert)))
      posted = due.length
    } while (posted === POSTED_AT_ONCE)
  },
}

/** Decides whom to tell of what is new. */
async function handle(app: AppContext): Promise<number> {
  const { settings, clock } = app
  const { email, webhook, sandbox } = settings.alerts
  const now = clock.now()
  return await inTransaction(app, async (tx) => {
    const fresh = await tx
      .selectFrom('alerts')
      .selectAll()
      .where('handled_at', 'is', null)
      .orderBy('created_at')
      .limit(BATCH)
      .forUpdate()
      .skipLocked()
      .execute()
    if (fresh.length === 0) return 0
    const told = fresh.filter(({ environment }) => environment === 'live' || sandbox)
    const posted = webhook ? told : []
    await tx
      .updateTable('alerts')
      .set({
        handled_at: now,
        due_at: sql<Date | null>`case when alert_id = any(${idsOf(posted)}::text[]) then ${now}::timestamptz end`,
      })
      .where(sql<boolean>`alert_id = any(${idsOf(fresh)}::text[])`)
      .execute()
    if (!email) return fresh.length
    for (const alert of told) {
      await tx.executeQuery(
        queueMail(tx, now, { to: email, ...alertMail(alert, settings.baseUrl) }),
      )
    }
    return fresh.length
  })
}

function idsOf(alerts: Alert[]): string[] {
  return alerts.map(({ alert_id }) => alert_id)
}

async function claim({ db, clock }: AppContext): Promise<Alert[]> {
  const now = clock.now()
  return await db
    .updateTable('alerts')
    .set({ due_at: after(now, LEASE_MS) })
    .where('alert_id', 'in', (row) =>
      row
        .selectFrom('alerts')
        .select('alert_id')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(POSTED_AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

/** With the same `webhook-id` at each attempt. */
async function post(app: AppContext, alert: Alert): Promise<void> {
  const { settings, db, clock } = app
  const { webhook } = settings.alerts
  const error = webhook ? await attempt(app, webhook, alert) : 'ALERT_WEBHOOK_URL is not set'
  const now = clock.now()
  const delay = RETRY_DELAYS_MS[alert.attempts]
  const isOver = error === null || delay === undefined
  await db
    .updateTable('alerts')
    .set({
      attempts: alert.attempts + 1,
      error,
      sent_at: error === null ? now : null,
      due_at: isOver ? null : after(now, delay),
    })
    .where('alert_id', '=', alert.alert_id)
    .execute()
  if (error !== null) {
    app.log.warn({ alert: alert.alert_id, type: alert.type, error }, 'alerts: not delivered')
  }
}

/** Null when the receiver has it. */
async function attempt(
  app: AppContext,
  { url, secret }: { url: string; secret: string },
  { alert_id, type, created_at, data }: Alert,
): Promise<string | null> {
  const body = JSON.stringify({ type, timestamp: iso(created_at), data })
  try {
    const { status } = await app.http.request(url, alertPolicy(app.settings.baseUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'domain-marketplace-alerts/1',
        ...signatureHeaders(secret, alert_id, unixSeconds(app.clock.now()), body),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: 1_024,
      peek: true,
    })
    return status >= 200 && status < 300 ? null : `the receiver responded with ${status}`
  } catch (error) {
    return error instanceof Error ? error.message : 'no response'
  }
}

export async function purgeAlerts(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await purge(db, 'alerts', sql`created_at < ${after(now, -KEPT_MS)}`, signal)
}
