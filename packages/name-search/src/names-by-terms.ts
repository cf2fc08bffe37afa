import { GrowingArray } from './growing-array.ts'

const FIRST_SLOTS = 2048
/** How many names of a list are surely the cheapest, in their order; the others follow as they came. */
const SORTED = 32
const COST_STEPS = 4096
/** Numbers of an entry: the name, its cost, and the entry that follows. Entries count from 1; 0 is none. */
const WIDTH = 3

/**
 * The names that have a term, or both of two terms, the cheapest first: one look finds what two words share,
 * however many names have either. Some 100 bytes a name.
 *
 * A name never leaves its lists. Once in a few billion a list has names of other terms too, when their hashes
 * are the same: whoever reads it scores what it finds.
 */
export class NamesByTerms {
  /** By hash, with open addressing: the hash, and the list's first entry. */
  #slots = new Uint32Array(FIRST_SLOTS * 2)
  #lists = 0
  readonly #entries = new GrowingArray(FIRST_SLOTS)
  /** By hash: the last sorted entry of lists that are longer than that. */
  readonly #lastSorted = new Map<number, number>()

  /** Of one term when both are the same. */
  add(a: number, b: number, name: number, cost: number): void {
    if (this.#lists * 4 > this.#slots.length) this.#makeRoom()
    const hash = hashOf(a, b)
    const slot = slotOf(this.#slots, hash)
    const first = this.#slots[slot + 1] as number
    this.#entries.push(name)
    this.#entries.push(Math.round(cost * COST_STEPS))
    this.#entries.push(0)
    const entry = this.#entries.length / WIDTH
    if (first === 0) {
      this.#lists += 1
      this.#slots[slot] = hash
      this.#slots[slot + 1] = entry
    } else this.#link(hash, slot, first, entry)
  }

  #link(hash: number, slot: number, first: number, entry: number): void {
    const cost = this.cost(entry)
    const last = this.#lastSorted.get(hash)
    if (last !== undefined && this.cost(last) <= cost) {
      this.#follow(last, entry)
      return
    }
    let before = 0
    let at = first
    let sorted = 1
    for (; at !== 0 && this.cost(at) <= cost; at = this.next(at)) {
      before = at
      sorted += 1
    }
    if (before === 0) {
      this.#setNext(entry, first)
      this.#slots[slot + 1] = entry
    } else this.#follow(before, entry)
    // One more is sorted now, so the last of as many as may be is no longer it.
    let end = entry
    for (; sorted < SORTED && end !== 0; sorted += 1) end = this.next(end)
    if (end !== 0) this.#lastSorted.set(hash, end)
  }

  #follow(before: number, entry: number): void {
    this.#setNext(entry, this.next(before))
    this.#setNext(before, entry)
  }

  #setNext(entry: number, next: number): void {
    this.#entries.set(entry * WIDTH - 1, next)
  }

  /** The first entry of the names that have both terms. */
  first(a: number, b: number): number {
    return this.#slots[slotOf(this.#slots, hashOf(a, b)) + 1] as number
  }

  next(entry: number): number {
    return this.#entries.at(entry * WIDTH - 1)
  }

  name(entry: number): number {
    return this.#entries.at(entry * WIDTH - 3)
  }

  cost(entry: number): number {
    return this.#entries.at(entry * WIDTH - 2) / COST_STEPS
  }

  #makeRoom(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    for (let at = 0; at < this.#slots.length; at += 2) {
      if (this.#slots[at + 1] === 0) continue
      const slot = slotOf(slots, this.#slots[at] as number)
      slots[slot] = this.#slots[at] as number
      slots[slot + 1] = this.#slots[at + 1] as number
    }
    this.#slots = slots
  }
}

/** Where the hash's list is, or would begin. */
function slotOf(slots: Uint32Array, hash: number): number {
  const last = slots.length / 2 - 1
  let slot = hash & last
  while (slots[slot * 2 + 1] !== 0 && slots[slot * 2] !== hash) slot = (slot + 1) & last
  return slot * 2
}

function hashOf(a: number, b: number): number {
  let hash = Math.imul(Math.min(a, b) + 1, 0x9e3779b1) ^ Math.imul(Math.max(a, b) + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}
