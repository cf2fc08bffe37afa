import { ENVIRONMENTS, type Environment } from '../../kernel/operation.ts'
import { startThread } from '../../lib/thread.ts'
import { NameIndex } from './name-index.ts'
import { type Filter, type Found, rank } from './rank.ts'

/** Holds the names of both environments and ranks them; in this thread or in one of its own. */
export interface Ranker {
  /**
   * Takes in listings as they stand now, a line each: environment, domain, status, price in cents and
   * the label's words with spaces between, parted by tabs.
   */
  apply(lines: string): Promise<void>
  rank(environment: Environment, query: string, filter: Filter, limit: number): Promise<Found[]>
  stop(): Promise<void>
}

/** In this thread: right for the embedded database's few thousand names. */
export function createRanker(): Ranker {
  const { apply, rank } = createNames()
  return {
    apply: async (lines) => apply(lines),
    rank: async (...question) => rank(...question),
    stop: async () => {},
  }
}

/** In a thread of its own, so that a search among a million names stops nothing else. */
export function startRankerThread(): Ranker {
  const thread = startThread(new URL('./ranker-thread', import.meta.url), import.meta.url)
  return {
    apply: (lines) => thread.call('apply', lines) as Promise<void>,
    rank: (...question) => thread.call('rank', ...question) as Promise<Found[]>,
    stop: () => thread.stop(),
  }
}

export function createNames() {
  const names = Object.fromEntries(
    ENVIRONMENTS.map((environment) => [environment, new NameIndex()]),
  ) as Record<Environment, NameIndex>
  return {
    apply(lines: string): void {
      for (const line of lines.split('\n')) {
        const [environment, domain = '', status, price, words = ''] = line.split('\t')
        const index = names[environment as Environment]
        if (status === 'listed') index.put(domain, words.split(' '), Number(price))
        else index.remove(domain)
      }
    },
    rank: (environment: Environment, query: string, filter: Filter, limit: number): Found[] =>
      rank(names[environment], query, filter, limit),
  }
}
