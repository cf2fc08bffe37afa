import { Worker } from 'node:worker_threads'

interface Result {
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
  const ask = questionsTo(worker, `the thread ${file}`)
  return {
    call: (name, ...values) => ask({ name, values }),
    async stop() {
      await worker.terminate()
    },
  }
}

/**
 * Asks a thread, which responds to each message by its `id`, with a `result` or an `error`. When it ends, every
 * request that waits for a response fails, and so does every later one.
 *
 * @param what names the thread in that error
 */
export function questionsTo(worker: Worker, what: string): (message: object) => Promise<unknown> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  let lastId = 0
  let ended: ThreadEnded | undefined

  worker.on('message', ({ id, result, error }: Result) => {
    const question = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) question?.resolve(result)
    else question?.reject(error)
  })
  const end = (cause?: Error) => {
    // What WebAssembly throws has no message.
    ended ??= new ThreadEnded(`${what} has ended${cause?.message ? `: ${cause.message}` : ''}`, {
      cause,
    })
    for (const question of waiting.values()) question.reject(ended)
    waiting.clear()
  }
  worker.on('error', end)
  worker.on('exit', () => end())

  return (message) => {
    if (ended) return Promise.reject(ended)
    lastId += 1
    const id = lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage({ ...message, id })
    })
  }
}

export class ThreadEnded extends Error {}
