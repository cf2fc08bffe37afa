import type { Translation } from './read-languages.ts'
import type { Near } from './relate.ts'
import type { Word } from './vocabulary.ts'

/** What the first English word of a line says, the others nearly say. */
const OTHER_HEAD = 0.85
/** Whoever asks in another language rather has a name in it than an English one. */
const IN_ENGLISH = 0.75
const IN_LANGUAGE = 0.9
/** What lies less near the English word leads to no words of the language. */
const LEAST_THROUGH = 0.25
/** Words of one language on one line. */
const SISTER = 0.93
/** How common they are taken to be; no frequencies are known. */
const COUNT = 15
const FORM_COUNT = 8
/** A shorter Latin word is read in no label: too many names hold it by chance. */
const LEAST_READ = 4
/** An English word that is so rare may as well be the other language's. */
const RARE_COUNT = 2
/** One that the thesaurus alone knows is one that names borrow: `trabajo`. */
const BORROWED_COUNT = 20

interface Sources {
  english: Map<string, Word>
  /** The words of an English dictionary. */
  dictionary: ReadonlyMap<string, unknown>
  /** English words that say little. */
  generic: ReadonlyMap<string, unknown>
}

interface Foreign {
  word: Word
  /** How much it says, as the English word does; null: as rare as it is. */
  says: string | null
  near: Map<string, number>
}

/**
 * The words of other languages, with what lies near them: the English words that say the same and their neighbours, and the
 * words of the same line. What English has itself keeps its English sense.
 */
export function translate(
  translations: Translation[],
  functionWords: Set<string>,
  { english, dictionary, generic }: Sources,
  nearTo: (lemma: string) => Near[],
): Map<string, Foreign> {
  const foreign = new Map<string, Foreign>()
  const heads = new Set(translations.flatMap((translation) => translation.heads))
  const isOurs = (word: string) => {
    const known = english.get(word)
    if (!known) return !generic.has(word) && !heads.has(word)
    if (generic.has(word) || heads.has(word)) return false
    // `autos` is a form of an English word.
    if (known.lemma !== word && dictionary.has(known.lemma)) return false
    return known.count <= (dictionary.has(word) ? RARE_COUNT : BORROWED_COUNT)
  }

  function add(text: string, lemma: string, count: number, says: string | null): Foreign | null {
    if (!isOurs(text)) return null
    const isLatin = /^[a-z0-9]+$/.test(text)
    const known = foreign.get(text)
    if (known) return known
    const isCompound = isLatin && text.length < (functionWords.has(text) ? 2 : LEAST_READ)
    const added = { word: { count, lemma, isCompound }, says, near: new Map<string, number>() }
    if (english.has(text)) {
      for (const { word, weight } of nearTo(text)) raise(added.near, word, weight)
    }
    foreign.set(text, added)
    return added
  }

  for (const text of functionWords) add(text, text, COUNT, '')
  const inLanguage = translationsOf(translations, english)
  for (const { heads, words } of translations) {
    const near = nearHeads(heads, english, nearTo)
    for (const { text, parts, language } of words) {
      if (functionWords.has(text)) continue
      const added = add(text, text, COUNT, heads[0] ?? null)
      if (!added) continue
      if (parts.length > 1) {
        added.word.isCompound = true
        for (const part of parts) add(part, part, FORM_COUNT, null)
      }
      for (const [word, weight] of near) {
        raise(added.near, word, weight * IN_ENGLISH)
        if (weight < LEAST_THROUGH) continue
        for (const other of inLanguage.get(`${language} ${word}`) ?? []) {
          if (other !== text && isOurs(other)) raise(added.near, other, weight * IN_LANGUAGE)
        }
      }
      for (const other of words) {
        if (other.text !== text && other.language === language && isOurs(other.text)) {
          raise(added.near, other.text, SISTER)
        }
      }
    }
    // After all words of the line: some of them are forms of others, with neighbours of their own.
    for (const { text, parts, forms } of words) {
      if (!foreign.has(text)) continue
      for (const form of forms) {
        const added = add(form, text, FORM_COUNT, heads[0] ?? null)
        if (added && parts.length > 1) added.word.isCompound = true
      }
    }
  }
  return foreign
}

/** How each language says an English lemma, the usual word first. */
function translationsOf(
  translations: Translation[],
  english: Map<string, Word>,
): Map<string, string[]> {
  const inLanguage = new Map<string, string[]>()
  for (const { heads, words } of translations) {
    for (const head of heads) {
      const lemma = english.get(head)?.lemma
      if (lemma === undefined) continue
      for (const { text, language } of words) {
        const key = `${language} ${lemma}`
        inLanguage.set(key, [...(inLanguage.get(key) ?? []), text])
      }
    }
  }
  return inLanguage
}

function nearHeads(
  heads: string[],
  english: Map<string, Word>,
  nearTo: (lemma: string) => Near[],
): Map<string, number> {
  const near = new Map<string, number>()
  for (const [place, head] of heads.entries()) {
    const lemma = english.get(head)?.lemma
    if (lemma === undefined) continue
    const share = place === 0 ? 1 : OTHER_HEAD
    raise(near, lemma, share)
    for (const { word, weight } of nearTo(lemma)) raise(near, word, weight * share)
  }
  return near
}

function raise(near: Map<string, number>, word: string, weight: number): void {
  near.set(word, Math.max(near.get(word) ?? 0, weight))
}
