import type { Concept } from './read-thesaurus.ts'
import type { Relation, WordNet } from './read-wordnet.ts'
import type { Word } from './vocabulary.ts'

const MAX_NEAR = 96
/** What is less near is not kept, and nothing but the word itself is nearer than the most. */
export const MIN_WEIGHT = 0.15
export const MOST = 0.97
/** How much of a relation holds the other way round. */
const BACK = 0.85

/** Broader words so general that sharing them says nothing. */
const EMPTY =
  'service place quality person action product goods region people nature time occupation activity quantity group role number profession size structure container suffix prefix industry business thing technology style material role state device creature worker event item word concept object idea family community'
const EMPTY_WORDS = new Set(EMPTY.split(' '))

/** How near two words are that one step of WordNet joins. */
const STEP: Record<Relation, number> = {
  hypernym: 0.45,
  hyponym: 0.4,
  derivation: 0.85,
  similar: 0.55,
  domain: 0.4,
  domain_member: 0.3,
  part: 0.3,
  whole: 0.35,
  entails: 0.35,
}

export interface Near {
  word: string
  /** 0 to 1; 1 says the same. */
  weight: number
}

/**
 * For each lemma the words that say nearly the same, or that belong to it in commerce: those one step
 * away in the thesaurus (within one of its senses) and in WordNet, which weighs less where the thesaurus
 * knows the word; and those that keep the same company, by their vectors.
 */
export function relate(
  wordNet: WordNet,
  thesaurus: Concept[],
  vocabulary: Map<string, Word>,
): (lemma: string) => Near[] {
  const lemma = (word: string) => vocabulary.get(word)?.lemma ?? word
  const concepts = thesaurus.map(({ synonyms, broader, associated }) => ({
    synonyms: [...new Set(synonyms.map(lemma))],
    broader: [...new Set(broader.map(lemma))],
    associated: [...new Set(associated.map(lemma))],
  }))
  const as = {
    synonym: indexBy(concepts, ({ synonyms }) => synonyms),
    broader: indexBy(concepts, ({ broader }) => broader),
    associated: indexBy(concepts, ({ associated }) => associated),
  }
  const headed = indexBy(concepts, ({ synonyms }) => synonyms.slice(0, 1))
  const formsByLemma = new Map<string, string[]>()
  for (const [word, { lemma: of }] of vocabulary) {
    formsByLemma.set(of, [...(formsByLemma.get(of) ?? []), word])
  }

  const direct = (word: string): Map<string, number> => {
    const near = new Map<string, number>()
    const add = (other: string, weight: number) => {
      const to = lemma(other)
      if (to === word || !vocabulary.has(to)) return
      const known = near.get(to) ?? 0
      near.set(to, Math.max(known, weight) + 0.25 * Math.min(known, weight) * (1 - known))
    }
    const senses = as.synonym.get(word) ?? []
    const strongest = Math.max(0, ...senses.map((concept) => placeWeight(concept, word)))
    for (const concept of senses) {
      const sense =
        (placeWeight(concept, word) / strongest) ** 0.5 * Math.min(1, senses.length ** -0.2)
      addSynonyms(concept, sense)
      for (const broader of concept.broader) {
        add(broader, sense * (EMPTY_WORDS.has(broader) ? 0.14 : 0.5))
        const kin = as.broader.get(broader) ?? []
        if (EMPTY_WORDS.has(broader) || kin.length > 60) continue
        for (const sister of kin) add(sister.synonyms[0] ?? '', sense * 0.22)
      }
      for (const other of concept.associated) {
        add(other, sense * 0.45)
        for (const { synonyms } of headed.get(other) ?? []) {
          synonyms.slice(1, 6).forEach((synonym) => add(synonym, sense * 0.3))
        }
      }
    }
    if (!EMPTY_WORDS.has(word)) {
      for (const { synonyms } of as.broader.get(word) ?? []) {
        synonyms.forEach((narrower, place) => add(narrower, place === 0 ? 0.5 : 0.42))
      }
      for (const { synonyms } of as.associated.get(word) ?? []) {
        synonyms.slice(0, 4).forEach((other, place) => add(other, place === 0 ? 0.4 : 0.32))
      }
    }

    function addSynonyms({ synonyms }: Concept, sense: number) {
      for (const synonym of synonyms) {
        // Short ones are mostly abbreviations of something else.
        add(synonym, sense * (synonym.length <= 3 ? 0.75 : 0.95))
      }
    }

    addWordNet(word, senses.length > 0 ? 0.55 : 0.9, add)
    return near
  }

  const lemmas = [...vocabulary]
    .filter(([word, entry]) => entry.lemma === word)
    .map(([word]) => word)
  const steps = new Map(lemmas.map((word) => [word, direct(word)]))
  // What one word has of another, the other has of it, nearly.
  const both = new Map([...steps].map(([word, near]) => [word, new Map(near)]))
  for (const [word, near] of steps) {
    for (const [other, weight] of near) {
      const back = both.get(other)
      if (back && (back.get(word) ?? 0) < weight * BACK) back.set(word, weight * BACK)
    }
  }
  return (word) =>
    nearest(
      [...(both.get(word) ?? [])]
        .filter(([, weight]) => weight >= MIN_WEIGHT)
        .map(([other, weight]) => [other, Math.min(MOST, weight)]),
    )

  function addWordNet(word: string, trust: number, add: (word: string, weight: number) => void) {
    const forms = formsByLemma.get(word) ?? [word]
    const senses = forms
      .flatMap((form) => wordNet.senses.get(form) ?? [])
      .toSorted((a, b) => b.tagged - a.tagged)
    const most = senses[0]?.tagged ?? 0
    for (const { synset: id, tagged } of senses) {
      const share = Math.sqrt((tagged + 0.5) / (most + 0.5))
      if (share < 0.3) continue
      const synset = wordNet.synsets.get(id)
      if (!synset) continue
      const sense = trust * share * (senses.length > 4 ? 0.8 : 1)
      for (const synonym of synset.words) add(synonym, sense * 0.8)
      for (const { relation, target } of synset.links) {
        const words = wordNet.synsets.get(target)?.words ?? []
        const kin = relation === 'hyponym' && synset.links.length > 40 ? 0.5 : 1
        for (const other of words.slice(0, 4)) add(other, sense * STEP[relation] * kin)
      }
      for (const other of synset.gloss) {
        const count = wordNet.glossCounts.get(other) ?? 0
        if (other.length > 3 && count < 600) add(other, sense * (count < 120 ? 0.22 : 0.14))
      }
    }
  }
}

/** The first words of a line are what it is about. */
function placeWeight({ synonyms }: Concept, word: string): number {
  return 1 / (1 + 0.15 * synonyms.indexOf(word))
}

function indexBy(concepts: Concept[], words: (concept: Concept) => string[]) {
  const index = new Map<string, Concept[]>()
  for (const concept of concepts) {
    for (const word of words(concept)) {
      const known = index.get(word)
      if (known) known.push(concept)
      else index.set(word, [concept])
    }
  }
  return index
}

/** As many as are kept, the nearest first. */
export function nearest(near: Iterable<[word: string, weight: number]>): Near[] {
  return Array.from(near, ([word, weight]) => ({ word, weight }))
    .toSorted((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_NEAR)
}
