import { unlessAborted } from 'domain-marketplace-safe-fetch'

/** Lets one piece of work after the other in, in the order in which they came. */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Rejects with the signal's reason when it aborts before the work's turn. */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last
    let leave = () => {}
    const mine = new Promise<void>((resolve) => {
      leave = resolve
    })
    this.#last = before.then(() => mine)
    try {
      signal.throwIfAborted()
      await unlessAborted(before, signal)
      return await work()
    } finally {
      leave()
    }
  }
}
