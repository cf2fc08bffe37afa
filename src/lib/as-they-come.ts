/** The values of promises in the order in which they are fulfilled; the first failure ends it. */
export async function* asTheyCome<T>(promises: Promise<T>[]): AsyncGenerator<T> {
  const waiting = new Map(
    promises.map((promise, index) => [index, promise.then((value) => ({ index, value }))]),
  )
  while (waiting.size > 0) {
    const { index, value } = await Promise.race(waiting.values())
    waiting.delete(index)
    yield value
  }
}
