/**
 * Groups the calls of one turn of the event loop into one: `load` gets all keys that were asked for
 * and answers a value for each, in their order. While a group is on its way the next one gathers, so
 * that the load itself sets the size of the groups.
 */
export function grouped<Key, Value>(
  load: (keys: Key[]) => Promise<Value[]>,
  limits: { groupSize: number; inFlight: number } = { groupSize: 256, inFlight: 2 },
): (key: Key) => Promise<Value> {
  interface Waiting {
    key: Key
    resolve(value: Value): void
    reject(error: unknown): void
  }
  let waiting: Waiting[] = []
  let inFlight = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || inFlight >= limits.inFlight || waiting.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      const group = waiting.slice(0, limits.groupSize)
      waiting = waiting.slice(limits.groupSize)
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
      for (const { reject } of group) reject(error)
    } finally {
      inFlight -= 1
      schedule()
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      schedule()
    })
}
