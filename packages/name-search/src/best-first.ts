/** Worth is told apart in so many steps. */
const STEPS = 512
const NONE = -1

export function stepOf(worth: number): number {
  return Math.min(STEPS - 1, (worth * STEPS) | 0)
}

/** Whole numbers below `size`, each in it once at most, by how much it is worth, from 0 to 1. */
export class BestFirst {
  readonly #heads = new Int32Array(STEPS).fill(NONE)
  readonly #following: Int32Array
  /** Of what was popped last. */
  step = STEPS - 1

  constructor(size: number) {
    this.#following = new Int32Array(size)
  }

  /** The step is no higher than that of what was popped last. */
  push(item: number, step: number): void {
    this.#following[item] = this.#heads[step] as number
    this.#heads[step] = item
  }

  /** One that is worth most; undefined when all that are left are worth less than `least`. */
  pop(least: number): number | undefined {
    for (const lowest = stepOf(least); this.step >= lowest; this.step -= 1) {
      const item = this.#heads[this.step] as number
      if (item === NONE) continue
      this.#heads[this.step] = this.#following[item] as number
      return item
    }
    return undefined
  }
}

/** Puts one where it belongs among the best, of which no more than `most` are kept. */
export function keepBest<T>(
  best: T[],
  one: T,
  most: number,
  isBetter: (one: T, than: T) => boolean,
): void {
  let place = best.length
  while (place > 0 && isBetter(one, best[place - 1] as T)) place -= 1
  if (place === most) return
  best.splice(place, 0, one)
  best.length = Math.min(best.length, most)
}
