import * as epp from 'domain-marketplace-epp-client'
import { NotPerformed, RegistrarRejected, ResponseLost, TestFailed } from './driver.ts'

/** The outcome of a call to the EPP client, with the errors that every driver has. */
export async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw translate(error)
  }
}

/** The same of a test, which says at which step it ended. */
export async function translatedTest<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof epp.OpeningFailed) throw new TestFailed(error.step, error.message)
    throw translate(error)
  }
}

/** Whether a server rejected a command with one of these result codes. */
export function isOneOf(error: unknown, codes: readonly number[]): boolean {
  return error instanceof epp.CommandRejected && codes.includes(error.code)
}

function translate(error: unknown): unknown {
  if (error instanceof epp.NotPerformed) return new NotPerformed(error.message, { cause: error })
  if (error instanceof epp.ResponseLost) return new ResponseLost(error.message, { cause: error })
  if (error instanceof epp.CommandRejected) {
    return new RegistrarRejected(String(error.code), error.message, error.reason)
  }
  return error
}
