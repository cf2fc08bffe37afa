import MiniSearch from 'minisearch'

/** A place in the documents that a search can lead to. */
export interface Entry {
  /** The path with its anchor. */
  id: string
  /** The page that it is on. */
  page: string
  title: string
  text: string
  /** How much earlier it comes than others that fit as well. */
  weight: number
}

export interface Hit extends Pick<Entry, 'id' | 'page' | 'title'> {
  /** What stands around the first word found, in parts: those found are marked. */
  excerpt: { text: string; isFound: boolean }[]
}

const MAX_HITS = 30
const EXCERPT_LENGTH = 200
const BEFORE_FOUND = 60

/** Finds sections by the beginnings of words, spelt nearly right; all words first, then any. */
export function createSearch(entries: Entry[]): (q: string) => Hit[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const index = new MiniSearch<Entry>({
    fields: ['title', 'page', 'text'],
    // Words of the API are searched for as they are written, and by their parts.
    tokenize: (text) => [...text.matchAll(/[\p{L}\p{N}_]+/gu)].flatMap(([word]) => partsOf(word)),
    searchOptions: {
      boost: { title: 4, page: 2 },
      boostDocument: (id) => byId.get(String(id))?.weight ?? 1,
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  })
  index.addAll(entries)
  return (q) => {
    const all = index.search(q, { combineWith: 'AND' })
    const found = all.length > 0 ? all : index.search(q)
    const hits = found.flatMap(({ id, terms }) => {
      const entry = byId.get(String(id))
      return entry ? [{ ...entry, terms }] : []
    })
    // What is called just so comes first.
    return hits
      .toSorted((a, b) => Number(b.title === q) - Number(a.title === q))
      .slice(0, MAX_HITS)
      .map(({ terms, ...entry }) => ({ ...entry, excerpt: excerptOf(entry.text, terms) }))
  }
}

function partsOf(word: string): string[] {
  return word.includes('_') ? [word, ...word.split('_').filter(Boolean)] : [word]
}

function excerptOf(text: string, terms: string[]): Hit['excerpt'] {
  // Terms hold letters, digits and underscores alone, so none of them means something in a pattern.
  const words = new RegExp(`(?<![\\p{L}\\p{N}])(${terms.join('|')})`, 'giu')
  const flat = text.replaceAll('`', '').replace(/\s+/g, ' ').trim()
  const first = Math.max(0, flat.search(words))
  const start = first < BEFORE_FOUND ? 0 : flat.indexOf(' ', first - BEFORE_FOUND) + 1
  const cut = flat.slice(start, start + EXCERPT_LENGTH)
  const shown = `${start > 0 ? '… ' : ''}${cut}${start + cut.length < flat.length ? '…' : ''}`
  return shown.split(words).map((part, place) => ({ text: part, isFound: place % 2 === 1 }))
}
