import { GrowingArray } from './growing-array.ts'

/** Stands for no name at the end of a list. */
const NONE = 0xffffffff
const BUCKET_SHARE = 5

/**
 * Which labels' words have a vector, and the vectors' codes, in memory: about 150 bytes for words that have
 * not been seen before. The names that share their words form a list within each scope, such as `sandbox` and `live`.
 */
export class MeaningIndex<Scope extends string> {
  readonly #words: string[] = []
  readonly #slots = new Map<string, number>()
  readonly #hasCode: boolean[] = []
  readonly #codes = new GrowingArray()
  /** Numbers in a code; 0 until the first comes. */
  #width = 0
  readonly #scopes: readonly Scope[]
  readonly #firstName: Record<Scope, GrowingArray>
  readonly #nextName: Record<Scope, GrowingArray>

  constructor(scopes: readonly Scope[]) {
    this.#scopes = scopes
    this.#firstName = byScope(scopes)
    this.#nextName = byScope(scopes)
  }

  /** Takes note of a name of the index; they come in the order of their numbers, some of them again. */
  addName(scope: Scope, name: number, words: string): void {
    const next = this.#nextName[scope]
    if (name < next.length) return
    const slot = this.#slotOf(words)
    next.push(this.#firstName[scope].at(slot))
    this.#firstName[scope].set(slot, name)
  }

  addCode(words: string, code: Uint32Array): void {
    const slot = this.#slotOf(words)
    this.#width ||= code.length
    if (code.length !== this.#width || this.#hasCode[slot]) return
    while (this.#codes.length < (slot + 1) * this.#width) this.#codes.push(0)
    for (const [at, number] of code.entries()) this.#codes.set(slot * this.#width + at, number)
    this.#hasCode[slot] = true
  }

  #slotOf(words: string): number {
    const known = this.#slots.get(words)
    if (known !== undefined) return known
    const slot = this.#words.length
    this.#slots.set(words, slot)
    this.#words.push(words)
    this.#hasCode.push(false)
    for (const scope of this.#scopes) this.#firstName[scope].push(NONE)
    return slot
  }

  names(scope: Scope, words: string): number[] {
    const slot = this.#slots.get(words)
    if (slot === undefined) return []
    const names: number[] = []
    let name = this.#firstName[scope].at(slot)
    for (; name !== NONE; name = this.#nextName[scope].at(name)) names.push(name)
    return names
  }

  #hasName(scope: Scope, slot: number, accepts: (name: number) => boolean): boolean {
    let name = this.#firstName[scope].at(slot)
    while (name !== NONE && !accepts(name)) name = this.#nextName[scope].at(name)
    return name !== NONE
  }

  /** The words whose codes differ least from this one and that an accepted name has, about `count`. */
  nearest(
    scope: Scope,
    code: Uint32Array,
    accepts: (name: number) => boolean,
    count: number,
  ): string[] {
    if (code.length !== this.#width) return []
    const bits = this.#width * 32
    const distances = new Uint16Array(this.#words.length).fill(bits)
    const sizes = new Uint32Array(bits + 1)
    const codes = this.#codes.view()
    for (let slot = 0; slot < distances.length; slot += 1) {
      if (!this.#hasCode[slot]) continue
      const distance = differences(codes, slot * this.#width, code)
      distances[slot] = distance
      sizes[distance] = (sizes[distance] ?? 0) + 1
    }
    // Band by band from the nearest; beyond half of the bits differing they point away from each other.
    const found: string[] = []
    for (let from = 0; from < bits / 2 && found.length < count; ) {
      let to = from
      let held = 0
      while (to < bits / 2 && held < count * BUCKET_SHARE) {
        held += sizes[to] ?? 0
        to += 1
      }
      const band: number[] = []
      for (let slot = 0; slot < distances.length; slot += 1) {
        const distance = distances[slot] ?? bits
        if (distance >= from && distance < to) band.push(slot)
      }
      band.sort((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0) || a - b)
      for (const slot of band) {
        if (found.length === count) break
        if (this.#hasName(scope, slot, accepts)) found.push(this.#words[slot] ?? '')
      }
      from = to
    }
    return found
  }

  /** How many labels' words of listed names have a vector, and how many wait for one. */
  progress(isListed: (scope: Scope, name: number) => boolean) {
    let embedded = 0
    let waiting = 0
    for (const [slot, words] of this.#words.entries()) {
      const isWanted = this.#scopes.some((scope) =>
        this.#hasName(scope, slot, (name) => isListed(scope, name)),
      )
      if (!isWanted || words === '') continue
      if (this.#hasCode[slot]) embedded += 1
      else waiting += 1
    }
    return { embedded, waiting }
  }
}

function byScope<Scope extends string>(scopes: readonly Scope[]): Record<Scope, GrowingArray> {
  return Object.fromEntries(scopes.map((scope) => [scope, new GrowingArray(1024)])) as Record<
    Scope,
    GrowingArray
  >
}

function differences(codes: Uint32Array, from: number, code: Uint32Array): number {
  let count = 0
  for (let at = 0; at < code.length; at += 1) {
    let bits = (codes[from + at] ?? 0) ^ (code[at] ?? 0)
    bits -= (bits >>> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}
