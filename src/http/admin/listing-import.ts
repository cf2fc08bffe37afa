import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Origin } from '../../core/audit.ts'
import { type Actor, ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError, errorBody, invalid } from '../../core/errors.ts'
import { DatabaseUnavailable } from '../../db/server.ts'
import { endOvertakenCases } from '../../domain/brokerage/end-overtaken.ts'
import { admitImport } from '../../domain/listings/admit-import.ts'
import { streamListings } from '../../domain/listings/stream-listings.ts'
import { uploadListings } from '../../domain/listings/upload-listings.ts'

const IMPORT_LIMIT = 4 * 1024 ** 3

declare module 'fastify' {
  interface FastifyRequest {
    /** Who acts, on the routes of operators. */
    actor: Actor | null
  }
}

/**
 * `POST /listings/import?environment=…` with a CSV file as the body loads it while it comes in and responds
 * with lines of JSON: `{"progress": …}` after each batch, then `{"report": …}` or `{"error": …}`.
 * `POST /listing-imports?environment=…` takes the file in first, responds with the import's id, and loads it
 * in the background.
 */
export function serveListingImport(
  scope: FastifyInstance,
  app: AppContext,
  base: string,
  stopping: AbortSignal,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload))
  const route = (operation: string) => ({
    bodyLimit: IMPORT_LIMIT,
    config: { operation, isPatient: true as const },
  })
  scope.post(`${base}/listings/import`, route('import_listings'), async (request, reply) => {
    const environment = environmentOf(request)
    const origin = { actor: actorOf(request), requestId: request.id }
    await admitImport(app, 'import_listings', environment, origin)
    reply.header('content-type', 'application/x-ndjson')
    return reply.send(Readable.from(importLines(app, environment, request, origin, stopping)))
  })
  scope.post(`${base}/listing-imports`, route('upload_listings'), async (request, reply) => {
    const { file_name: fileName } = request.query as Record<string, unknown>
    const body = bodyOf(request)
    const upload = {
      environment: environmentOf(request),
      fileName: typeof fileName === 'string' ? fileName : null,
      csv: body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    }
    try {
      const origin = { actor: actorOf(request), requestId: request.id }
      return reply.code(202).send({ import_id: await uploadListings(app, upload, origin) })
    } finally {
      // What is left of a rejected file is read to its end: the next request comes by the same connection.
      body.resume()
    }
  })
}

export function actorOf({ actor }: FastifyRequest): Actor {
  if (!actor) throw new ApiError('unauthorized', 'Send the admin token.')
  return actor
}

function bodyOf({ body }: FastifyRequest): Readable {
  return body instanceof Readable ? body : Readable.from([])
}

function environmentOf({ query }: FastifyRequest): Environment {
  const given = (query as Record<string, unknown>).environment
  const environment = ENVIRONMENTS.find((known) => known === given)
  if (environment) return environment
  throw invalid({ field: 'environment', issue: 'must be sandbox or live' })
}

async function* importLines(
  app: AppContext,
  environment: Environment,
  request: FastifyRequest,
  origin: Origin,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const progress: string[] = []
  let wake = () => {}
  const line = (value: object) => `${JSON.stringify(value)}\n`
  let done = false
  const csv = bodyOf(request)
  const work = streamListings(
    app,
    { environment, csv, signal },
    origin,
    ({ rows, imported, rejected_count }) => {
      progress.push(line({ progress: { rows, imported, rejected_count } }))
      wake()
    },
  )
    .then(async (report) => {
      // The clock does it too, a moment later, if this cannot.
      await endOvertakenCases(app, signal).catch(() => {})
      return report
    })
    .then(
      (report) => progress.push(line({ report })),
      (error: unknown) => {
        const rejected = error instanceof ApiError
        if (!rejected && !signal.aborted) request.log.error({ err: error }, 'import: it broke off')
        const shown = rejected ? error : brokenOff(error, signal)
        progress.push(line(errorBody(shown, request.id)))
      },
    )
    .finally(() => {
      // As of a rejected upload.
      csv.resume()
      done = true
      wake()
    })
  while (!done || progress.length > 0) {
    yield* progress.splice(0)
    if (!done) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await work
}

/** What was loaded stays, and loading it again changes nothing. */
function brokenOff(error: unknown, { aborted }: AbortSignal): ApiError {
  const isAway = aborted || error instanceof DatabaseUnavailable
  const code = isAway ? 'unavailable' : 'internal_error'
  return new ApiError(code, 'The import broke off; what was loaded stays. Run it again.')
}
