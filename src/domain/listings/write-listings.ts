import { type RawBuilder, sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { Schema } from '../../db/schema.ts'
import { deletePostings, insertPostings } from './postings.ts'
import { markWatches } from './watch.ts'

/**
 * What follows from a change of a listing's status, price, currency or words: its postings, the watches of those who
 * are to hear of it, and `changed_in`, by which the memory of each instance takes it in. The statements that change
 * listings write it, in their transaction and never by a trigger: Citus distributes no table that has one.
 */

type Change = UpdateQueryBuilder<Schema, 'listings', 'listings', UpdateResult>

/** Set by statements that `followWrite` comes after; those that are passed on here get it here. */
export const CHANGED = { changed_in: sql<string>`pg_current_xact_id()` }

/** The same in SQL. */
export const NOTE_CHANGE = sql`changed_in = ${CHANGED.changed_in}`

/** Changes listings that this transaction holds already, and writes what follows from it. */
export function changeListings(change: Change): RawBuilder<unknown> {
  return follow(change.set(CHANGED).returningAll())
}

/** The same for listings that leave the market. */
export function takeOffMarket(change: Change): RawBuilder<unknown> {
  const changed = change.set(CHANGED).returningAll()
  return sql`with changed as (${changed}), told as (${markWatches}) ${deletePostings}`
}

/**
 * The statement that writes what follows for listings written by another. It comes after that one, in its transaction:
 * only then does it see what others wrote before.
 */
export function followWrite(
  environment: Environment,
  domains: RawBuilder<unknown> | string[],
): RawBuilder<unknown> {
  const those = Array.isArray(domains) ? sql`unnest(${domains}::text[])` : domains
  return follow(sql`
    select l.* from ${those} as d (domain) cross join lateral (
      select * from listings l where l.environment = ${environment}::text and l.domain = d.domain offset 0) l`)
}

function follow(changed: Parameters<typeof sql>[1]): RawBuilder<unknown> {
  return sql`with changed as (${changed}), told as (${markWatches}), gone as (${deletePostings}) ${insertPostings}`
}
