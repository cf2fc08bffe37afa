import { type DestinationStream, type Logger, pino } from 'pino'
import { traceFields } from './lib/tracing.ts'

/** The service's log: one JSON line for each entry. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      serializers: { err: safeError },
      mixin: () => traceFields() ?? {},
      hooks: {
        logMethod(args, method) {
          // Of an entry without a message pino would take the error's as it is.
          const error = args.length === 1 ? errorOf(args[0]) : undefined
          if (error) method.call(this, args[0], withoutQueries(error.message))
          else method.apply(this, args)
        },
      },
    },
    destination,
  )
}

function errorOf(entry: unknown): Error | undefined {
  if (entry instanceof Error) return entry
  const isWrapped = typeof entry === 'object' && entry !== null && 'err' in entry
  return isWrapped && entry.err instanceof Error ? entry.err : undefined
}

/** An error for the log: a database's message may quote a row, so only what names the fault is kept. */
function safeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutQueries(String(error)) }
  const { name, message, stack, cause } = error
  return {
    name,
    message: withoutQueries(message),
    code: 'code' in error ? error.code : undefined,
    stack: stack && withoutQueries(stack),
    ...(cause !== undefined && { cause: safeError(cause) }),
  }
}

/** Some errors of the framework quote the address of a request, whose query may hold a token. */
function withoutQueries(text: string): string {
  return text.replace(/\?[^\s"']*=[^\s"']*/g, '?…')
}
