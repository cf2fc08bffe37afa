import { type CompiledQuery, sql } from 'kysely'
import { createTransport } from 'nodemailer'
import pLimit from 'p-limit'
import type { Database } from '../db/dialect.ts'
import { after, DAY, MINUTE, SECOND } from '../lib/clock.ts'
import { firstIdAt, newId } from '../lib/ids.ts'
import type { Brand } from './brand.ts'
import type { Environment } from './caller.ts'
import type { Log } from './context.ts'
import { framed } from './mail-frame.tsx'
import type { Tx } from './operation.ts'
import { purge } from './purge.ts'
import type { Settings } from './settings.ts'

/** A mail to one person: a letter, or text alone. */
export interface MailMessage {
  to: string
  subject: string
  text: string
  html?: string | null
}

/** Hands a message to the outside; rejects when it was not taken. */
export type MailTransport = (message: MailMessage) => Promise<void>

/** How the marketplace writes to people. */
export interface Mail {
  /** For a mail that belongs to no change. Inside a write, defer `queueMail` instead. */
  send(message: MailMessage): Promise<void>
  /** Sends what is due; without a mail server, all mails stay where operators see them. */
  deliver(signal: AbortSignal): Promise<void>
}

const GROUP = 20
/** To the mail server at once: each mail takes a few round trips, and thousands may be due. */
const CONNECTIONS = 5
const LEASE_MS = 5 * MINUTE
const FIRST_RETRY_MS = 30 * SECOND
const MAX_ATTEMPTS = 12
const RETENTION_DAYS = 30

/** Was not taken, and is tried again: the mail server is away, or takes no mails of ours. */
export const isMailFailing = sql<boolean>`sent_at is null and error is not null
  and attempts < ${MAX_ATTEMPTS} and not recipient_rejected`

/** Was not taken for its recipient, or is not tried any more. */
export const isMailUndeliverable = sql<boolean>`sent_at is null and error is not null
  and (attempts >= ${MAX_ATTEMPTS} or recipient_rejected)`

/** Whose business a mail is about. */
export interface Matter {
  environment: Environment
  partner_id: string
}

/**
 * The statement that writes a mail with the change that it belongs to: `defer(queueMail(tx, now, …))`. What comes of
 * a sandbox says so. That of a partner whom operators neither made nor approved goes to its own people alone:
 * anybody can open one, and choose whom it is to.
 */
export function queueMail(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  { to, subject, text, html = null }: MailMessage,
  about?: Matter,
): CompiledQuery {
  const isTest = about?.environment === 'sandbox'
  return tx
    .insertInto('mails')
    .values({
      id: newId('mail', now),
      recipient: to,
      subject: isTest ? `[Test] ${subject}` : subject,
      body: text,
      html,
      created_at: now,
      due_at: isTest ? dueToKnown(now, to, about.partner_id) : now,
      attempts: 0,
      sent_at: null,
      error: null,
    })
    .compile()
}

/** To all others it is due when it will be gone: operators can read it until then. */
function dueToKnown(now: Date, to: string, partnerId: string) {
  return sql<Date>`
    case when not exists (select from users where partner_id = ${partnerId})
      or exists (select from audit_entries where subject = ${partnerId} and operation = 'create_partner')
      or exists (select from partners where id = ${partnerId} and live_approved_at is not null)
      or exists (
        select from users
        where email = ${to.toLowerCase()} and partner_id = ${partnerId} and email_confirmed_at is not null
      )
    then ${now}::timestamptz else ${after(now, 2 * RETENTION_DAYS * DAY)}::timestamptz end`
}

