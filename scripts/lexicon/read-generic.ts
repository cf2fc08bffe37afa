import { readFileSync } from 'node:fs'

const FILE = new URL('../../packages/name-search/lexicon/generic.txt', import.meta.url)

/** How much a word says of what a name is about, 0 to 1, for those that say little (packages/name-search/lexicon/README.md). */
export function readGeneric(): Map<string, number> {
  const weights = new Map<string, number>()
  for (const line of readFileSync(FILE, 'utf8').split('\n')) {
    if (line.startsWith('#')) continue
    const [weight = '', ...words] = line.split(' ').filter((part) => part !== '')
    for (const word of words) {
      if (!weights.has(word)) weights.set(word, Number(weight))
    }
  }
  return weights
}
