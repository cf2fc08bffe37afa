import { Worker } from 'node:worker_threads'

interface Answer {
  id: number
  result?: unknown
  error?: unknown
}

export interface Thread {
  /** Calls one of the functions that the thread serves. */
  call(name: string, ...values: unknown[]): Promise<unknown>
  stop(): Promise<void>
}

/**
 * A module that runs in a thread of its own and serves calls with `serveThread`.
 *
 * @param entry the module's URL, without its extension
 * @param from the `import.meta.url` of the caller, which has the same extension
 */
export function startThread(entry: URL, from: string): Thread {
  const file = entry.href + from.slice(from.lastIndexOf('.'))
  const worker = new Worker(new URL('./typescript-thread.js', import.meta.url), {
    workerData: { entry: file },
    execArgv: [],
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  let lastId = 0
  let failure: unknown

  worker.on('message', ({ id, result, error }: Answer) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) call?.resolve(result)
    else call?.reject(error)
  })
  const fail = (error: unknown) => {
    failure ??= error
    for (const call of waiting.values()) call.reject(failure)
    waiting.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error(`the thread ${file} has ended`)))

  return {
    call(name, ...values) {
      if (failure !== undefined) return Promise.reject(failure)
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, name, values })
      })
    },
    async stop() {
      await worker.terminate()
    },
  }
}
