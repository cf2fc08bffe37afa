import { randomBytes, randomFillSync } from 'node:crypto'
import { decodeTime, encodeTime, monotonicFactory, ulid } from 'ulid'

export type IdPrefix =
  | 'aff'
  | 'att'
  | 'aud'
  | 'case'
  | 'chg'
  | 'clm'
  | 'cme'
  | 'cs'
  | 'del'
  | 'dp'
  | 'grt'
  | 'gw'
  | 'imp'
  | 'inv'
  | 'ivc'
  | 'evt'
  | 'atk'
  | 'fac'
  | 'lnk'
  | 'lrq'
  | 'mail'
  | 'note'
  | 'off'
  | 'ofr'
  | 'pat'
  | 'rnw'
  | 'ses'
  | 'ord'
  | 'pay'
  | 'pm'
  | 'po'
  | 'pob'
  | 'pye'
  | 'rcp'
  | 'rct'
  | 'prt'
  | 'qt'
  | 'reg'
  | 'req'
  | 'rf'
  | 'rop'
  | 'rpl'
  | 'stl'
  | 'syn'
  | 'txn'
  | 'usr'
  | 'wh'

const random = Buffer.alloc(4_096)
let randomLeft = 0

/** From bytes fetched for many ids at once: by itself ulid asks the system sixteen times for each id. */
function randomFraction(): number {
  if (randomLeft === 0) {
    randomFillSync(random)
    randomLeft = random.length
  }
  randomLeft -= 1
  return random.readUInt8(randomLeft) / 256
}

let nextUlid = monotonicFactory(randomFraction)

/** Forgets the ids given out, for another clock that may be behind: tests have many in one process. */
export function restartIds(): void {
  nextUlid = monotonicFactory(randomFraction)
}

/** An opaque id such as `ord_01k…`, sortable by creation: a ULID, also when the clock steps back. */
export function newId(prefix: IdPrefix, now: Date): string {
  return `${prefix}_${nextUlid(now.getTime()).toLowerCase()}`
}

/** Such an id for what anyone may read who knows it: the one made next does not follow from it. */
export function newPublicId(prefix: IdPrefix, now: Date): string {
  return `${prefix}_${ulid(now.getTime(), randomFraction).toLowerCase()}`
}

/** The lower bound of the ids made at the moment or later; every earlier id sorts before it. */
export function firstIdAt(prefix: IdPrefix, moment: Date): string {
  return `${prefix}_${encodeTime(Math.max(0, moment.getTime())).toLowerCase()}`
}

/** When an id was made, which nothing moves: a sandbox's clock changes the times beside it. */
export function madeAt(id: string): Date {
  return new Date(decodeTime(id.slice(id.indexOf('_') + 1).toUpperCase()))
}

/** 32 random bytes in hex, which no shell or pattern trips over: for whatever must not be guessed. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}
