import { sql } from 'kysely'
import { z } from 'zod'
import { centsField, iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { perDatabase } from '../../db/per-database.ts'
import type { Schema } from '../../db/schema.ts'
import { batcher } from '../../lib/batcher.ts'
import type { Clock } from '../../lib/clock.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { readTable } from './registry-data.ts'
import { allTlds } from './tlds.ts'

/** What can be done with a registration, for a price. */
export const PRICE_OPS = ['register', 'renew', 'transfer', 'restore'] as const
export type PriceOp = (typeof PRICE_OPS)[number]

export interface RegistrationPrice {
  price_cents: number
  currency: typeof HOME_CURRENCY
  years: number
}

/** What so many years cost, in cents; the price is for the fewest that can be had. */
export function costOf({ price_cents, years }: RegistrationPrice, wanted: number): number {
  return Math.ceil((price_cents * wanted) / years)
}

export interface PriceRow {
  tld: string
  op: PriceOp
  /** Null where the top-level domain does not have the operation. */
  price_cents: number | null
  years: number
}

export const yearsField = z.int().min(1).max(20)

/** A line of the price book, as operators see it. */
export const TldPriceView = z.object({
  tld: z.string(),
  op: z.enum(PRICE_OPS),
  price_cents: centsField.nullable(),
  currency: z.literal(HOME_CURRENCY),
  years: yearsField,
})

export function viewPrice({ tld, op, price_cents, years, updated_at }: Schema['tld_prices']) {
  return {
    tld,
    op,
    price_cents,
    currency: HOME_CURRENCY,
    years,
    updated_at: iso(updated_at),
  } as const
}

interface PriceKey {
  tld: string
  op: PriceOp
}

const finderOf = perDatabase((db) => batcher((keys: PriceKey[]) => readPrices(db, keys)))

/** The price of an operation; those asked for in the same turn of the event loop are read in one statement. */
export function registrationPrice(
  db: Database,
  tld: string,
  op: PriceOp,
): Promise<RegistrationPrice | null> {
  return finderOf(db)({ tld, op })
}

async function readPrices(db: Database, keys: PriceKey[]): Promise<(RegistrationPrice | null)[]> {
  const { rows } = await sql<RegistrationPrice & { place: number }>`
    select p.price_cents, p.currency, p.years, k.place::int
    from unnest(${keys.map(({ tld }) => tld)}::text[], ${keys.map(({ op }) => op)}::text[])
      with ordinality as k (tld, op, place)
    join tld_prices p on p.tld = k.tld and p.op = k.op
    where p.price_cents is not null`.execute(db)
  const found: (RegistrationPrice | null)[] = keys.map(() => null)
  for (const { place, ...price } of rows) found[place - 1] = price
  return found
}

/** Writes prices over those that stand; returns how many of them are new or other than before. */
export async function putPrices(db: Database | Tx, rows: PriceRow[], now: Date): Promise<number> {
  return await writePrices(
    db,
    rows,
    now,
    sql`do update set price_cents = excluded.price_cents,
    years = excluded.years, updated_at = excluded.updated_at
    where (p.price_cents, p.years) is distinct from (excluded.price_cents, excluded.years)`,
  )
}

async function writePrices(
  db: Database | Tx,
  rows: PriceRow[],
  now: Date,
  onConflict: ReturnType<typeof sql>,
): Promise<number> {
  const written = await sql<{ tld: string }>`
    insert into tld_prices as p (tld, op, price_cents, currency, years, updated_at)
    select n.tld, n.op, n.price_cents, ${HOME_CURRENCY}, n.years, ${now}
    from unnest(${rows.map(({ tld }) => tld)}::text[], ${rows.map(({ op }) => op)}::text[],
      ${rows.map((row) => row.price_cents)}::bigint[], ${rows.map(({ years }) => years)}::int[])
      as n (tld, op, price_cents, years)
    order by n.tld, n.op
    on conflict (tld, op) ${onConflict}
    returning p.tld`.execute(db)
  return written.rows.length
}

/**
 * Gives every top-level domain that we know its starting prices, where it has none yet. What an operator
 * has set or withdrawn stays; those that a later version knows more of get theirs.
 */
export async function fillPriceBook(db: Database, clock: Clock): Promise<void> {
  const rows = startingPrices()
  const known = await sql<{ count: number }>`select count(*)::int as count from tld_prices
    where tld = any(${[...new Set(rows.map(({ tld }) => tld))]}::text[])`.execute(db)
  if (known.rows[0]?.count === rows.length) return
  await writePrices(db, rows, clock.now(), sql`do nothing`)
}

type Column =
  | 'tld'
  | 'register_cents'
  | 'renew_cents'
  | 'transfer_cents'
  | 'restore_cents'
  | 'years'

function startingPrices(): PriceRow[] {
  const lines = new Map(readTable<Column>('prices.csv').map((line) => [line.tld, line]))
  return allTlds().flatMap(({ tld, type, isOpen }) => {
    const line = lines.get(tld) ?? lines.get(`*${type}`)
    return PRICE_OPS.map((op) => ({
      tld,
      op,
      price_cents: isOpen && line ? Number(line[`${op}_cents`]) : null,
      years: Number(line?.years ?? 1),
    }))
  })
}
