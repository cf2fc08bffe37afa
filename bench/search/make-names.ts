import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * Makes realistic second-level names from the words in name-parts.txt; the same seed gives the same
 * names.
 *
 *   node --import tsx bench/search/make-names.ts
 *     writes names.txt, the background of the judged search set
 *   node --import tsx bench/search/make-names.ts --count 1000000 --out names.csv --csv
 *     streams names for the speed bench, as an import file of listings with --csv
 */
const CORPUS_SIZE = 24_000
const MAX_LETTERS = 24

type Kind = 'goods' | 'trade' | 'tech'

interface Field {
  kind: Kind
  topics: string[]
  things: string[]
  actions: string[]
  people: string[]
  places: string[]
  adjectives: string[]
}

/** A name before its TLD. The value multiplies its price. */
interface Draft {
  label: string
  kind?: Kind | 'any'
  tld?: string | undefined
  value?: number
}

type Pattern = readonly [weight: number, make: () => Draft | null]

const parts = readParts(fileURLToPath(new URL('name-parts.txt', import.meta.url)))
const plurals = new Map(list('plurals').map((pair) => pair.split('=') as [string, string]))
const banned = new RegExp(list('banned').join('|'))

/** TLDs and their shares in percent; a kind of trade has its own taste for the rest after .com. */
const TLDS: Record<Kind | 'any', readonly (readonly [number, string])[]> = {
  any: tlds(
    'com 55 net 9 org 7 io 4 co 4 shop 2 app 2 dev 1 online 2 store 2 ai 3 me 2 info 2 de 3',
  ),
  goods: tlds('com 55 net 7 org 3 co 6 shop 10 store 7 online 4 me 1 info 1 de 2 co.uk 4'),
  trade: tlds('com 55 net 12 org 9 co 4 online 4 info 4 me 1 de 3 co.uk 5 us 2 biz 1'),
  tech: tlds('com 55 net 5 org 3 io 11 co 4 app 7 dev 4 ai 8 online 1 me 1 xyz 1'),
}

let random = seeded(1)

const PATTERNS: readonly Pattern[] = [
  [13, () => inField((f) => [pick(describing(f)), oneOf(f.things, f.topics, f.people)])],
  [17, () => inField((f) => [oneOf(f.topics, f.things), pick(f.things)])],
  [4, () => inField((f) => [oneOf(f.topics, f.things), pick(f.people)])],
  [4, () => inField((f) => [oneOf(f.topics, f.things, f.people), pick(f.places)])],
  [5, () => inField((f) => [pick(f.actions), oneOf(f.things, f.topics)])],
  [3, () => inField((f) => [pick(list('verbs')), oneOf(f.things, f.people, f.topics)])],
  [7, () => inField((f) => [pick(list('prefixes')), oneOf(f.things, f.topics, f.actions)])],
  [12, () => inField((f) => [oneOf(f.topics, f.things, f.actions, f.people), suffix(f)], false)],
  [3, () => inField((f) => [pick(describing(f)), pick(f.topics), oneOf(f.things, f.people)])],
  [3, () => inField((f) => [oneOf(f.topics, f.things), pick(f.things), suffix(f)], false)],
  [2, () => inField((f) => [pick(describing(f)), pick(f.things), suffix(f)], false)],
  [9, cityName],
  [13.5, coined],
  [9, crossField],
  [3, digitsOrHyphens],
  [1, () => ({ label: pick(list('words')), value: 15 })],
  [0.6, () => inField((f) => [oneOf(f.things, f.topics, f.people)])],
  [0.5, () => ({ label: pick(list('odd')), value: 0.6 })],
]

function readParts(path: string) {
  const fields: Field[] = []
  const lists = new Map<string, string[]>()
  let current: string[] | undefined
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('@')) {
      current = []
      lists.set(line.slice(1), current)
    } else if (current) {
      current.push(...line.split(' '))
    } else {
      fields.push(readField(line))
    }
  }
  return { fields, lists }
}

