import { readFileSync } from 'node:fs'

const FILE = new URL('../../../seed/search-check.txt', import.meta.url)
const TLD = 'com'

export interface JudgedQuery {
  query: string
  /** Of the names that fit it: 2 well, 1 somewhat. */
  grades: ReadonlyMap<string, number>
}

export interface JudgedSet {
  queries: JudgedQuery[]
  /** Those of all queries, also what fits none. */
  names: string[]
  /** The file's content, to tell whether it has changed. */
  text: string
}

let read: JudgedSet | undefined

/** Queries and names that ship with the service, with grades by hand. */
export function judgedSet(): JudgedSet {
  read ??= parse(readFileSync(FILE, 'utf8'))
  return read
}

function parse(text: string): JudgedSet {
  const names = new Set<string>()
  const queries: { query: string; grades: Map<string, number> }[] = []
  for (const line of text.split('\n')) {
    const mark = line.charAt(0)
    const rest = line.slice(2)
    if (mark === '?') queries.push({ query: rest, grades: new Map() })
    if (!/\d/.test(mark)) continue
    for (const label of rest.split(' ')) {
      const name = `${label}.${TLD}`
      names.add(name)
      if (mark !== '0') queries.at(-1)?.grades.set(name, Number(mark))
    }
  }
  return { queries, names: [...names], text }
}
