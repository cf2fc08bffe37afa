import { randomInt } from 'node:crypto'

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
const SMALL = 'abcdefghijkmnopqrstuvwxyz'
const DIGITS = '23456789'
const SIGNS = '!#$%*+-=@_'
const ALL = LETTERS + SMALL + DIGITS + SIGNS
const LENGTH = 24

/**
 * An authorization code (RFC 9154, section 4.1): 24 of 66 printable characters, 145 bits from the system's
 * random source, with one of each kind, as some registries demand.
 */
export function newAuthCode(): string {
  const pick = (from: string) => from.charAt(randomInt(from.length))
  for (;;) {
    const code = Array.from({ length: LENGTH }, () => pick(ALL)).join('')
    if ([LETTERS, SMALL, DIGITS, SIGNS].every((kind) => [...code].some((c) => kind.includes(c)))) {
      return code
    }
  }
}
