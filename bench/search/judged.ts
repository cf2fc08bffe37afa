import { readFileSync } from 'node:fs'
import { labelOf, lexicon, NameIndex, splitLabel } from 'domain-marketplace-name-search'

export const HALVES = ['tuning', 'held-back'] as const
export type Half = (typeof HALVES)[number]

/** A query with the names that match it, graded by hand: 3 is just what was asked, 1 acceptable. */
export interface Judged {
  query: string
  kind: 'semantic' | 'mixed' | 'keyword' | 'typo' | 'brand' | 'few' | 'none'
  relevant: Record<string, number>
  reason: string
}

export function readJudged(half: Half): Judged[] {
  return readFileSync(new URL(`queries-${half}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Judged)
}

/** As people and agents put it; it should find what the query does alone. */
export function inSentence(query: string): string {
  return `I'd like to find a good domain name for my new website about ${query}, please`
}

/** The corpus with what the queries ask for planted in it; another TLD of a planted name is left out. */
export function corpus(): NameIndex {
  const planted = new Set(
    HALVES.flatMap(readJudged).flatMap(({ relevant }) => Object.keys(relevant)),
  )
  const labels = new Set([...planted].map(labelOf))
  const background = readFileSync(new URL('names.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .filter((domain) => !labels.has(labelOf(domain)))
  const index = new NameIndex()
  for (const domain of [...background, ...planted].toSorted()) {
    index.put(domain, splitLabel(labelOf(domain)), 100_000)
  }
  return index
}

/**
 * Whether a name may count for the query. A purely semantic query is asked among the names that share no
 * word or stem with it, so that only meaning can find what is found.
 */
export function mayCount({ query, kind }: Judged): (domain: string) => boolean {
  if (kind !== 'semantic') return () => true
  const asked = (query.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter(
    (word) => lexicon().weight(word) > 0.1,
  )
  const stems = new Set(asked.map(stemOf))
  return (domain) => !splitLabel(labelOf(domain)).some((word) => stems.has(stemOf(word)))
}

function stemOf(word: string): string {
  return lexicon().lemma(word).slice(0, 5)
}
