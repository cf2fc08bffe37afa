import { domainToASCII } from 'node:url'
import { sql } from 'kysely'
import type { Place } from '../../core/cursor.ts'
import type { Database } from '../../db/dialect.ts'
import { PRICE_OPS, type PriceOp, type RegistrationPrice, registrationPrice } from './price-book.ts'

export const TLD_SORTS = ['tld', 'register', 'renew'] as const
export type TldSort = (typeof TLD_SORTS)[number]

/** A top-level domain that can be registered on, with its line of prices in cents. */
export interface TldRow {
  tld: string
  /** The fewest years that can be had, which the price is for. */
  years: number
  currency: string
  register_cents: number
  renew_cents: number | null
  transfer_cents: number | null
  restore_cents: number | null
}

const KEYS = {
  tld: sql`0::bigint`,
  register: sql`r.price_cents`,
  renew: sql`coalesce(n.price_cents, 0)`,
} as const

/** A page of the price book, a line for each top-level domain; `after` is the line that it follows. */
export async function readTlds(
  db: Database,
  page: { q: string; sort: TldSort; after: Place | null; count: number },
): Promise<TldRow[]> {
  const key = KEYS[page.sort]
  const [value = '0', tld = ''] = page.after?.key ?? []
  const beyond = page.after ? sql`(${key}, r.tld) > (${Number(value)}::bigint, ${tld})` : sql`true`
  const { rows } = await sql<TldRow>`
    select r.tld, r.years, r.currency, r.price_cents as register_cents, n.price_cents as renew_cents,
      t.price_cents as transfer_cents, s.price_cents as restore_cents
    from tld_prices r
    left join tld_prices n on n.tld = r.tld and n.op = 'renew'
    left join tld_prices t on t.tld = r.tld and t.op = 'transfer'
    left join tld_prices s on s.tld = r.tld and s.op = 'restore'
    where r.op = 'register' and r.price_cents is not null
      and position(${asciiOf(page.q)} in r.tld) > 0 and ${beyond}
    order by ${key}, r.tld limit ${page.count}`.execute(db)
  return rows
}

export function placeOfTld(row: TldRow, sort: TldSort, offset: number): Place {
  const values = { tld: 0, register: row.register_cents, renew: row.renew_cents ?? 0 }
  return { key: [String(values[sort]), row.tld], offset }
}

/** What each operation costs on a top-level domain; null for what is not sold. */
export async function pricesOf(
  db: Database,
  tld: string,
): Promise<Record<PriceOp, RegistrationPrice | null>> {
  const prices = await Promise.all(
    PRICE_OPS.map(async (op) => [op, await registrationPrice(db, tld, op)] as const),
  )
  return Object.fromEntries(prices) as Record<PriceOp, RegistrationPrice | null>
}

/** What somebody typed, as top-level domains are written: `.CO` is `co`, `рф` is `xn--p1ai`. */
function asciiOf(q: string): string {
  const text = q.trim().toLowerCase().replace(/^\./, '')
  return domainToASCII(text) || text
}
