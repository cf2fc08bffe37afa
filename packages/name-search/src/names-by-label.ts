import { GrowingArray } from './growing-array.ts'

const FIRST_SLOTS = 2048

/** The names by their label, on whatever TLD; some 16 bytes a name, and no limit but memory's. */
export class NamesByLabel {
  /** By hash: the last name of those that share a slot, plus one; 0 is none. */
  #slots = new Uint32Array(FIRST_SLOTS)
  /** By name: the one before it in its slot, plus one. */
  #before = new GrowingArray(FIRST_SLOTS)
  readonly #hashes = new GrowingArray(FIRST_SLOTS)

  /** Names come in the order of their numbers, from 0. */
  add(label: string, name: number): void {
    if (name >= this.#slots.length) this.#makeRoom()
    const hash = hashOf(label)
    this.#hashes.push(hash)
    this.#link(hash, name)
  }

  /** The names whose label has the same hash, the last first: hardly any others. */
  find(label: string): number[] {
    const hash = hashOf(label)
    const names: number[] = []
    for (
      let at = this.#slots[this.#slotOf(hash)] as number;
      at !== 0;
      at = this.#before.at(at - 1)
    ) {
      if (this.#hashes.at(at - 1) === hash) names.push(at - 1)
    }
    return names
  }

  #link(hash: number, name: number): void {
    const slot = this.#slotOf(hash)
    this.#before.push(this.#slots[slot] as number)
    this.#slots[slot] = name + 1
  }

  #slotOf(hash: number): number {
    return hash & (this.#slots.length - 1)
  }

  #makeRoom(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    this.#before = new GrowingArray(this.#slots.length)
    for (let name = 0; name < this.#hashes.length; name += 1)
      this.#link(this.#hashes.at(name), name)
  }
}

/** FNV-1a, its bits mixed once more. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash ^ (hash >>> 15)) >>> 0
}
