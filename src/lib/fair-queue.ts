/** Too much is waiting already, of all or of this client. */
export class QueueFull extends Error {}

/**
 * Runs work a few at a time, by turns of whoever it is for: one client with a hundred requests keeps another with one
 * waiting for one of them, and not for a hundred.
 */
export function fairQueue(limits: { atOnce: number; perClient: number; overall: number }) {
  const waiting = new Map<string, (() => void)[]>()
  let running = 0
  let queued = 0

  function next(): void {
    while (running < limits.atOnce) {
      const [turn] = waiting
      if (!turn) return
      const [client, works] = turn
      const work = works.shift()
      // To the end of the line, behind everybody else.
      waiting.delete(client)
      if (works.length > 0) waiting.set(client, works)
      queued -= 1
      running += 1
      work?.()
    }
  }

  return async function run<T>(client: string, work: () => Promise<T>): Promise<T> {
    const works = waiting.get(client) ?? []
    if (works.length >= limits.perClient || queued >= limits.overall) throw new QueueFull()
    await new Promise<void>((resolve) => {
      works.push(resolve)
      waiting.set(client, works)
      queued += 1
      next()
    })
    try {
      return await work()
    } finally {
      running -= 1
      next()
    }
  }
}
