import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { parseDomainName } from 'domain-marketplace-domain-names'
import { splitLabel } from 'domain-marketplace-name-search'
import { sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { postingColumns, postingKeys } from '../listings/postings.ts'
import { followWrite, NOTE_CHANGE } from '../listings/write-listings.ts'

/** What ships with the service: the sandbox's inventory, and live demo names for the embedded default. */
const SEEDS = {
  sandbox: new URL('../../../seed/sandbox-listings.csv', import.meta.url),
  live: new URL('../../../seed/demo-listings.csv', import.meta.url),
} as const satisfies Record<Environment, URL>

interface SeedRow {
  domain: string
  price_cents: string
  floor_price_cents: string
  currency: string
}

/** A row with what its label is made of. */
interface SeedListing extends SeedRow {
  label: string
  tld: string
  words: string
  keys: string
  cost: number
}

const read = new Map<Environment, SeedListing[]>()

/** Read, and split into words, once a process: every reset of a sandbox places them anew. */
function seedRows(environment: Environment): SeedListing[] {
  const known = read.get(environment)
  if (known) return known
  const file: SeedRow[] = parse(readFileSync(SEEDS[environment]), { columns: true })
  const rows = file.map((row) => {
    const name = parseDomainName(row.domain)
    if (!name) throw new Error(`the seed's ${row.domain} is no domain name`)
    const words = splitLabel(name.label)
    const postings = postingColumns(environment, row.domain, words)
    return { ...row, label: name.label, tld: name.tld, words: words.join(' '), ...postings }
  })
  read.set(environment, rows)
  return rows
}

/** Fills an empty inventory. */
export async function seedListings(app: AppContext, environment: Environment): Promise<void> {
  const some = await app.db
    .selectFrom('listings')
    .select('domain')
    .where('environment', '=', environment)
    .limit(1)
    .executeTakeFirst()
  if (some) return
  await inTransaction(app, (tx) => placeSeed(tx, environment, app.clock.now()))
}

/** Lists every name of the seed at its seed price; what operators have withdrawn stays so. */
export async function placeSeed(tx: Tx, environment: Environment, now: Date): Promise<number> {
  const rows = seedRows(environment)
  const metadata = environment === 'sandbox' ? { test: true } : { demo: true }
  const { rows: placed } = await sql<{ domain: string }>`
    insert into listings as l (environment, domain, label, tld, price_cents, floor_price_cents, currency,
      status, metadata, tokens, posting_keys, posting_cost, listed_at, updated_at)
    select ${environment}::text, s.domain, s.label, s.tld, s.price, s.floor, s.currency, 'listed',
      ${JSON.stringify(metadata)}::json, string_to_array(s.words, ' '), ${postingKeys(sql`s.keys`)}, s.cost,
      ${now}::timestamptz, ${now}::timestamptz
    from unnest(${rows.map((row) => row.domain)}::text[], ${rows.map((row) => row.label)}::text[],
      ${rows.map((row) => row.tld)}::text[], ${rows.map((row) => row.price_cents)}::bigint[],
      ${rows.map((row) => row.floor_price_cents)}::bigint[], ${rows.map((row) => row.currency)}::text[],
      ${rows.map((row) => row.words)}::text[], ${rows.map((row) => row.keys)}::text[],
      ${rows.map((row) => row.cost)}::integer[])
      as s (domain, label, tld, price, floor, currency, words, keys, cost)
    order by s.domain
    on conflict (environment, domain) do update set price_cents = excluded.price_cents,
      floor_price_cents = excluded.floor_price_cents, currency = excluded.currency,
      metadata = excluded.metadata, tokens = excluded.tokens, posting_keys = excluded.posting_keys,
      posting_cost = excluded.posting_cost, updated_at = excluded.updated_at, ${NOTE_CHANGE}
    where l.status = 'listed' and (l.price_cents, l.floor_price_cents, l.currency, l.tokens)
      is distinct from (excluded.price_cents, excluded.floor_price_cents, excluded.currency, excluded.tokens)
    returning l.domain`.execute(tx)
  if (placed.length > 0) {
    const domains = placed.map(({ domain }) => domain)
    await followWrite(environment, domains).execute(tx)
  }
  return rows.length
}
