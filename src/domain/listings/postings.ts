import { type Postings, postingsOf } from 'domain-marketplace-name-search'
import { type RawBuilder, sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'

/**
 * A listing's postings are what a search in the database finds it by (docs/decisions/0046). They exist for what is
 * listed, and are written by the statements that write listings, never by a trigger.
 */

/** What `installation` calls the postings: `begun` while those of older listings are made, then `complete`. */
export const POSTINGS = 'listing_postings'

const areKept = sql`exists (select from installation where name = ${sql.lit(POSTINGS)})`

/** The postings of one name as the columns `posting_keys`, in PostgreSQL's notation of an array, and `posting_cost`. */
export function postingColumns(
  environment: Environment,
  domain: string,
  words: readonly string[],
): { keys: string; cost: Postings['cost'] } {
  const { keys, cost } = postingsOf(domain, words, environment)
  return { keys: `{${keys.join()}}`, cost }
}

/** Such keys, a text in a column of what is written: `array_in`, which is STABLE, must not come to a column there. */
export function postingKeys(column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`string_to_array(btrim(${column}, '{}'), ',')::integer[]`
}

/** Of the listings that a statement has in `changed`. */
export const insertPostings = sql`
  insert into listing_postings (environment, key, cost, domain, price_cents)
  select c.environment, k.key, c.posting_cost, c.domain, c.price_cents
  from changed c cross join unnest(c.posting_keys) as k (key)
  where c.status = 'listed' and ${areKept}`

/**
 * By their index, one listing after the other: never by reading all postings, whatever the planner knows of them. The
 * names are compared once more, since rows of different nodes may have the same `ctid`.
 */
export const deletePostings = sql`delete from listing_postings where ctid = any(array(
  select p.ctid from changed c cross join lateral (
    select p.ctid from listing_postings p where p.domain = c.domain and p.environment = c.environment offset 0) p))
  and (environment, domain) in (select environment, domain from changed)`