export function createMail(
  db: Database,
  clock: { now(): Date },
  log: Log,
  transport: MailTransport | null,
): Mail {
  return {
    async send(message) {
      await db.executeQuery(queueMail(db, clock.now(), message))
    },
    async deliver(signal) {
      if (!transport) return
      const places = pLimit(CONNECTIONS)
      for (let sent = GROUP; sent > 0 && !signal.aborted; ) {
        const group = await claimDue(db, clock.now())
        const outcomes = await Promise.all(group.map((mail) => places(() => attempt(mail, signal))))
        // Where nothing is taken, the server may be away: what else is due waits for the next time.
        sent = group.length < GROUP ? 0 : outcomes.filter(Boolean).length
      }
    },
  }

  /** Whether it was taken. */
  async function attempt(mail: DueMail, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || !transport) {
      await giveBack(db, mail, clock.now())
      return false
    }
    const problem = await transport(mail).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error('not taken')),
    )
    if (problem) log.warn({ mail_id: mail.id, ...namedBy(problem) }, 'mail: not sent')
    await recordOutcome(db, mail, clock.now(), problem)
    return problem === null
  }
}

/** What names the fault: a mail server's own words may quote the address, which is not for the log. */
function namedBy(error: Error): object {
  const { code, responseCode, command } = error as Error & { [name: string]: unknown }
  return { code, response_code: responseCode, command }
}

/**
 * Whether a mail server takes no mail for this recipient, rather than none of ours. An enhanced status tells: the
 * address (x.1) or the mailbox (x.2), except those of the sender (RFC 3463). Without one, the code has to do (RFC 5321).
 */
function isRecipientRejected(error: Error): boolean {
  const { command, response } = error as Error & { command?: string; response?: string }
  if (command !== 'RCPT TO') return false
  const [, code = '', status] = /^(\d{3})[ -](?:[45]\.(\d+\.\d+)\b)?/.exec(response ?? '') ?? []
  if (status === undefined) return ['550', '551', '553'].includes(code)
  return /^[12]\./.test(status) && status !== '1.7' && status !== '1.8'
}

interface DueMail extends MailMessage {
  id: string
  attempts: number
}

/** Two instances may both be at it, so each takes its own; one that dies loses its lease. */
async function claimDue(db: Database, now: Date): Promise<DueMail[]> {
  const { rows } = await sql<DueMail>`
    update mails set due_at = ${after(now, LEASE_MS)}, attempts = attempts + 1
    where id in (
      select id from mails where sent_at is null and due_at <= ${now} and attempts < ${MAX_ATTEMPTS}
      order by due_at limit ${GROUP} for update skip locked
    )
    returning id, recipient as "to", subject, body as text, html, attempts`.execute(db)
  return rows
}

/** Of a mail that was not tried: another instance may send it at once. */
async function giveBack(db: Database, { id, attempts }: DueMail, now: Date): Promise<void> {
  await db
    .updateTable('mails')
    .set({ due_at: now, attempts: attempts - 1 })
    .where('id', '=', id)
    .execute()
}

async function recordOutcome(
  db: Database,
  { id, attempts }: DueMail,
  now: Date,
  problem: Error | null,
): Promise<void> {
  const outcome =
    problem === null
      ? { sent_at: now, body: null, html: null, error: null }
      : {
          due_at: after(now, FIRST_RETRY_MS * 2 ** (attempts - 1)),
          error: problem.message,
          recipient_rejected: isRecipientRejected(problem),
        }
  await db.updateTable('mails').set(outcome).where('id', '=', id).execute()
}

export async function purgeMails(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await purge(
    db,
    'mails',
    sql`id < ${firstIdAt('mail', after(now, -RETENTION_DAYS * DAY))}`,
    signal,
  )
}

/** A mail server by `smtp://` or `smtps://`, with user and password in the URL. */
export function smtpTransport({ smtpUrl, mailFrom }: Settings, brand: Brand): MailTransport | null {
  if (smtpUrl === undefined) return null
  const transport = createTransport(smtpOptions(smtpUrl))
  return async ({ to, subject, text, html }) => {
    const envelope = { from: mailFrom, to: { name: '', address: to }, subject }
    await transport.sendMail({
      ...envelope,
      ...(html ? framed(brand, { subject, text, html }) : { text }),
    })
  }
}

/** How mails are sent to the server of an `SMTP_URL`. */
export function smtpOptions(url: string) {
  return {
    url,
    connectionTimeout: 10 * SECOND,
    greetingTimeout: 10 * SECOND,
    socketTimeout: 20 * SECOND,
    // What a message says is never a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
