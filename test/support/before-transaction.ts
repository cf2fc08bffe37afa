import { vi } from 'vitest'
import type { TestService } from './service.ts'

/** Enough to see through the layers of a statement. */
const FRAMES = 50

/**
 * Runs this just before the next transaction of a request begins, once; the service's own jobs, which begin theirs at any
 * time, are let pass. `vi.restoreAllMocks` takes it back.
 */
export function beforeNextTransaction({ app }: TestService, run: () => Promise<unknown>): void {
  const { server } = app
  const acquire = server.acquire.bind(server)
  let isDue = true
  vi.spyOn(server, 'acquire').mockImplementation(async () => {
    if (isDue && !isOfJob()) {
      isDue = false
      await run()
    }
    return await acquire()
  })
}

function isOfJob(): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const { stack = '' } = new Error('where it is called')
  Error.stackTraceLimit = stackTraceLimit
  return stack.includes('/core/jobs.ts')
}
