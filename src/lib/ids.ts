import { randomBytes } from 'node:crypto'
import { encodeTime, monotonicFactory } from 'ulid'

export type IdPrefix =
  | 'aff'
  | 'att'
  | 'aud'
  | 'case'
  | 'chg'
  | 'cme'
  | 'cs'
  | 'del'
  | 'dp'
  | 'grt'
  | 'imp'
  | 'inv'
  | 'evt'
  | 'lnk'
  | 'lrq'
  | 'mail'
  | 'note'
  | 'off'
  | 'pat'
  | 'rnw'
  | 'ses'
  | 'ord'
  | 'pay'
  | 'pm'
  | 'po'
  | 'prt'
  | 'qt'
  | 'req'
  | 'rf'
  | 'rpl'
  | 'stl'
  | 'txn'
  | 'usr'
  | 'wh'

let nextUlid = monotonicFactory()

/** Forgets what was given out. Another clock begins, which may be behind: tests have many in one process. */
export function restartIds(): void {
  nextUlid = monotonicFactory()
}

/** An opaque id such as `ord_01k…`, sortable by creation: a ULID, also when the clock steps back. */
export function newId(prefix: IdPrefix, now: Date): string {
  return `${prefix}_${nextUlid(now.getTime()).toLowerCase()}`
}

/** What no id that was made before the moment sorts behind: lists in order of their ids are cut by it. */
export function firstIdAt(prefix: IdPrefix, moment: Date): string {
  return `${prefix}_${encodeTime(Math.max(0, moment.getTime())).toLowerCase()}`
}

/** 32 random bytes in hex, which no shell or pattern trips over: for whatever must not be guessed. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}
