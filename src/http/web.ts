import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { AppContext } from '../core/context.ts'
import type { Contract } from '../core/contract.ts'
import { type ApiError, errorBody, invalid, notFound } from '../core/errors.ts'
import { createExecutor, type ExecuteOptions, type Executor } from '../core/execute.ts'
import type { Executed } from '../core/executed.ts'
import {
  assertUnderLimit,
  type RateCount,
  type RateState,
  rateCounter,
  rateHeaders,
} from '../core/rate-limits.ts'
import type { Credential } from '../domain/partners/credential.ts'
import { newId } from '../lib/ids.ts'
import { sendErrorPage, wantsErrorPage } from '../web/layout/error-page.tsx'
import { prefersOverJson } from './accept.ts'
import { BODY_LIMIT, BROKEN_OFF, errorHeaders, hasLeft, toApiError } from './api-errors.ts'
import { clientOf } from './client-address.ts'
import { MONITORED } from './health.ts'
import { hourlyRows, type MakeRow } from './hourly-rows.ts'
import { rejectMalformed } from './malformed-http.ts'
import { watchMethods } from './other-methods.ts'
import { asksForFault } from './partner/fault.ts'
import { originHeaders } from './public/headers.ts'
import { watchUpload } from './watch-upload.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request stands in the limit it counts against; null until it was counted. */
    rate: RateState | null
    partner: Credential | null
    /** Why it was rejected. */
    apiError: ApiError | null
  }
  interface FastifyContextConfig {
    /** The operation's name, for logs and metrics. */
    operation?: string
    /** Its body may take as long as it takes. */
    isPatient?: true
  }
}

/** A head, and then a body, that takes longer to arrive is rejected. */
const REQUEST_TIMEOUT_MS = 30_000
/** A quote token in a path is longer than Fastify's default would let through. */
const MAX_PARAMETER_LENGTH = 4_096

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** What the HTTP APIs and pages share. */
export interface Web extends Executor {
  /** Serves an operation at a path, in which `{name}` is a parameter; `before` runs before the body is taken in. */
  route(
    scope: FastifyInstance,
    operation: Contract & { bodyLimit?: number },
    path: string,
    handler: Handler,
    before?: (request: FastifyRequest) => Promise<void>,
  ): void
  /** Once all routes are there: any other method on their paths gets 405 with `Allow`. */
  rejectOtherMethods(): void
  /** Sends what an operation responded, in the form asked for. */
  send(
    operation: Contract,
    request: FastifyRequest,
    reply: FastifyReply,
    executed: Executed,
  ): FastifyReply
  /** Counts a request against a subject's limit. */
  count(count: RateCount): Promise<RateState>
  /** Counts against the client's address; rejects when its limit is used up. */
  countUnauthenticated(request: FastifyRequest, now: Date): Promise<void>
  /** Makes a row that anybody can make; rejects when what an hour allows is used up. */
  makeRow: MakeRow
  recordUse(keyId: string, now: Date): void
}

export interface WebOptions extends ExecuteOptions {
  recordUse: Web['recordUse']
}