function readField(line: string): Field {
  const [head = '', body = ''] = line.split(': ')
  const groups = body.split('; ').map((group) => group.split(' '))
  const [topics, things, actions, people, places, adjectives] = groups
  if (!(topics && things && actions && people && places && adjectives)) {
    throw new Error(`name-parts.txt: "${head}" has ${groups.length} groups of words instead of 6`)
  }
  const kind = head.split(' ')[1] as Kind
  return { kind, topics, things, actions, people, places, adjectives }
}

function list(name: string): string[] {
  const words = parts.lists.get(name)
  if (!words) throw new Error(`name-parts.txt has no list @${name}`)
  return words
}

function tlds(text: string): [number, string][] {
  const cells = text.split(' ')
  return cells.flatMap((tld, at) => (at % 2 ? [] : [[Number(cells[at + 1]), tld]]))
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function chance(share: number): boolean {
  return random() < share
}

function pick<T>(words: readonly T[]): T {
  return words[Math.floor(random() * words.length)] as T
}

/** Picks a word, a list's chance being its length. */
function oneOf(...lists: string[][]): string {
  return pick(lists.flat())
}

function weighted<T>(choices: readonly (readonly [number, T])[]): T {
  let left = random() * choices.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, choice] of choices) {
    left -= weight
    if (left < 0) return choice
  }
  return (choices[0] as readonly [number, T])[1]
}

function describing(field: Field): string[] {
  return chance(0.55) ? field.adjectives : list('adjectives')
}

function suffix(field: Field): string {
  return pick(list(chance(0.5) ? 'suffixes' : `${field.kind}-suffixes`))
}

