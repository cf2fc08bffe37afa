import { NotPerformed } from './driver.ts'

const MINUTE_MS = 60_000
export const NO_TIME = 'There was no time left to ask the registrar.'

/**
 * Turns at a registrar, so many a minute. Who gives up waiting takes no turn from the others, and who waits only for so
 * long goes behind all who wait as long as it takes.
 */
export class Turns {
  readonly #gapMs: number
  readonly #first = new Set<() => void>()
  readonly #last = new Set<() => void>()
  #nextAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(perMinute: number) {
    this.#gapMs = MINUTE_MS / perMinute
  }

  /**
   * Rejects with `NotPerformed` when the signal aborts before the turn, and at once where the turn is not to be expected
   * within `patienceMs`.
   */
  async take(signal: AbortSignal, patienceMs?: number): Promise<void> {
    if (signal.aborted || !this.#comesWithin(patienceMs)) throw new NotPerformed(NO_TIME)
    const line = patienceMs === undefined ? this.#first : this.#last
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        line.delete(go)
        reject(new NotPerformed(NO_TIME))
      }
      const go = () => {
        line.delete(go)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      line.add(go)
      signal.addEventListener('abort', leave, { once: true })
      this.#serve()
    })
  }

  #comesWithin(patienceMs = Number.POSITIVE_INFINITY): boolean {
    const ahead = this.#first.size + this.#last.size
    return this.#nextAt + ahead * this.#gapMs <= performance.now() + patienceMs
  }

  /** Lets in whose turn it is, and comes back for the next. */
  #serve(): void {
    clearTimeout(this.#timer)
    const [go] = this.#first.size > 0 ? this.#first : this.#last
    if (!go) return
    const now = performance.now()
    if (this.#nextAt > now) {
      this.#timer = setTimeout(() => this.#serve(), this.#nextAt - now)
      return
    }
    this.#nextAt = now + this.#gapMs
    go()
    this.#serve()
  }
}
