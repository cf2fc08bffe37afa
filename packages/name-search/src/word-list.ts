const NEW_LINE = 10
/** So that few words share a slot. */
const SLOTS_A_WORD = 2
const LONGEST = 256

interface WordList {
  size: number
  /** The word of a number, from 0 to below `size`. */
  word(number: number): string
  number(word: string): number | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** The word that is looked for, in UTF-8. */
const sought = new Uint8Array(LONGEST)

/**
 * Words as they stand in a file, one a line in UTF-8, with a table of slots to find them by: 12 bytes a word beside
 * its text, where strings in a map take a hundred.
 */
export function readWords(text: Uint8Array): WordList {
  let size = 1
  for (let at = 0; at < text.length; at += 1) if (text[at] === NEW_LINE) size += 1
  /** Where each begins, and where the next would after the last. */
  const starts = new Uint32Array(size + 1)
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === NEW_LINE) starts[(count += 1)] = at + 1
  }
  starts[size] = text.length + 1
  const last = 2 ** Math.ceil(Math.log2(size * SLOTS_A_WORD)) - 1
  /** By hash, with open addressing: a word's number and one, as 0 is none. */
  const slots = new Uint32Array(last + 1)
  for (let number = 0; number < size; number += 1) {
    let slot = hashOf(text, starts[number] as number, (starts[number + 1] as number) - 1) & last
    while (slots[slot] !== 0) slot = (slot + 1) & last
    slots[slot] = number + 1
  }

  function isAt(number: number, length: number): boolean {
    const start = starts[number] as number
    if ((starts[number + 1] as number) - 1 - start !== length) return false
    for (let at = 0; at < length; at += 1) if (text[start + at] !== sought[at]) return false
    return true
  }

  return {
    size,
    word: (number) => decoder.decode(text.subarray(starts[number], (starts[number + 1] ?? 1) - 1)),
    number(word) {
      if (word.length > LONGEST) return undefined
      const length = writeSought(word)
      let slot = hashOf(sought, 0, length) & last
      for (; slots[slot] !== 0; slot = (slot + 1) & last) {
        const number = (slots[slot] as number) - 1
        if (isAt(number, length)) return number
      }
      return undefined
    },
  }
}

/** Its length in bytes. Encoding is slow for what is mostly ASCII. */
function writeSought(word: string): number {
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at)
    if (code > 127) return encoder.encodeInto(word, sought).written
    sought[at] = code
  }
  return word.length
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}
