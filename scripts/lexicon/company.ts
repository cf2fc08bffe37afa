/** Less in common says nothing. */
const LEAST_COSINE = 0.08

/**
 * How much the lines of words have in common, as the cosine of what the words of their lines weigh: `widow` and `grief`
 * share most of theirs, though neither line has the other. A word of few lines tells more (tf-idf).
 *
 * @param lines what each head's lines weigh; a word of a line has the head in its own
 */
export function companyOf(
  lines: ReadonlyMap<string, ReadonlyMap<string, number>>,
): (word: string) => Map<string, number> {
  const vectors = new Map<string, Map<string, number>>()
  const raise = (word: string, other: string, weight: number) => {
    const vector = vectors.get(word) ?? new Map<string, number>()
    vectors.set(word, vector)
    vector.set(other, Math.max(vector.get(other) ?? 0, weight))
  }
  for (const [head, words] of lines) {
    raise(head, head, 1)
    for (const [word, weight] of words) {
      raise(word, word, 1)
      raise(word, head, weight)
      raise(head, word, weight)
    }
  }
  const uses = new Map<string, number>()
  for (const vector of vectors.values()) {
    for (const word of vector.keys()) uses.set(word, (uses.get(word) ?? 0) + 1)
  }
  const having = new Map<string, Map<string, number>>()
  for (const [word, vector] of vectors) {
    for (const [other, weight] of vector) {
      vector.set(other, weight * Math.log(vectors.size / (uses.get(other) ?? 1)))
    }
    const length = Math.hypot(...vector.values()) || 1
    for (const [other, weight] of vector) {
      const share = weight / length
      vector.set(other, share)
      const owners = having.get(other) ?? new Map<string, number>()
      having.set(other, owners.set(word, share))
    }
  }
  return (word) => {
    const cosines = new Map<string, number>()
    for (const [shared, weight] of vectors.get(word) ?? []) {
      for (const [other, share] of having.get(shared) ?? []) {
        cosines.set(other, (cosines.get(other) ?? 0) + weight * share)
      }
    }
    cosines.delete(word)
    for (const [other, cosine] of cosines) if (cosine < LEAST_COSINE) cosines.delete(other)
    return cosines
  }
}
