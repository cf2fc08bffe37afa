/** How much a run does: what fits beside other checks, what a change must pass, what a release must. */
export const PROFILES = ['quick', 'ci', 'release'] as const
export type Profile = (typeof PROFILES)[number]

/** What a proof is run with. */
export interface Trial {
  /** Repeats the run; printed with it. */
  seed: number
  random: Random
  /** A PostgreSQL server that databases may be made on; absent, what needs one is left out. */
  postgres: string | undefined
  /** One figure a profile. */
  size(figures: Record<Profile, number>): number
  /** A line for whoever watches. */
  say(line: string): void
}

/** One promise, tried. Throws when it does not hold. */
export interface Proof {
  name: string
  /** Returns what was done, in figures. */
  run(trial: Trial): Promise<string>
}

/** The machine lacks what the proof needs; shown, and no success. */
export class Skipped extends Error {}

/** Numbers that follow from a seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from 0 up to, not including, the bound. */
  below(bound: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly [T, ...T[]]): T
  bytes(length: number): Buffer
}

/** Mulberry32, the usual small generator. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly [T, ...T[]]) => from[below(from.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}

/** Fails the proof, in a sentence, unless it holds. */
export function hold(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}
