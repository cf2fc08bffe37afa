import type { Similar } from 'domain-marketplace-name-search'

/** More signs tell hardly more: the exact cosines of the nearest are compared afterwards. */
const MAX_SIGNS = 512
const BITS = 32

/** A unit vector without what all texts have in common, which some models' vectors mostly consist of. */
export function centred(vector: Float32Array, centre: Float32Array): Float32Array {
  const unit = unitOf(vector)
  return unitOf(unit.map((value, at) => value - (centre[at] ?? 0)))
}

export function unitOf(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return length === 0 ? vector : vector.map((value) => value / length)
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

export function meanOf(vectors: Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) {
    for (const [at, value] of vector.entries()) mean[at] = (mean[at] ?? 0) + value / vectors.length
  }
  return mean
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b))
  return lengths === 0 ? 0 : dot(a, b) / lengths
}

/** Which of the words mean much the same as what was asked: those whose cosine is at least the cutoff. */
export function similarTo(
  asked: Float32Array,
  stored: { words: string; vector: Int8Array }[],
  cutoff: number,
): Similar[] {
  return stored
    .map(({ words, vector }) => ({ words, cosine: cosine(asked, vector) }))
    .filter(({ cosine }) => cosine >= cutoff)
    .map(({ words, cosine }) => ({ words, likeness: (cosine - cutoff) / (1 - cutoff) }))
}

/** A byte a dimension, the largest as 127; a cosine needs no scale. */
export function quantised(vector: Float32Array): Uint8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const bytes = Int8Array.from(vector, (value) =>
    largest === 0 ? 0 : Math.round((value / largest) * 127),
  )
  return new Uint8Array(bytes.buffer)
}

export function readQuantised(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The signs of the vector: the more differ between two, the wider the angle. */
export function codeOf(vector: Float32Array): Uint32Array {
  const signs = Math.min(vector.length, MAX_SIGNS)
  const code = new Uint32Array(Math.ceil(signs / BITS))
  for (let at = 0; at < signs; at += 1) {
    const word = Math.floor(at / BITS)
    if ((vector[at] ?? 0) > 0) code[word] = (code[word] ?? 0) | (1 << (at % BITS))
  }
  return code
}