function plural(word: string): string {
  const known = plurals.get(word)
  if (known) return known
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`
}

/** Joins words of one field; a last word that can be counted is often many. */
function inField(choose: (field: Field) => string[], mayBeMany = true): Draft | null {
  const field = pick(parts.fields)
  const words = choose(field)
  // Nobody sells flowerflower or racerace.
  const clash = words.some((word, at) => at > 0 && word.startsWith(words[at - 1] ?? ''))
  const last = words.at(-1) ?? ''
  const counted = field.things.includes(last) || field.people.includes(last)
  if (mayBeMany && counted && chance(0.4)) words.push(plural(words.pop() ?? ''))
  const label = words.join('').replace(/[aeiouy]ify$/, 'ify')
  if (clash || /[ly]ly$/.test(label)) return null
  const value = words.length === 1 ? 12 : words.length === 2 ? 1.5 : 0.6
  return { label, kind: field.kind, value }
}

function cityName(): Draft | null {
  const [city = '', tld] = pick(list('cities')).split('=')
  const field = pick(parts.fields)
  if (field.kind === 'tech' || (field.kind === 'goods' && chance(0.6))) return null
  const trade = chance(0.5)
    ? plural(pick(field.people))
    : oneOf(field.topics, field.places, field.things)
  const described = chance(0.15) ? pick(field.adjectives) : ''
  const label = chance(0.85) ? city + described + trade : described + trade + city
  return { label, kind: field.kind, tld: chance(0.45) ? tld : undefined, value: 0.9 }
}

/** A brandable name out of syllables, such as kelvio. */
function coined(): Draft | null {
  const syllable = () => pick(list('onsets')) + pick(list('vowels'))
  const start = chance(0.12) ? pick(list('vowels')) : ''
  const middle = chance(0.35) ? syllable() : ''
  const stem = start + syllable() + middle + (chance(0.55) ? pick(list('codas')) : '')
  const label = stem + pick(list('endings'))
  if (label.length > 9 || banned.test(label)) return null
  if (/[aeiou]{3}|[^aeiouy]{3}|(.)\1\1|yy|q[^u]/.test(label)) return null
  return { label, kind: chance(0.5) ? 'tech' : 'any', value: label.length < 6 ? 5 : 2.5 }
}

/** Two words that have nothing to do with each other. */
function crossField(): Draft | null {
  const [one, other] = [pick(parts.fields), pick(parts.fields)]
  if (one === other) return null
  const first = chance(0.2) ? pick(list('words')) : oneOf(one.things, one.adjectives, one.topics)
  const second = oneOf(other.things, other.people, other.places)
  return first === second ? null : { label: first + second, value: 0.8 }
}

function digitsOrHyphens(): Draft | null {
  const field = pick(parts.fields)
  const [topic, thing] = [oneOf(field.topics, field.things), pick(field.things)]
  if (topic === thing) return null
  const number = pick([
    '1',
    '2',
    '3',
    '4',
    '5',
    '7',
    '8',
    '9',
    '10',
    '21',
    '24',
    '99',
    '101',
    '360',
  ])
  const label = weighted([
    [5, `${topic}-${chance(0.5) ? thing : plural(thing)}`],
    [2, `${pick(field.adjectives)}-${topic}`],
    [1, `${topic}-${pick(list('suffixes'))}`],
    [2, `${topic}${number}`],
    [1, `${number}${plural(thing)}`],
    [1, `${pick(field.actions)}4${topic}`],
  ])
  return { label, kind: field.kind, value: 0.4 }
}

function* listings(count: number, seed: number) {
  random = seeded(seed)
  const domains = new Set<string>()
  const labels = new Set<string>()
  while (domains.size < count) {
    const draft = weighted(PATTERNS)()
    if (!draft || draft.label.length < 3 || draft.label.length > MAX_LETTERS) continue
    const { label } = draft
    // Now and then the same label is for sale under several TLDs.
    if (labels.has(label) && !chance(0.1)) continue
    const tld = draft.tld ?? weighted(TLDS[draft.kind ?? 'any'])
    const domain = `${label}.${tld}`
    if (domains.has(domain)) continue
    domains.add(domain)
    labels.add(label)
    yield { domain, ...prices(label, tld, draft.value ?? 1) }
  }
}

/** Prices spread as on an aftermarket: most some hundreds to a few thousand dollars, a few far more. */
function prices(label: string, tld: string, value: number) {
  const worth = { com: 1, ai: 0.8, io: 0.5, co: 0.4, org: 0.4, net: 0.35 }[tld] ?? 0.22
  const spread = Math.exp(1.7 * (random() + random() + random() - 1.5))
  const dollars = 1_400 * worth * value * spread * (label.length < 9 ? 1.6 : 1)
  const step = dollars < 1_000 ? 10 : dollars < 10_000 ? 50 : 1_000
  const price = Math.max(4, Math.round(dollars / step)) * step - 1
  const floor = Math.round(price * (0.7 + random() / 4))
  return { price_cents: price * 100, floor_price_cents: floor * 100 }
}

const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    out: { type: 'string' },
    csv: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20240607' },
  },
})
const seed = Number(values.seed)
const path = values.out ?? fileURLToPath(new URL('names.txt', import.meta.url))
const out = createWriteStream(path)
if (values.count === undefined) {
  const names = Array.from(listings(CORPUS_SIZE, seed), ({ domain }) => domain)
  out.end(`${names.toSorted().join('\n')}\n`)
} else {
  const count = Number(values.count)
  if (!(values.out && count > 0)) throw new Error('--count needs a number, and --out a file')
  let block = values.csv ? 'domain,price_cents,floor_price_cents,currency\n' : ''
  for (const { domain, price_cents, floor_price_cents } of listings(count, seed)) {
    block += values.csv ? `${domain},${price_cents},${floor_price_cents},USD\n` : `${domain}\n`
    if (block.length < 1 << 18) continue
    if (!out.write(block)) await once(out, 'drain')
    block = ''
  }
  out.end(block)
}
