import { rank } from 'domain-marketplace-name-search'
import { describe, expect, test } from 'vitest'
import {
  corpus,
  HALVES,
  type Half,
  inSentence,
  mayCount,
  readJudged,
} from '../../bench/search/judged.ts'

/** A little below what `npm run bench:search` prints, so that a change for the worse is seen. */
const LEAST = { tuning: 0.8, 'held-back': 0.77 }
const SHOWN = 5

describe('the judged set', () => {
  const index = corpus()

  function recall(half: Half, asks: (query: string) => string): number {
    const recalls = readJudged(half)
      .filter(({ kind }) => kind !== 'none')
      .map((judged) => {
        const found = rank(index, asks(judged.query), {}, 300)
          .map(({ domain }) => domain)
          .filter(mayCount(judged))
          .slice(0, SHOWN)
        const hits = found.filter((domain) => domain in judged.relevant).length
        return hits / Math.min(SHOWN, Object.keys(judged.relevant).length)
      })
    return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length
  }

  test.each(HALVES)('%s: most of what was judged relevant is found', (half) => {
    expect(recall(half, (query) => query)).toBeGreaterThan(LEAST[half])
  })

  test.each(HALVES)('%s: most is found by sentences too', (half) => {
    expect(recall(half, inSentence)).toBeGreaterThan(LEAST[half])
  })

  test.each(HALVES.flatMap(readJudged).filter(({ kind }) => kind === 'none'))(
    'nothing for $query',
    ({ query }) => {
      expect(rank(index, query, {}, SHOWN)).toEqual([])
      expect(rank(index, inSentence(query), {}, SHOWN)).toEqual([])
    },
  )
})
