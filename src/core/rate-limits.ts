import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/dialect.ts'
import { prepared } from '../db/prepared.ts'
import { batcher } from '../lib/batcher.ts'
import { after, MINUTE, SECOND } from '../lib/clock.ts'
import { ApiError } from './errors.ts'
import { purge } from './purge.ts'

/** A window opens with a subject's first request and lasts a minute; all of it may be used at once. */
const RATE_WINDOW_MS = MINUTE

/** Where a subject stands in its window, this request counted. */
export interface RateState {
  limit: number
  used: number
  endsAt: Date
}

/** A subject's window, after the requests just counted. */
interface WindowRow {
  subject: string
  used: number
  ends_at: Date
}

export interface RateCount {
  subject: string
  limit: number
  now: Date
}

/**
 * Counts requests, shared by all instances: those of one turn in one statement.
 *
 * @param windowMs how long a window lasts, where it is not a minute; its subjects are counted by no other counter
 */
export function rateCounter(
  db: Database,
  windowMs = RATE_WINDOW_MS,
): (count: RateCount) => Promise<RateState> {
  return batcher<RateCount, RateState>(async (counts) => {
    const now = latest(counts)
    const subjects = counts.map(({ subject }) => subject)
    const { rows } = await db.executeQuery(countGroup({ subjects, ...rateWindow(now, windowMs) }))
    return standings(subjects, rows).map(({ used, endsAt }, index) => ({
      used,
      endsAt,
      limit: counts[index]?.limit ?? 0,
    }))
  })
}

/** Counts so many units against a subject's window at once. */
export async function countUnits(
  db: Database,
  units: number,
  { subject, limit, now }: RateCount,
  windowMs: number,
): Promise<RateState> {
  const each = sql`(select ${subject}::text as subject from generate_series(1, ${units}::integer)) as unit`
  const { rows } = await countSubjects(each, rateWindow(now, windowMs)).execute(db)
  const [{ used, endsAt }] = standings([subject], rows) as [{ used: number; endsAt: Date }]
  return { limit, used, endsAt }
}

/** The moment of counting, and when a window that opens with it ends. */
export interface RateWindow {
  now: Date
  endsAt: Date
  /** A window that ends later was opened before the clock was set back. */
  latestEnd: Date
}

export function rateWindow(now: Date, windowMs = RATE_WINDOW_MS): RateWindow {
  return { now, endsAt: after(now, windowMs), latestEnd: after(now, 2 * windowMs) }
}

interface RateGroup extends RateWindow {
  subjects: string[]
}

const countGroup = prepared((db, { subjects, now, endsAt, latestEnd }: RateGroup) =>
  countSubjects(sql`unnest(${subjects}::text[]) as subject`, { now, endsAt, latestEnd }).compile(
    db,
  ),
)

/**
 * Takes back what was counted against these subjects' windows, where only failures count. They are held in
 * order, as whoever counts holds them.
 */
export async function uncount(db: Database, subjects: string[], now: Date): Promise<void> {
  await sql`
    with held as (
      select subject from rate_windows
      where subject = any(${subjects}::text[]) and ends_at > ${now}::timestamptz and used > 0
      order by subject for update
    )
    update rate_windows set used = used - 1 where subject in (select subject from held)`.execute(db)
}

/**
 * The statement that counts the requests of `rows (subject)`, each against its subject's window, and opens
 * the window where none runs. Subjects go in order, so that two groups cannot wait for each other.
 */
export function countSubjects(
  rows: RawBuilder<unknown>,
  { now, endsAt, latestEnd }: RateWindow,
): RawBuilder<WindowRow> {
  const isOver = sql`w.ends_at <= ${now}::timestamptz or w.ends_at > ${latestEnd}::timestamptz`
  return sql<WindowRow>`
    insert into rate_windows as w (subject, used, ends_at)
    select subject, count(*)::integer, ${endsAt}::timestamptz
    from ${rows} group by subject order by subject
    on conflict (subject) do update set
      used = case when ${isOver} then excluded.used else w.used + excluded.used end,
      ends_at = case when ${isOver} then excluded.ends_at else w.ends_at end
    returning subject, used, ends_at`
}

/**
 * Gives each request of a group its own place: of a subject's count after the group, the last request
 * has all, the one before it one less.
 */
export function standings(subjects: string[], rows: WindowRow[]): { used: number; endsAt: Date }[] {
  const windows = new Map(rows.map((row) => [row.subject, { ...row }]))
  return subjects
    .toReversed()
    .map((subject) => {
      const window = windows.get(subject)
      if (!window) throw new Error(`no rate window came back for ${subject}`)
      return { used: window.used--, endsAt: window.ends_at }
    })
    .toReversed()
}

export function latest(items: { now: Date }[]): Date {
  return items.reduce((max, { now }) => (now > max ? now : max), new Date(0))
}

export function assertUnderLimit(state: RateState, now: Date, problem = 'Too many requests'): void {
  if (state.used <= state.limit) return
  const retryAfter = secondsLeft(state, now)
  throw new ApiError('rate_limited', `${problem}: wait ${retryAfter} s.`, { retryAfter })
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers-07. */
export function rateHeaders(state: RateState, now: Date): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Remaining': String(Math.max(0, state.limit - state.used)),
    'RateLimit-Reset': String(secondsLeft(state, now)),
    'RateLimit-Policy': `${state.limit};w=${RATE_WINDOW_MS / SECOND}`,
  }
}

function secondsLeft(state: RateState, now: Date): number {
  return Math.max(1, Math.ceil((state.endsAt.getTime() - now.getTime()) / SECOND))
}

/** A window that has ended says nothing: its subject's next request opens another. */
export async function purgeRateWindows(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  await purge(db, 'rate_windows', sql`ends_at <= ${now}`, signal)
}
