import type { AppContext } from '../../core/context.ts'

interface Work<T> {
  everyMs: number
  /** What has something to do now. */
  find(): Promise<T[]>
  keyOf(one: T): string | null
  work(one: T): Promise<void>
}

/**
 * Works for each that has something to do, of each for itself, until none is at work any more. Meanwhile it looks for
 * more of them as often as its job would: one that takes hours delays no other. Rejects with the first failure then.
 */
export async function workEach<T>(
  { log }: Pick<AppContext, 'log'>,
  signal: AbortSignal,
  { everyMs, find, keyOf, work }: Work<T>,
): Promise<void> {
  const underWay = new Map<string | null, Promise<void>>()
  let failure: unknown
  let isOver = false

  function fail(error: unknown): void {
    log.error({ err: error }, 'registrars: work broke off')
    failure ??= error
  }

  async function look(): Promise<void> {
    const found = await find()
    if (isOver || signal.aborted) return
    for (const one of found) {
      const key = keyOf(one)
      if (underWay.has(key)) continue
      const ended = work(one)
        .catch(fail)
        .finally(() => underWay.delete(key))
      underWay.set(key, ended)
    }
  }

  await look()
  const timer = setInterval(() => void look().catch(fail), everyMs)
  while (underWay.size > 0) await Promise.race(underWay.values())
  isOver = true
  clearInterval(timer)
  if (failure !== undefined) throw failure
}
