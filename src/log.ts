import { type DestinationStream, type Logger, pino } from 'pino'

/** The service's log: one JSON line for each entry. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: safeError } }, destination)
}

/** An error for the log: a database's message may quote a row, so only what names the fault is kept. */
function safeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { name, message, code, stack, ...(cause !== undefined && { cause: safeError(cause) }) }
}
