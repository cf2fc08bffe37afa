import {
  byLetters,
  byMeaning,
  type NameIndex,
  rank,
  readQuery,
} from 'domain-marketplace-name-search'
import { corpus, HALVES, inSentence, type Judged, mayCount, readJudged } from './judged.ts'

/**
 * Prints recall@5, nDCG@5 and the precision of what is returned, by kind of query and by variant of the
 * search, on each half of the judged set: `npm run bench:search`. With `--misses tuning` it lists what
 * the queries of a half got and missed.
 */
const SHOWN = 5
const DEEP = 300
/** Reciprocal rank fusion's usual constant (Cormack et al. 2009). */
const RRF = 60

type Variant = (index: NameIndex, query: string, accepts: (domain: string) => boolean) => string[]

const VARIANTS: Record<string, Variant> = {
  'keyword only': byKeyword,
  'trigram only': (index, query, accepts) =>
    byLetters(index, readQuery(query, index), acceptNumber(index, accepts)).map(nameOf(index)),
  'meaning only': (index, query, accepts) =>
    byMeaning(index, readQuery(query, index), acceptNumber(index, accepts)).map(nameOf(index)),
  fused: (index, query, accepts) =>
    fuse(
      ['keyword only', 'trigram only', 'meaning only'].map(
        (name) => VARIANTS[name]?.(index, query, accepts).slice(0, DEEP) ?? [],
      ),
    ),
  'fused, reranked': (index, query, accepts) =>
    rank(index, query, {}, DEEP)
      .map(({ domain }) => domain)
      .filter(accepts),
  'in a sentence': (index, query, accepts) =>
    VARIANTS['fused, reranked']?.(index, inSentence(query), accepts) ?? [],
}

const index = corpus()
console.log(`${index.size} names`)
const missesOf = process.argv[process.argv.indexOf('--misses') + 1]
for (const half of HALVES) {
  const judged = readJudged(half)
  if (process.argv.includes('--misses')) {
    if (half === missesOf) for (const query of judged) printMisses(query)
    continue
  }
  console.log(`\n${half}: ${judged.length} queries (recall@5 / nDCG@5 / precision)\n`)
  printTable(judged)
}

function printTable(judged: Judged[]): void {
  const kinds = [...new Set(judged.map(({ kind }) => kind))].filter((kind) => kind !== 'none')
  const cell = (text: string) => text.padEnd(18)
  console.log(cell('') + ['all', ...kinds, 'none'].map(cell).join(''))
  for (const [name, search] of Object.entries(VARIANTS)) {
    const measured = judged.map((query) => ({
      kind: query.kind,
      ...measure(query, search(index, query.query, mayCount(query)).slice(0, SHOWN)),
    }))
    const answered = measured.filter(({ kind }) => kind !== 'none')
    const groups = [answered, ...kinds.map((kind) => answered.filter((one) => one.kind === kind))]
    const figures = groups.map((group) =>
      (['recall', 'ndcg', 'precision'] as const)
        .map((figure) =>
          mean(group.map((one) => one[figure]))
            .toFixed(2)
            .replace(/^0/, ''),
        )
        .join(' / '),
    )
    const empty = measured.filter(({ kind }) => kind === 'none')
    const nothing = `${empty.filter(({ returned }) => returned === 0).length} of ${empty.length} empty`
    console.log(cell(name) + [...figures, nothing].map(cell).join(''))
  }
}

/** Recall is of as many as can be shown; a name that nobody judged counts as not relevant. */
function measure({ relevant }: Judged, found: string[]) {
  const grades = Object.values(relevant).toSorted((a, b) => b - a)
  const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2)
  const ideal = grades.slice(0, SHOWN).reduce((sum, grade, place) => sum + gain(grade, place), 0)
  const gained = found.reduce((sum, name, place) => sum + gain(relevant[name] ?? 0, place), 0)
  const hits = found.filter((name) => name in relevant).length
  return {
    recall: hits / Math.min(SHOWN, grades.length),
    ndcg: gained / ideal,
    precision: found.length === 0 ? 1 : hits / found.length,
    returned: found.length,
  }
}

function printMisses(query: Judged): void {
  const accepts = mayCount(query)
  const found = rank(index, query.query, {}, DEEP).filter(({ domain }) => accepts(domain))
  const shown = found.slice(0, SHOWN)
  console.log(`\n[${query.kind}] ${query.query}`)
  for (const { domain, score, why } of shown) {
    console.log(`  ${query.relevant[domain] ?? '-'} ${domain} ${score} ${why}`)
  }
  const missed = Object.keys(query.relevant).filter(
    (name) => !shown.some(({ domain }) => domain === name),
  )
  if (missed.length > 0) console.log(`  missed: ${missed.join(', ')}`)
}

function byKeyword(
  index: NameIndex,
  query: string,
  accepts: (domain: string) => boolean,
): string[] {
  const scores = new Map<number, number>()
  const { units } = readQuery(query, index)
  for (const { near } of units) {
    for (const [term, weight] of near) {
      if (weight < 1) continue
      for (const name of namesWith(index, term)) {
        scores.set(name, (scores.get(name) ?? 0) + index.termWeight(term))
      }
    }
  }
  return [...scores]
    .map(([name, score]) => ({ name, score: score - 0.001 * index.length(name) }))
    .toSorted((a, b) => b.score - a.score || a.name - b.name)
    .map(({ name }) => index.domains[name] ?? '')
    .filter(accepts)
}

function* namesWith({ namesByTerms: lists }: NameIndex, term: number) {
  for (let entry = lists.first(term, term); entry !== 0; entry = lists.next(entry)) {
    yield lists.name(entry)
  }
}

function fuse(lists: string[][]): string[] {
  const scores = new Map<string, number>()
  for (const list of lists) {
    for (const [place, name] of list.entries()) {
      scores.set(name, (scores.get(name) ?? 0) + 1 / (RRF + place + 1))
    }
  }
  return [...scores].toSorted((a, b) => b[1] - a[1]).map(([name]) => name)
}

function acceptNumber(index: NameIndex, accepts: (domain: string) => boolean) {
  return (name: number) => accepts(index.domains[name] ?? '')
}

function nameOf(index: NameIndex) {
  return (name: number) => index.domains[name] ?? ''
}

function mean(figures: number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length
}
