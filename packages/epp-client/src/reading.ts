import { BadFrame, ResponseLost } from './errors.ts'

/** Reads what a command brought: a response without what belongs in it says as little as none. */
export function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof BadFrame) throw new ResponseLost(error.message, { cause: error })
    throw error
  }
}
