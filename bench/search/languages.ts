import { readFileSync } from 'node:fs'
import { labelOf, NameIndex, rank, splitLabel } from 'domain-marketplace-name-search'

/**
 * Prints recall@5 of queries in other languages, by kind and on each half of the judged sets, among the names of all of
 * them and those of the English set: `npm run bench:search:languages`. With `--misses de` it lists what the queries of the
 * tuning half got. The sets were written by others than the ranker and the vocabulary.
 */
const LANGUAGES = ['de', 'es', 'fr', 'ru', 'zh']
const KINDS = ['keyword', 'mixed', 'semantic'] as const
const SHOWN = 5

interface Judged {
  query: string
  kind: (typeof KINDS)[number]
  relevant: Record<string, number>
}

const read = (file: string) =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
const sets = new Map(
  LANGUAGES.map((language) => [
    language,
    read(`languages/${language}.jsonl`).map((line) => JSON.parse(line) as Judged),
  ]),
)
const names = new Set([
  ...read('names.txt'),
  ...LANGUAGES.flatMap((language) => read(`languages/${language}-names.txt`)),
  ...[...sets.values()].flat().flatMap(({ relevant }) => Object.keys(relevant)),
])
const index = new NameIndex()
for (const name of [...names].toSorted()) index.put(name, splitLabel(labelOf(name)), 100_000)

const missesOf = process.argv[process.argv.indexOf('--misses') + 1]
console.log(`${names.size} names; recall@5 on the tuning half, and on the half held back\n`)
console.log(['', 'all', ...KINDS].map((text) => text.padEnd(14)).join(''))
for (const [language, judged] of sets) {
  const halves = [0, 1].map((half) => judged.filter((_, at) => at % 2 === half))
  const cells = ['all', ...KINDS].map((kind) =>
    halves
      .map((half) => {
        const asked = half.filter((one) => kind === 'all' || one.kind === kind)
        return (asked.reduce((sum, one) => sum + recall(one), 0) / asked.length).toFixed(2)
      })
      .join(' / '),
  )
  console.log([language, ...cells].map((text) => text.padEnd(14)).join(''))
  if (language === missesOf) for (const one of halves[0] ?? []) printMisses(one)
}

function found({ query }: Judged): string[] {
  return rank(index, query, {}, SHOWN).map(({ domain }) => domain)
}

function recall(one: Judged): number {
  const hits = found(one).filter((name) => name in one.relevant).length
  return hits / Math.min(SHOWN, Object.keys(one.relevant).length)
}

function printMisses(one: Judged): void {
  console.log(`\n[${one.kind}] ${one.query}`)
  for (const { domain, score, why } of rank(index, one.query, {}, SHOWN)) {
    console.log(`  ${one.relevant[domain] ?? '-'} ${domain} ${score} ${why}`)
  }
  const shown = found(one)
  const missed = Object.keys(one.relevant).filter((name) => !shown.includes(name))
  if (missed.length > 0) {
    console.log(
      `  missed: ${missed.map((name) => `${name} (${splitLabel(labelOf(name)).join(' ')})`).join(', ')}`,
    )
  }
}
