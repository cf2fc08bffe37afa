import { sql } from 'kysely'
import { dateOf } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import { purge } from '../../core/purge.ts'
import type { Database } from '../../db/dialect.ts'
import { after, DAY } from '../../lib/clock.ts'

const KEPT_MS = 400 * DAY

/** Where a name was looked at: on its page here, or at the name itself. */
type ViewedAt = 'page' | 'lander'

interface Views {
  domain: string
  date: string
  page: number
  lander: number
}

/** Counts views of names on the live market, without knowing whose they are. */
export interface NameViews {
  note(domain: string, at: ViewedAt, now: Date): void
  flush(): Promise<void>
}

/**
 * Kept in memory and written every few seconds, so that a view costs no write; a killed process forgets those seconds.
 */
export function countViews(db: Database): NameViews {
  let noted = new Map<string, Views>()

  function add({ domain, date, page, lander }: Views): void {
    const key = `${date} ${domain}`
    const known = noted.get(key)
    noted.set(key, {
      domain,
      date,
      page: page + (known?.page ?? 0),
      lander: lander + (known?.lander ?? 0),
    })
  }

  return {
    note(domain, at, now) {
      add({ domain, date: dateOf(now), page: 0, lander: 0, [at]: 1 })
    },
    async flush() {
      if (noted.size === 0) return
      // In one order for all instances: two batches that wait for each other would both fail.
      const batch = [...noted.values()].toSorted((a, b) => (a.domain < b.domain ? -1 : 1))
      noted = new Map()
      try {
        await sql`
          insert into name_days as known (domain, date, page_views, lander_views)
          select * from unnest(${batch.map(({ domain }) => domain)}::text[],
            ${batch.map(({ date }) => date)}::date[], ${batch.map(({ page }) => page)}::integer[],
            ${batch.map(({ lander }) => lander)}::integer[])
          on conflict (domain, date) do update set
            page_views = known.page_views + excluded.page_views,
            lander_views = known.lander_views + excluded.lander_views`.execute(db)
      } catch (error) {
        for (const views of batch) add(views)
        throw error
      }
    },
  }
}

/** Counts somebody who went on to buy a live name, or made an offer for it. */
export async function countLead(tx: Tx, now: Date, domain: string): Promise<void> {
  await sql`
    insert into name_days as known (domain, date, leads) values (${domain}, ${dateOf(now)}, 1)
    on conflict (domain, date) do update set leads = known.leads + 1`.execute(tx)
}

export interface NameDay {
  date: string
  page_views: number
  lander_views: number
  leads: number
}

/** What was counted of a name from a day on. */
export async function readNameDays(db: Database, domain: string, from: Date): Promise<NameDay[]> {
  const { rows } = await sql<NameDay>`
    select date::text, page_views, lander_views, leads from name_days
    where domain = ${domain} and date >= ${dateOf(from)}::date
    order by date`.execute(db)
  return rows
}

export async function purgeNameDays(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
  await purge(db, 'name_days', sql`date < ${dateOf(after(now, -KEPT_MS))}::date`, signal)
}