/** The HTTP server with everything that is the same on every path: ids, errors, limits, log lines. */
export function createWeb(
  app: AppContext,
  log: FastifyBaseLogger,
  options: WebOptions,
): { fastify: FastifyInstance; web: Web } {
  const { settings, clock } = app
  const isHttps = settings.baseUrl.startsWith('https:')
  const newRequestId = () => newId('req', clock.now())
  const fastify = Fastify({
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: newRequestId,
    bodyLimit: BODY_LIMIT,
    // Node's limit would hold for an import too, which takes in only as fast as it loads.
    requestTimeout: 0,
    trustProxy: settings.trustedProxies.length > 0 ? settings.trustedProxies : false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // Node would reject a request without it in a form that is not ours.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) => void rejectUnrouted(error, request, reply),
    clientErrorHandler: (error, socket) =>
      rejectMalformed(error, socket, log, {
        request_id: newRequestId(),
        method: null,
        route: null,
      }),
  })
  fastify.server.headersTimeout = REQUEST_TIMEOUT_MS
  // An expectation that we do not know is ignored, which RFC 9110 (10.1.1) leaves to the server.
  fastify.server.on('checkExpectation', (request, response) => fastify.routing(request, response))
  const count = rateCounter(app.db)
  const rejectOtherMethods = watchMethods(fastify, (request) =>
    countUnauthenticated(request, clock.now()),
  )

  // Bodies stay bytes: a signature covers them as they were sent.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  fastify.decorate('brand', app.brand)
  fastify.decorateRequest('rate', null)
  fastify.decorateRequest('partner', null)
  fastify.decorateRequest('apiError', null)
  fastify.setErrorHandler((error: Error, request, reply) => fail(error, request, reply))
  fastify.addHook('onRequest', async (request, reply) => {
    const { headers, raw, routeOptions } = request
    const { 'content-length': length = '0' } = headers
    const hasBody = headers['transfer-encoding'] !== undefined || Number(length) !== 0
    if (!hasBody) return
    if (routeOptions.config.isPatient) return watchUpload(raw, reply.raw)
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const timer = setTimeout(() => {
      // A request that was rejected early has its response, and still must not hold the connection with its body.
      if (reply.raw.writableEnded) raw.socket.destroy()
      else rejectMalformed(late, raw.socket, log, { request_id: request.id, ...namedIn(request) })
    }, REQUEST_TIMEOUT_MS)
    raw.once('close', () => clearTimeout(timer))
  })
  fastify.addHook('onRequest', async (request) => {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw invalid({ field: 'Host', issue: 'is a header that HTTP/1.1 requires' })
    }
    // Proxies differ in which of several they believe (RFC 9112, section 3.2).
    if (request.raw.headersDistinct.host && request.raw.headersDistinct.host.length > 1) {
      throw invalid({ field: 'Host', issue: 'is sent more than once' })
    }
    // The database takes no NUL. Operations reject it field by field; of pages, none has such an address.
    const { params, routeOptions } = request
    if (
      routeOptions.config.page &&
      Object.values(params ?? {}).some((part) => String(part).includes('\0'))
    ) {
      await countUnauthenticated(request, clock.now())
      throw notFound('page')
    }
  })
  fastify.addHook('onSend', async (request, reply) => addHeaders(request, reply))
  fastify.addHook('onResponse', async (request, reply) => recordResponse(request, reply))

  async function addHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header('X-Request-Id', request.id)
    reply.header('X-Content-Type-Options', 'nosniff')
    if (isHttps) reply.header('Strict-Transport-Security', 'max-age=31536000')
    if (!isLimited(request)) return
    // Whatever got its response before anyone counted it counts against the address.
    if (request.rate === null) await countAddress(request, clock.now()).catch(() => {})
    if (request.rate) reply.headers(rateHeaders(request.rate, clock.now()))
  }

  function recordResponse(request: FastifyRequest, reply: FastifyReply): void {
    request.log.info(
      {
        ...namedIn(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        key_id: request.partner?.keyId,
        partner_id: request.partner?.partnerId,
      },
      'request',
    )
  }

  /** What the router cannot read gets neither our hooks nor what they rely on. */
  async function rejectUnrouted(error: Error, request: FastifyRequest, reply: FastifyReply) {
    request.rate = null
    request.partner = null
    request.apiError = null
    reply.raw.once('finish', () => recordResponse(request, reply))
    let shown: unknown = error
    try {
      await countUnauthenticated(request, clock.now())
    } catch (overLimit) {
      shown = overLimit
    }
    await addHeaders(request, reply)
    reply.headers(originHeaders(request))
    fail(shown, request, reply)
  }

  async function countAddress(request: FastifyRequest, now: Date): Promise<void> {
    const limit = settings.rateLimits.publicPerMinute
    request.rate = await count({ subject: addressOf(request), limit, now })
  }

  async function countUnauthenticated(request: FastifyRequest, now: Date): Promise<void> {
    if (!isLimited(request)) return
    await countAddress(request, now)
    if (request.rate) assertUnderLimit(request.rate, now)
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const shown = hasLeft(request) ? BROKEN_OFF : toApiError(error, request.routeOptions.bodyLimit)
    request.apiError = shown
    if (shown.status >= 500 && !isExpected(request, shown)) {
      request.log.error({ err: error }, shown.code)
    }
    reply.code(shown.status).headers(errorHeaders(shown, settings.baseUrl, resourceOf(request)))
    if (wantsErrorPage(request, shown)) return sendErrorPage(request, reply, shown)
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(JSON.stringify(errorBody(shown, request.id)))
  }

  const web: Web = {
    ...createExecutor(app, options),
    recordUse: options.recordUse,
    count,
    countUnauthenticated,
    makeRow: hourlyRows(app),
    rejectOtherMethods,
    route(scope, operation, path, handler, before) {
      const url = path.replace(/\{(\w+)\}/g, ':$1')
      const { method, name, bodyLimit = BODY_LIMIT } = operation
      const preParsing = before && { preParsing: before }
      scope.route({ method, url, handler, bodyLimit, ...preParsing, config: { operation: name } })
    },
    send({ csv, name }, request, reply, executed) {
      reply.code(executed.status)
      if (executed.replayed) reply.header('Idempotent-Replayed', 'true')
      if (csv && prefersOverJson('text/csv', request.headers.accept)) {
        // What is known by an id is kept under it: next month's statement is another file.
        const [id] = Object.values(request.params as Record<string, string>)
        return reply
          .header('content-type', 'text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${id ?? name}.csv"`)
          .send(csv(executed.value))
      }
      return (
        reply
          .header('content-type', executed.mediaType ?? 'application/json; charset=utf-8')
          // As bytes where it is no JSON: of text the framework would say its encoding, which rows do not have.
          .send(executed.mediaType === null ? executed.body : Buffer.from(executed.body))
      )
    },
  }
  return { fastify, web }
}

/** The MCP server is known by its own path; the APIs are the service as a whole. */
function resourceOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url === '/mcp' ? '/mcp' : ''
}

/** Limits are for the APIs that strangers reach; health, metrics, our own proxy and the operator's API have none. */
function isLimited(request: FastifyRequest): boolean {
  return !/^\/(?:health|metrics|internal|api\/admin)(?:[/?]|$)/.test(request.raw.url ?? '')
}

/** A readiness check while the service is stopping or the database is away, or a fault of the sandbox that was asked for. */
function isExpected(request: FastifyRequest, { code }: ApiError): boolean {
  const isCheck = MONITORED.has(request.routeOptions.url ?? '')
  return code === 'unavailable' && (isCheck || asksForFault(request))
}

/** A request in the log: by the pattern of its path, which may hold a token. */
function namedIn({ method, routeOptions }: FastifyRequest) {
  return { method, route: routeOptions.url ?? null }
}

/** The client as limits know it. */
export function addressOf(request: FastifyRequest): string {
  return `address:${clientOf(request.ip)}`
}
