/** How a name is written: its label, one letter less of it, or what it begins with. */
export type Spelling = 'label' | 'slip' | 'beginning'

const SEED_OF_TERMS = 0x811c9dc5
const SEEDS: Record<Spelling, number> = {
  label: 0x3c6ef372,
  slip: 0x1f83d9ab,
  beginning: 0x5be0cd19,
}

/**
 * The key of the postings of names that are written so: as a signed integer of 32 bits, as PostgreSQL's `integer` is.
 * Two texts rarely have the same: a name that is found so is scored like any other.
 *
 * @param scope tells apart names that are never searched together
 */
export function spellingKey(kind: Spelling, scope: string, text: string): number {
  return mixed(hashOf(text, hashOf(scope, SEEDS[kind])))
}

/** What the keys of a term are made of. */
export function termHash(scope: string, text: string): number {
  return mixed(hashOf(text, hashOf(scope, SEED_OF_TERMS)))
}

/** The key of the names that have both terms, whichever comes first; of one term when both are the same. */
export function keyOfTerms(a: number, b: number): number {
  return mixed(Math.imul(Math.min(a, b), 0x9e3779b1) ^ Math.max(a, b))
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string, seed: number): number {
  let hash = seed
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}
