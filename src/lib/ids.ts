import { randomBytes } from 'node:crypto'
import { monotonicFactory } from 'ulid'

export type IdPrefix =
  | 'aff'
  | 'att'
  | 'case'
  | 'cme'
  | 'cs'
  | 'del'
  | 'grt'
  | 'evt'
  | 'lnk'
  | 'mail'
  | 'note'
  | 'off'
  | 'pat'
  | 'rnw'
  | 'ses'
  | 'ord'
  | 'pay'
  | 'po'
  | 'prt'
  | 'qt'
  | 'req'
  | 'rf'
  | 'stl'
  | 'txn'
  | 'usr'
  | 'wh'

const nextUlid = monotonicFactory()

/** An opaque id such as `ord_01k…`, sortable by creation: a ULID, also when the clock steps back. */
export function newId(prefix: IdPrefix, now: Date): string {
  return `${prefix}_${nextUlid(now.getTime()).toLowerCase()}`
}

/** 32 random bytes in hex, which no shell or pattern trips over: for whatever must not be guessed. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}
