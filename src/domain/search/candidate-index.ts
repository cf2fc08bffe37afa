import type { Filter, Found, Similar } from 'domain-marketplace-name-search'
import type { Environment } from '../../core/caller.ts'

/** What a query means by an embeddings endpoint. */
export interface QueryMeaning {
  /** The signs of its vector, for an index that holds those of all names. */
  code: Uint32Array
  /** Which of these labels' words mean much the same. */
  compare(words: string[]): Promise<Similar[]>
}

/** The names that are listed, where the candidates of a search come from. */
export interface CandidateIndex {
  /**
   * The names that fit a query, the best first, at most `limit`: of what was listed when it was called, as far as
   * that was committed.
   */
  rank(
    environment: Environment,
    query: string,
    filter: Filter,
    limit: number,
    meaning?: QueryMeaning,
  ): Promise<Found[]>
  /** Of what is listed: how many different labels' words have a vector of the model, and how many wait for one. */
  progress(): Promise<{ embedded: number; waiting: number }>
  stop(): Promise<void>
}
