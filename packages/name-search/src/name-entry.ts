const LENGTH_BITS = 6

/** A name and how long its label is, in one number of 32 bits: so that nothing else is looked at for it. */
export function entryOf(name: number, length: number): number {
  return ((name << LENGTH_BITS) | length) >>> 0
}

export function nameOf(entry: number): number {
  return entry >>> LENGTH_BITS
}

export function lengthOf(entry: number): number {
  return entry & ((1 << LENGTH_BITS) - 1)
}
