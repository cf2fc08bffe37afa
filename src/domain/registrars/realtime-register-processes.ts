import { RegistrarRejected, ResponseLost } from './driver.ts'
import { parsed, pause } from './http-registrar.ts'
import { ProcessList, ProcessState } from './realtime-register-bodies.ts'

/** A change is a process there; most end within ten seconds. */
const POLL_MS = 500
/** How one ends; with any other status it may still take effect. */
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'INVALID']

/** How processes are read. */
interface Reading {
  read(path: string): Promise<unknown>
  signal: AbortSignal
}

/** Waits for the end of a process; an error where it did not succeed. */
export async function waitForProcess(processId: string, { read, signal }: Reading): Promise<void> {
  try {
    for (;;) {
      const { status, error } = parsed(ProcessState, await read(`/processes/${processId}`))
      if (status === 'COMPLETED') return
      if (ENDED.includes(status)) {
        throw new RegistrarRejected(status, error ?? `The process ${processId} did not succeed.`)
      }
      await pause(POLL_MS, signal)
    }
  } catch (error) {
    if (error instanceof RegistrarRejected) throw error
    // It goes on there, whether or not we hear of its end.
    throw new ResponseLost(`The end of the process ${processId} is not known.`, { cause: error })
  }
}

/** Waits for a renewal that runs there still, such as one whose response was lost: a second would be charged, too. */
export async function waitForRenewal(domain: string, reading: Reading): Promise<void> {
  const query = new URLSearchParams({ identifier: domain, order: '-createdDate' })
  const { entities } = parsed(ProcessList, await reading.read(`/processes?${query}`))
  const running = entities.find(
    ({ action, status }) => /renew/i.test(action) && !ENDED.includes(status),
  )
  if (!running) return
  try {
    await waitForProcess(String(running.id), reading)
  } catch (error) {
    // One that was rejected has renewed nothing.
    if (!(error instanceof RegistrarRejected)) throw error
  }
}
