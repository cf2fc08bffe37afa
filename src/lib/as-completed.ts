/** The values of promises in the order in which they are fulfilled; the first failure ends it. */
export async function* asCompleted<T>(promises: Promise<T>[]): AsyncGenerator<T> {
  const waiting = new Map(
    promises.map((promise, index) => [index, promise.then((value) => ({ index, value }))]),
  )
  while (waiting.size > 0) {
    const { index, value } = await Promise.race(waiting.values())
    waiting.delete(index)
    yield value
  }
}

/** What several sources yield, in the order in which they do; the first failure ends it. */
export async function* mergeIterables<T>(...sources: AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  const next = (index: number) => {
    const step = Promise.resolve(iterators[index]?.next()).then((value) => ({ index, value }))
    // Whoever stops listening has not to hear of a failure.
    step.catch(() => {})
    return step
  }
  const waiting = new Map(iterators.map((_, index) => [index, next(index)]))
  try {
    while (waiting.size > 0) {
      const { index, value } = await Promise.race(waiting.values())
      waiting.delete(index)
      if (!value || value.done === true) continue
      waiting.set(index, next(index))
      yield value.value
    }
  } finally {
    await Promise.all(iterators.map(async (iterator) => await iterator.return?.()))
  }
}
