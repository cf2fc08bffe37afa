import {
  acceptedBy,
  type Filter,
  type Found,
  MeaningIndex,
  NameIndex,
  rank,
  type Similar,
} from 'domain-marketplace-name-search'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import { startThread } from '../../lib/thread.ts'

/** Holds the names of both environments and ranks them; in this thread or in one of its own. */
export interface Ranker {
  /**
   * Takes in listings as they stand now, a line each: environment, domain, status, price in cents and
   * the label's words with spaces between, parted by tabs.
   */
  apply(lines: string): Promise<void>
  rank(
    environment: Environment,
    query: string,
    filter: Filter,
    limit: number,
    similar?: Similar[],
  ): Promise<Found[]>
  /** Ranks these names alone, a line each: domain, price in cents and the label's words, parted by tabs. */
  rankAmong(
    names: string,
    query: string,
    filter: Filter,
    limit: number,
    similar?: Similar[],
  ): Promise<Found[]>
  /** Makes room for vectors' codes, before anything else is applied. */
  holdMeanings(): Promise<void>
  /** Takes in words and the code of their vector, a line each, parted by a tab. */
  applyCodes(lines: string): Promise<void>
  /** The words of accepted names whose code is nearest. */
  nearest(
    environment: Environment,
    code: Uint32Array,
    filter: Filter,
    count: number,
  ): Promise<string[]>
  progress(): Promise<{ embedded: number; waiting: number }>
  stop(): Promise<void>
}

/** In this thread: right for the embedded database's few thousand names. */
export function createRanker(): Ranker {
  const names = createNames()
  return {
    apply: async (lines) => names.apply(lines),
    rank: async (...question) => names.rank(...question),
    rankAmong: async (...question) => names.rankAmong(...question),
    holdMeanings: async () => names.holdMeanings(),
    applyCodes: async (lines) => names.applyCodes(lines),
    nearest: async (...question) => names.nearest(...question),
    progress: async () => names.progress(),
    stop: async () => {},
  }
}

/** In a thread of its own, so that a search among a million names stops nothing else. */
export function startRankerThread(): Ranker {
  const thread = startThread(new URL('./ranker-thread', import.meta.url), import.meta.url)
  return {
    apply: (lines) => thread.call('apply', lines) as Promise<void>,
    rank: (...question) => thread.call('rank', ...question) as Promise<Found[]>,
    rankAmong: (...question) => thread.call('rankAmong', ...question) as Promise<Found[]>,
    holdMeanings: () => thread.call('holdMeanings') as Promise<void>,
    applyCodes: (lines) => thread.call('applyCodes', lines) as Promise<void>,
    nearest: (...question) => thread.call('nearest', ...question) as Promise<string[]>,
    progress: () => thread.call('progress') as ReturnType<Ranker['progress']>,
    stop: () => thread.stop(),
  }
}

export function createNames() {
  const names = Object.fromEntries(
    ENVIRONMENTS.map((environment) => [environment, new NameIndex()]),
  ) as Record<Environment, NameIndex>
  let meanings: MeaningIndex<Environment> | undefined
  return {
    apply(lines: string): void {
      for (const line of lines.split('\n')) {
        const [environment, domain = '', status, price, words = ''] = line.split('\t')
        const index = names[environment as Environment]
        if (status === 'listed') {
          const name = index.put(domain, words.split(' '), Number(price))
          meanings?.addName(environment as Environment, name, words)
        } else index.remove(domain)
      }
    },
    rank(
      environment: Environment,
      query: string,
      filter: Filter,
      limit: number,
      similar: Similar[] = [],
    ): Found[] {
      const byName = similar.flatMap((one) =>
        (meanings?.names(environment, one.words) ?? []).map((name) => [name, one] as const),
      )
      return rank(names[environment], query, filter, limit, new Map(byName))
    },
    rankAmong(
      lines: string,
      query: string,
      filter: Filter,
      limit: number,
      similar: Similar[] = [],
    ): Found[] {
      const index = new NameIndex()
      const likenessOf = new Map(similar.map((one) => [one.words, one]))
      const byName = new Map<number, Similar>()
      for (const line of lines.split('\n')) {
        const [domain = '', price, words = ''] = line.split('\t')
        const name = index.put(domain, words.split(' '), Number(price))
        const likeness = likenessOf.get(words)
        if (likeness) byName.set(name, likeness)
      }
      return rank(index, query, filter, limit, byName)
    },
    holdMeanings(): void {
      meanings = new MeaningIndex(ENVIRONMENTS)
    },
    applyCodes(lines: string): void {
      for (const line of lines.split('\n')) {
        const [words = '', code = ''] = line.split('\t')
        meanings?.addCode(
          words,
          new Uint32Array(Uint8Array.from(Buffer.from(code, 'base64')).buffer),
        )
      }
    },
    nearest(environment: Environment, code: Uint32Array, filter: Filter, count: number): string[] {
      const accepts = acceptedBy(names[environment], filter)
      return meanings?.nearest(environment, code, accepts, count) ?? []
    },
    progress() {
      const isListed = (environment: Environment, name: number) => names[environment].isListed(name)
      return meanings?.progress(isListed) ?? { embedded: 0, waiting: 0 }
    },
  }
}
