export type QueryPair = readonly [key: string, value: string]

/**
 * Splits the raw query string of a request target into decoded pairs, in the order sent.
 * `+` reads as a space, a blank value is kept, an escape that is none stays as it is, and bytes that
 * are not UTF-8 become U+FFFD: the rules of application/x-www-form-urlencoded (WHATWG URL, 5.1).
 */
export function queryPairs(rawQuery: string): QueryPair[] {
  // URLSearchParams drops one leading question mark, which here would be part of a key.
  return rawQuery === '' ? [] : [...new URLSearchParams(`?${rawQuery}`)]
}

/**
 * The canonical query string of a signed request (service.md, Authentication): pairs sorted by
 * decoded key and then value in Unicode code point order, each percent-encoded and joined with `&`.
 */
export function canonicalQuery(pairs: readonly QueryPair[]): string {
  if (pairs.length === 0) return ''
  return sortedPairs(pairs)
    .map(([key, value]) => `${encodeStrictly(key)}=${encodeStrictly(value)}`)
    .join('&')
}

/** By decoded key, then value, in Unicode code point order. */
export function sortedPairs(pairs: readonly QueryPair[]): QueryPair[] {
  return pairs.toSorted(([keyA, valueA], [keyB, valueB]) =>
    keyA === keyB ? compareCodePoints(valueA, valueB) : compareCodePoints(keyA, keyB),
  )
}

/** `encodeURIComponent`, and also `!'()*`, which RFC 3986 reserves. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** JavaScript compares UTF-16 units, which puts U+E000 to U+FFFF after all supplementary characters. */
function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0
  const left = [...a]
  const right = [...b]
  const shared = Math.min(left.length, right.length)
  for (let index = 0; index < shared; index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
