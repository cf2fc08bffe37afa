interface Limits {
  groupSize: number
  inFlight: number
  /**
   * When a group fails, as when the database does not respond, every caller that has waited behind it for longer than
   * this fails with it: the next group would most likely take as long to fail.
   */
  patienceMs: number
}

const USUAL: Limits = { groupSize: 256, inFlight: 2, patienceMs: 500 }

/**
 * Groups the calls of one turn of the event loop into one: `load` gets all keys that were asked for
 * and returns a value for each, in their order. While groups are on their way the next one gathers, so
 * groups grow with the load.
 */
export function batcher<Key, Value>(
  load: (keys: Key[]) => Promise<Value[]>,
  limits: Partial<Limits> = {},
): (key: Key) => Promise<Value> {
  const { groupSize, inFlight: mostInFlight, patienceMs } = { ...USUAL, ...limits }
  interface Waiting {
    key: Key
    askedAt: number
    resolve(value: Value): void
    reject(error: unknown): void
  }
  let waiting: Waiting[] = []
  let inFlight = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || inFlight >= mostInFlight || waiting.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      const group = waiting.slice(0, groupSize)
      waiting = waiting.slice(groupSize)
      inFlight += 1
      void send(group)
      schedule()
    })
  }

  async function send(group: Waiting[]): Promise<void> {
    try {
      const values = await load(group.map(({ key }) => key))
      group.forEach(({ resolve }, index) => {
        resolve(values[index] as Value)
      })
    } catch (error) {
      const patientSince = performance.now() - patienceMs
      const tired = waiting.filter(({ askedAt }) => askedAt < patientSince)
      waiting = waiting.filter(({ askedAt }) => askedAt >= patientSince)
      for (const { reject } of [...group, ...tired]) reject(error)
    } finally {
      inFlight -= 1
      schedule()
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, askedAt: performance.now(), resolve, reject })
      schedule()
    })
}
