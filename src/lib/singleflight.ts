import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Does the same work once for all who ask for it in one turn of the event loop. It begins when the turn
 * ends: nobody gets a response that is older than their question.
 */
export function singleflight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const asked = new Map<string, Promise<T>>()
  return (key, work) => {
    const same = asked.get(key)
    if (same) return same
    const result = nextTurn().then(() => {
      asked.delete(key)
      return work()
    })
    asked.set(key, result)
    return result
  }
}
