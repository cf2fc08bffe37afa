import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { labelOf, NameIndex, rank, splitLabel } from 'domain-marketplace-name-search'

/**
 * Queries as a market gets them: each meets names of its own word and a filler (`lawyerpro.com`), which are graded below
 * those of the trade itself (`attorneyfinder.com`), and names of its word that are about something else. Nine authors
 * wrote them who saw neither the ranker nor each other's. What several rankers found among their first and no author had
 * judged was graded afterwards, by name alone: a grade, or a place among `others`. A ranker that finds more brings more
 * names to be graded. What six of them wrote is for tuning, what the others did is held back:
 *
 *   npm run bench:search:market                        the queries for tuning
 *   npm run bench:search:market -- --held-back         the others, to look at once
 *   npm run bench:search:market -- --save before.json  what each query scored, for a later --against before.json
 *   npm run bench:search:market -- --misses semantic   what the queries of a kind got and missed
 */
const AUTHORS = { tuning: ['a', 'b', 'c', 'd', 'e', 'f'], heldBack: ['g', 'h', 'i'] }
const KINDS = ['semantic', 'mixed', 'keyword', 'typo', 'brand'] as const
const SHOWN = 5
/** Names graded so are what was asked; 1 will do when there is nothing better. */
const GOOD = 2

interface Judged {
  query: string
  kind: (typeof KINDS)[number] | 'none'
  relevant: Record<string, number>
  others: string[]
}

const { values: options } = parseArgs({
  options: {
    'held-back': { type: 'boolean', default: false },
    save: { type: 'string' },
    against: { type: 'string' },
    misses: { type: 'string' },
  },
})
const read = (file: string) =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
const judged = AUTHORS[options['held-back'] ? 'heldBack' : 'tuning'].flatMap((author) =>
  read(`market/${author}.jsonl`).map((line) => JSON.parse(line) as Judged),
)
const names = new Set([
  ...read('names.txt'),
  ...judged.flatMap(({ relevant, others }) => [...Object.keys(relevant), ...others]),
])
const index = new NameIndex()
for (const name of [...names].toSorted()) index.put(name, splitLabel(labelOf(name)), 100_000)
const measured = judged.map((one) => ({ ...one, ...measure(one) }))

console.log(`${names.size} names, ${judged.length} queries\n`)
console.log(['', 'queries', 'recall@5', 'nDCG@5'].map((text) => text.padEnd(10)).join(''))
for (const kind of ['all', ...KINDS]) {
  const some = measured.filter((one) => (kind === 'all' ? one.kind !== 'none' : one.kind === kind))
  const figures = [mean(some.map(({ recall }) => recall)), mean(some.map(({ ndcg }) => ndcg))]
  const cells = [kind, String(some.length), ...figures.map((figure) => figure.toFixed(3))]
  console.log(cells.map((text) => text.padEnd(10)).join(''))
}
const none = measured.filter(({ kind }) => kind === 'none')
console.log(
  `none      ${none.filter(({ found }) => found.length === 0).length} of ${none.length} empty`,
)

if (options.save) {
  const scores = measured.map(({ query, ndcg }) => [query, ndcg] as const)
  writeFileSync(options.save, JSON.stringify(Object.fromEntries(scores)))
}
if (options.against) {
  const before = JSON.parse(readFileSync(options.against, 'utf8')) as Record<string, number>
  const changes = measured.map(({ query, ndcg }) => ndcg - (before[query] ?? 0))
  const wins = changes.filter((change) => change > 0.001).length
  const losses = changes.filter((change) => change < -0.001).length
  console.log(`\nagainst ${options.against}: ${wins} better, ${losses} worse, of ${changes.length}`)
}
for (const one of measured) if (one.kind === options.misses) printMisses(one)

function measure({ query, relevant }: Judged) {
  const found = rank(index, query, {}, SHOWN).map(({ domain }) => domain)
  const grades = Object.values(relevant).toSorted((a, b) => b - a)
  const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2)
  const ideal = sum(grades.slice(0, SHOWN).map(gain))
  const good = grades.filter((grade) => grade >= GOOD).length
  const hits = found.filter((name) => (relevant[name] ?? 0) >= GOOD).length
  return {
    found,
    recall: good === 0 ? 1 : hits / Math.min(SHOWN, good),
    ndcg:
      ideal === 0 ? 1 : sum(found.map((name, place) => gain(relevant[name] ?? 0, place))) / ideal,
  }
}

function printMisses({ query, relevant, found }: (typeof measured)[number]): void {
  console.log(`\n${query}`)
  for (const { domain, score, why } of rank(index, query, {}, SHOWN)) {
    console.log(`  ${relevant[domain] ?? '-'} ${domain} ${score} ${why}`)
  }
  const missed = Object.entries(relevant)
    .filter(([name, grade]) => grade >= GOOD && !found.includes(name))
    .map(([name]) => `${name} (${splitLabel(labelOf(name)).join(' ')})`)
  if (missed.length > 0) console.log(`  missed: ${missed.slice(0, 8).join(', ')}`)
}

function mean(figures: number[]): number {
  return figures.length === 0 ? 0 : sum(figures) / figures.length
}

function sum(figures: number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}
