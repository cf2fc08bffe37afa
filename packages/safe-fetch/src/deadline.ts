export class DeadlinePassed extends Error {
  constructor(timeoutMs: number) {
    super(`No complete response within ${timeoutMs} ms.`)
  }
}

/** The work's outcome, unless the signal aborts before it: then its reason. The work itself goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** Rejects at the deadline by itself, whether or not the work heeds its signal. */
export function withDeadline<T>(
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const end = (error: unknown) => {
      reject(error)
      controller.abort(error)
    }
    const late = () => end(new DeadlinePassed(timeoutMs))
    const leave = () => end(signal?.reason)
    if (signal?.aborted) return leave()
    const timer = setTimeout(late, timeoutMs)
    signal?.addEventListener('abort', leave, { once: true })
    work(controller.signal)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      })
      .then(resolve, reject)
  })
}
