import { describe, expect, test } from 'vitest'
import { corpus, HALVES, mayCount, readJudged } from '../../bench/search/judged.ts'
import { rank } from '../../src/modules/search/rank.ts'

/** A little below what `npm run bench:search` prints, so that a change for the worse is seen. */
const LEAST = { tuning: 0.75, 'held-back': 0.7 }
const SHOWN = 5

describe('the judged set', () => {
  const index = corpus()

  test.each(HALVES)('%s: most of what was judged relevant is found', (half) => {
    const recalls = readJudged(half)
      .filter(({ kind }) => kind !== 'none')
      .map((judged) => {
        const found = rank(index, judged.query, {}, 300)
          .map(({ domain }) => domain)
          .filter(mayCount(judged))
          .slice(0, SHOWN)
        const hits = found.filter((domain) => domain in judged.relevant).length
        return hits / Math.min(SHOWN, Object.keys(judged.relevant).length)
      })
    const mean = recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length
    expect(mean).toBeGreaterThan(LEAST[half])
  })

  test.each(HALVES.flatMap(readJudged).filter(({ kind }) => kind === 'none'))(
    'nothing for $query',
    ({ query }) => {
      expect(rank(index, query, {}, SHOWN)).toEqual([])
    },
  )
})
