import { parentPort } from 'node:worker_threads'

interface Call {
  id: number
  name: string
  values: unknown[]
}

/** Serves calls to these functions from within a thread that `startThread` started. */
// biome-ignore lint/suspicious/noExplicitAny: each function has arguments of its own
export function serveThread(functions: Record<string, (...values: any[]) => unknown>): void {
  parentPort?.on('message', ({ id, name, values }: Call) => {
    try {
      parentPort?.postMessage({ id, result: functions[name]?.(...values) })
    } catch (error) {
      parentPort?.postMessage({ id, error })
    }
  })
}
