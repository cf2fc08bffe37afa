import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Found,
  labelOf,
  lexiconFingerprint,
  type Similar,
  splitLabel,
} from 'domain-marketplace-name-search'
import type { AppContext, ModelCheck } from '../../core/context.ts'
import { requireDimensions } from './embedder.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { type JudgedQuery, judgedSet } from './judged-set.ts'
import { centred, quantised, readQuantised, similarTo } from './label-vectors.ts'
import { textOf } from './query-text.ts'
import { createRanker, type Ranker, startRankerThread } from './ranker.ts'

/** Of what a search shows. */
const RESULTS = 5
/** What a model must gain: a third of what vectors that know the grades gain. Less is not worth a request a search. */
const MARGIN = 0.02
/** Raised whenever the ranker, or this check, comes to other figures. */
const CHECKING = '1'
const SCOPE = 'live'
const PRICE_CENTS = 100_000

/** Another whenever a model is to be checked again. */
export function checkedWith(): string {
  return createHash('sha256')
    .update(CHECKING)
    .update(lexiconFingerprint())
    .update(judgedSet().text)
    .digest('hex')
}

export async function findCheck(
  { db }: Pick<AppContext, 'db'>,
  model: string,
): Promise<ModelCheck | undefined> {
  return await db
    .selectFrom('embedding_checks')
    .select(['queries', 'recall_without', 'recall_with', 'better', 'worse', 'is_used'])
    .where('model', '=', model)
    .where('checked_with', '=', checkedWith())
    .executeTakeFirst()
}

/**
 * Ranks the judged set with a model's vectors and without, and keeps how both did. A model that does not help there is
 * not used: many are worse than the lexicon alone.
 */
export async function checkModel(
  { db, server, clock, log }: Pick<AppContext, 'db' | 'server' | 'clock' | 'log'>,
  model: EmbeddingModel,
  embedAll: (texts: string[]) => Promise<Float32Array[]>,
): Promise<void> {
  const embedded = await embedSet(model, embedAll)
  const ranker = server.kind === 'embedded' ? createRanker() : startRankerThread()
  const check = await measureGain(ranker, embedded).finally(() => ranker.stop())
  await db
    .insertInto('embedding_checks')
    .values({ model: model.name, checked_with: checkedWith(), ...check, checked_at: clock.now() })
    .onConflict((known) => known.doNothing())
    .execute()
  const fields = { model: model.name, ...check }
  if (check.is_used) log.info(fields, 'search: the embedding model helps, and is used')
  else log.warn(fields, 'search: the embedding model does not help, and is not used')
}

interface EmbeddedSet {
  /** What each query, in the order of the set, has near it. */
  similarTo(query: number): Similar[]
  /** The names as lines that `Ranker.apply` reads. */
  lines: string
}

async function embedSet(
  model: EmbeddingModel,
  embedAll: (texts: string[]) => Promise<Float32Array[]>,
): Promise<EmbeddedSet> {
  const { queries, names } = judgedSet()
  const wordsOf = new Map(names.map((name) => [name, splitLabel(labelOf(name)).join(' ')]))
  const words = [...new Set(wordsOf.values())]
  const vectors = await embedAll([...queries.map(({ query }) => textOf(query)), ...words])
  for (const vector of vectors) requireDimensions(vector, model.dimensions)
  const asked = vectors.map((vector) => centred(vector, model.centre))
  // In the bytes in which the vectors of labels are stored.
  const stored = asked
    .splice(queries.length)
    .map((vector, at) => ({ words: words[at] ?? '', vector: readQuantised(quantised(vector)) }))
  return {
    similarTo: (query) => similarTo(asked[query] ?? new Float32Array(), stored, model.cutoff),
    lines: names
      .map((name) => [SCOPE, name, 'listed', PRICE_CENTS, wordsOf.get(name)].join('\t'))
      .join('\n'),
  }
}

async function measureGain(ranker: Ranker, embedded: EmbeddedSet): Promise<ModelCheck> {
  await ranker.holdMeanings()
  await ranker.apply(embedded.lines)
  const recalls: Recalls[] = []
  for (const [at, judged] of judgedSet().queries.entries()) {
    // Requests are served in between.
    await nextTurn()
    const found = (similar?: Similar[]) => ranker.rank(SCOPE, judged.query, {}, RESULTS, similar)
    recalls.push({
      without: recall(judged, await found()),
      with: recall(judged, await found(embedded.similarTo(at))),
    })
  }
  return judge(recalls)
}

interface Recalls {
  without: number
  with: number
}

function judge(recalls: Recalls[]): ModelCheck {
  const queries = recalls.length
  const recall_without = sum(recalls.map(({ without }) => without)) / queries
  const recall_with = sum(recalls.map((one) => one.with)) / queries
  const better = recalls.filter((one) => one.with > one.without).length
  const worse = recalls.filter((one) => one.with < one.without).length
  const is_used = recall_with - recall_without >= MARGIN && better > worse
  return { queries, recall_without, recall_with, better, worse, is_used }
}

/** The grades of what is found, as a share of the best that as many results can have. */
function recall({ grades }: JudgedQuery, found: Found[]): number {
  const best = [...grades.values()].toSorted((a, b) => b - a).slice(0, RESULTS)
  return sum(found.map(({ domain }) => grades.get(domain) ?? 0)) / sum(best)
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** For people, such as `toy is used: recall@5 is 0.71 with it and 0.62 without (9 of 65 queries better, 2 worse)`. */
export function describeCheck(model: string, check: ModelCheck): string {
  const { is_used, recall_with, recall_without, queries, better, worse } = check
  const figures = `recall@5 is ${recall_with.toFixed(3)} with it and ${recall_without.toFixed(3)} without (${better} of ${queries} queries better, ${worse} worse)`
  return `${model} ${is_used ? 'is used' : 'is not used, since it does not help'}: ${figures}`
}
