type Weights = ReadonlyMap<string, number>

/** Less in common says nothing. */
const LEAST_COSINE = 0.08

/**
 * How much the lines of words have in common, as the cosine of what the words of their lines weigh: `widow` and `grief`
 * share most of theirs, though neither line has the other. A word of few lines tells more (tf-idf).
 *
 * @param lines what the words of each line weigh; its name is the word that it is about, or that of a phrase's line
 * @param isWord whether a name is a word, which others can be near to
 * @returns the words near to one, or to what has a line of these words
 */
export function companyOf(
  lines: ReadonlyMap<string, Weights>,
  isWord: (name: string) => boolean,
): (word: string, line?: Weights) => Map<string, number> {
  const vectors = new Map<string, Map<string, number>>()
  const raise = (word: string, other: string, weight: number) => {
    const vector = vectors.get(word) ?? new Map<string, number>()
    vectors.set(word, vector)
    vector.set(other, Math.max(vector.get(other) ?? 0, weight))
  }
  for (const [name, words] of lines) {
    raise(name, name, 1)
    for (const [word, weight] of words) {
      raise(word, word, 1)
      raise(word, name, weight)
      raise(name, word, weight)
    }
  }
  const uses = new Map<string, number>()
  for (const vector of vectors.values()) {
    for (const word of vector.keys()) uses.set(word, (uses.get(word) ?? 0) + 1)
  }
  const rarity = (word: string) => Math.log(vectors.size / (uses.get(word) ?? 1))
  const shares = (vector: Weights): [word: string, share: number][] => {
    const weighed = [...vector].map(([word, weight]) => [word, weight * rarity(word)] as const)
    const length = Math.hypot(...weighed.map(([, weight]) => weight)) || 1
    return weighed.map(([word, weight]) => [word, weight / length])
  }
  const having = new Map<string, [word: string, share: number][]>()
  for (const [word, vector] of vectors) {
    if (!isWord(word)) continue
    for (const [other, share] of shares(vector)) {
      const owners = having.get(other) ?? []
      having.set(other, owners)
      owners.push([word, share])
    }
  }
  return (word, line = vectors.get(word) ?? new Map()) => {
    const cosines = new Map<string, number>()
    for (const [shared, weight] of shares(line)) {
      for (const [other, share] of having.get(shared) ?? []) {
        cosines.set(other, (cosines.get(other) ?? 0) + weight * share)
      }
    }
    cosines.delete(word)
    for (const [other, cosine] of cosines) if (cosine < LEAST_COSINE) cosines.delete(other)
    return cosines
  }
}
