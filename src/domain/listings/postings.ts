import { type Postings, postingsOf } from 'domain-marketplace-name-search'
import { type OperationNodeSource, type RawBuilder, sql } from 'kysely'
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

/**
 * The statement that makes the postings of listings what the listings say now. It comes after the statement that wrote
 * them, in its transaction: only then does it see what others wrote before.
 */
export function placePostings(environment: Environment, domains: RawBuilder<unknown> | string[]) {
  const those = Array.isArray(domains) ? sql`unnest(${domains}::text[])` : domains
  return withPostings(sql`
    select l.* from ${those} as d (domain) cross join lateral (
      select * from listings l where l.environment = ${environment} and l.domain = d.domain offset 0) l`)
}

/** Changes listings that this transaction holds already, and their postings with them; `changed` returns them. */
export function withPostings(changed: OperationNodeSource): RawBuilder<unknown> {
  return sql`with changed as (${changed}), gone as (${deletePostings})
    insert into listing_postings (environment, key, cost, domain, price_cents)
    select c.environment, k.key, c.posting_cost, c.domain, c.price_cents
    from changed c cross join unnest(c.posting_keys) as k (key)
    where c.status = 'listed' and ${areKept}`
}

/** The same for listings that leave the market; `changed` returns their keys. */
export function withoutPostings(changed: OperationNodeSource): RawBuilder<unknown> {
  return sql`with changed as (${changed}) ${deletePostings}`
}

/** By their index, one listing after the other: never by reading all postings, whatever the planner knows of them. */
const deletePostings = sql`delete from listing_postings where ctid = any(array(
  select p.ctid from changed c cross join lateral (
    select p.ctid from listing_postings p where p.domain = c.domain and p.environment = c.environment offset 0) p))`
