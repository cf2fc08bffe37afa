import { type Filter, type PostingList, postingLists } from 'domain-marketplace-name-search'
import { type RawBuilder, sql } from 'kysely'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { completePostings } from '../listings/complete-postings.ts'
import type { CandidateIndex } from './candidate-index.ts'
import { startRankerThread } from './ranker.ts'

// A candidate is a line of its domain, price and words, as the ranker reads them.

/** Names that are read of each list, and those that are ranked. */
const EACH = 20
const CANDIDATES = 150
/** With a filter, so many are looked at for those that pass. */
const LOOKED_AT = 300
/** When fewer pass, all of each list is looked at. */
const FEW = 20

/** Asks the database's postings for candidates: no names in memory, and as fresh as a commit. */
export async function startPostgresIndex(
  app: Pick<AppContext, 'db' | 'server' | 'log'>,
  model: string | undefined,
): Promise<CandidateIndex> {
  await completePostings(app)
  const ranker = startRankerThread()

  async function candidates(
    environment: Environment,
    query: string,
    filter: Filter,
    limit: number,
  ) {
    const lists = postingLists(query, environment)
    const count = Math.max(CANDIDATES, limit)
    const passes = passedBy(filter)
    if (!passes)
      return await read(
        environment,
        lists,
        count,
        sql`
      select p.domain, p.cost from listing_postings p where p.key = k.key
      order by p.cost, p.domain limit ${EACH}`,
      )
    const some = await read(
      environment,
      lists,
      count,
      sql`
      select p.domain, p.cost from (
        select p.domain, p.cost, p.price_cents from listing_postings p where p.key = k.key
        order by p.cost, p.domain limit ${LOOKED_AT}) p
      where ${passes} order by p.cost, p.domain limit ${EACH}`,
    )
    if (some.length >= FEW) return some
    return await read(
      environment,
      lists,
      count,
      sql`
      select p.domain, p.cost from listing_postings p where p.key = k.key and ${passes}
      order by p.cost, p.domain limit ${EACH}`,
    )
  }

  async function read(
    environment: Environment,
    lists: PostingList[],
    count: number,
    postings: RawBuilder<unknown>,
  ): Promise<string[]> {
    const { rows } = await sql<{ names: string | null }>`
      select string_agg(l.domain || E'\\t' || l.price_cents || E'\\t' || array_to_string(l.tokens, ' '), E'\\n') as names
      from (
        select p.domain, max(k.base + k.rest * least(1, k.fit / greatest(p.cost, 1))) as worth
        from unnest(${arrayOf(lists, ({ key }) => key)}::int4[],
            ${arrayOf(lists, ({ base }) => whole(base))}::float4[],
            ${arrayOf(lists, ({ rest }) => whole(rest))}::float4[],
            ${arrayOf(lists, ({ fit }) => Math.round(fit * 100) / 100)}::float4[])
            as k (key, base, rest, fit)
          cross join lateral (${postings}) p
        group by p.domain order by worth desc, p.domain limit ${count}
      ) c join listings l on l.environment = ${environment} and l.domain = c.domain
      where l.status = 'listed' and l.tokens is not null`.execute(app.db)
    return rows[0]?.names?.split('\n') ?? []
  }

  return {
    async rank(environment, query, filter, limit, meaning) {
      const found = await candidates(environment, query, filter, limit)
      if (found.length === 0) return []
      const wordsOf = (name: string) => name.slice(name.lastIndexOf('\t') + 1)
      const similar = await meaning?.compare([...new Set(found.map(wordsOf))])
      return await ranker.rankAmong(found.join('\n'), query, filter, limit, similar)
    },
    async progress() {
      const { rows } = await sql<{ embedded: number; waiting: number }>`
        select count(v.words)::int as embedded, (count(*) - count(v.words))::int as waiting
        from (select distinct array_to_string(tokens, ' ') as words from listings
          where status = 'listed' and tokens <> '{}') l
        left join label_vectors v on v.model = ${model ?? ''} and v.words = l.words`.execute(app.db)
      return rows[0] ?? { embedded: 0, waiting: 0 }
    },
    stop: () => ranker.stop(),
  }
}

/** As an array is written in SQL; a list of numbers costs much less so than element by element. */
function arrayOf(lists: readonly PostingList[], value: (list: PostingList) => number): string {
  return `{${lists.map(value).join(',')}}`
}

/** A worth as a whole number, short to write and to read: only their order matters. */
function whole(worth: number): number {
  return Math.round(worth * 1_000_000)
}

/** What of a posting `p` passes the filter; undefined when everything does. */
function passedBy({ tld, maxPriceCents }: Filter): RawBuilder<boolean> | undefined {
  const conditions = [
    tld !== undefined && sql`substr(p.domain, strpos(p.domain, '.') + 1) = ${tld}`,
    maxPriceCents !== undefined && sql`p.price_cents <= ${maxPriceCents}::bigint`,
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? undefined : sql<boolean>`${sql.join(conditions, sql` and `)}`
}
