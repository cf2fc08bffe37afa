import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { errorBody, invalid, notFound, Refusal } from '../kernel/errors.ts'
import type { House } from '../kernel/house.ts'
import type { Attempt } from '../kernel/idempotency.ts'
import type { Contract } from '../kernel/operation.ts'
import {
  type RateCount,
  type RateState,
  rateCounter,
  rateHeaders,
  refuseOverLimit,
} from '../kernel/rate-limits.ts'
import { newId } from '../lib/ids.ts'
import type { Credential } from '../modules/partners/credential.ts'
import { prefersOverJson } from './accept.ts'
import { clientOf } from './client-address.ts'
import { refuseMalformed } from './malformed-http.ts'
import { watchMethods } from './other-methods.ts'
import { sendErrorPage, wantsErrorPage } from './pages/error-page.tsx'
import { checkAnswer, type How, type Performed, performWrite, type Write } from './perform.ts'
import { originHeaders } from './public/headers.ts'
import { asRefusal, BODY_LIMIT, BROKEN_OFF, hasLeft, refusalHeaders } from './refusals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request stands in the limit it counts against; null until it was counted. */
    rate: RateState | null
    partner: Credential | null
    /** Why it was refused. */
    refusal: Refusal | null
  }
  interface FastifyContextConfig {
    /** The operation's name, for logs and metrics. */
    operation?: string
    /** Its body may take as long as it takes. */
    isPatient?: true
  }
}

/** A head, and then a body, that takes longer to arrive is refused. */
const REQUEST_TIMEOUT_MS = 30_000
/** A quote token in a path is longer than Fastify's default would let through. */
const MAX_PARAMETER_LENGTH = 4_096

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** What the surfaces share over HTTP. */
export interface Web {
  route(
    app: FastifyInstance,
    operation: Contract & { bodyLimit?: number },
    base: string,
    handler: Handler,
  ): void
  /** Once all routes are there: any other method on their paths gets 405 with `Allow`. */
  refuseOtherMethods(): void
  /** Sends an operation's answer in the form asked for. */
  send(
    operation: Contract,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: unknown,
  ): FastifyReply
  /** Runs a write: its answer, made now or stored. */
  perform(
    operation: Contract,
    now: Date,
    attempt: Attempt | null,
    write: Write,
    how?: How,
  ): Promise<Performed>
  /** The same, and sends the answer. */
  sendWrite(
    operation: Contract,
    reply: FastifyReply,
    now: Date,
    attempt: Attempt | null,
    write: Write,
    how?: How,
  ): Promise<FastifyReply>
  /** Counts a request against a subject's limit. */
  count(count: RateCount): Promise<RateState>
  /** Counts against the client's address; refuses when its limit is used up. */
  countUnauthenticated(request: FastifyRequest, now: Date): Promise<void>
  noteUse(keyId: string, now: Date): void
}

export interface WebOptions {
  /** Answers are checked against their schemas; in tests. */
  strict: boolean
  noteUse: Web['noteUse']
  /** Says that a write may have left something to deliver. */
  wakeDeliveries(): void
}

/** The HTTP server with everything that is the same on every path: ids, errors, limits, log lines. */
export function createWeb(
  house: House,
  log: FastifyBaseLogger,
  options: WebOptions,
): { app: FastifyInstance; web: Web } {
  const { settings, clock } = house
  const isHttps = settings.baseUrl.startsWith('https:')
  const newRequestId = () => newId('req', clock.now())
  const app = Fastify({
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
    // Node would refuse a request without it in a form that is not ours.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) => void refuseUnrouted(error, request, reply),
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, log, newRequestId()),
  })
  app.server.headersTimeout = REQUEST_TIMEOUT_MS
  // An expectation that we do not know is ignored, which RFC 9110 (10.1.1) leaves to the server.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  const count = rateCounter(house.db)
  const refuseOtherMethods = watchMethods(app, (request) =>
    countUnauthenticated(request, clock.now()),
  )

  // Bodies stay bytes: a signature covers them as they were sent.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.decorateRequest('rate', null)
  app.decorateRequest('partner', null)
  app.decorateRequest('refusal', null)
  app.setErrorHandler((error: Error, request, reply) => fail(error, request, reply))
  app.addHook('onRequest', async (request, reply) => {
    const { headers, raw, routeOptions } = request
    const hasBody = headers['transfer-encoding'] !== undefined || 'content-length' in headers
    if (!hasBody || routeOptions.config.isPatient) return
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const timer = setTimeout(() => {
      // A request that was refused early has its answer, and still must not hold the connection with its body.
      if (reply.raw.writableEnded) raw.socket.destroy()
      else refuseMalformed(late, raw.socket, log, request.id)
    }, REQUEST_TIMEOUT_MS)
    raw.once('close', () => clearTimeout(timer))
  })
  app.addHook('onRequest', async (request) => {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw invalid({ field: 'Host', issue: 'is a header that HTTP/1.1 requires' })
    }
    // The database takes no NUL. Operations refuse it field by field; of pages, none has such an address.
    const { params, routeOptions } = request
    if (
      routeOptions.config.page &&
      Object.values(params ?? {}).some((part) => String(part).includes('\0'))
    ) {
      await countUnauthenticated(request, clock.now())
      throw notFound('page')
    }
  })
  app.addHook('onRequest', async (request) => {
    // The router takes nothing at all for a parameter, too: /orders/ would be an order, and no list.
    const parts = Object.entries(request.params ?? {})
    if (!request.is404 && !parts.some(([name, part]) => part === '' && name !== '*')) return
    await countUnauthenticated(request, clock.now())
    throw new Refusal('not_found', 'There is nothing at this path.')
  })
  app.addHook('onSend', async (request, reply) => addHeaders(request, reply))
  app.addHook('onResponse', async (request, reply) => noteAnswer(request, reply))

  async function addHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header('X-Request-Id', request.id)
    reply.header('X-Content-Type-Options', 'nosniff')
    if (isHttps) reply.header('Strict-Transport-Security', 'max-age=31536000')
    if (!isLimited(request)) return
    // Whatever was answered before anyone counted it counts against the address.
    if (request.rate === null) await countAddress(request, clock.now()).catch(() => {})
    if (request.rate) reply.headers(rateHeaders(request.rate, clock.now()))
  }

  function noteAnswer(request: FastifyRequest, reply: FastifyReply): void {
    request.log.info(
      {
        method: request.method,
        // The pattern, not the path: a path may hold a token.
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        key_id: request.partner?.keyId,
        partner_id: request.partner?.partnerId,
      },
      'request',
    )
  }

  /** What the router cannot read gets neither our hooks nor what they rely on. */
  async function refuseUnrouted(error: Error, request: FastifyRequest, reply: FastifyReply) {
    request.rate = null
    request.partner = null
    request.refusal = null
    reply.raw.once('finish', () => noteAnswer(request, reply))
    let told: unknown = error
    try {
      await countUnauthenticated(request, clock.now())
    } catch (overLimit) {
      told = overLimit
    }
    await addHeaders(request, reply)
    reply.headers(originHeaders(request))
    fail(told, request, reply)
  }

  async function countAddress(request: FastifyRequest, now: Date): Promise<void> {
    const limit = settings.rateLimits.publicPerMinute
    request.rate = await count({ subject: addressOf(request), limit, now })
  }

  async function countUnauthenticated(request: FastifyRequest, now: Date): Promise<void> {
    if (!isLimited(request)) return
    await countAddress(request, now)
    if (request.rate) refuseOverLimit(request.rate, now)
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = hasLeft(request) ? BROKEN_OFF : asRefusal(error, request.routeOptions.bodyLimit)
    request.refusal = refusal
    if (refusal.status >= 500) request.log.error({ err: error }, refusal.code)
    reply.code(refusal.status).headers(refusalHeaders(refusal, settings.baseUrl))
    if (wantsErrorPage(request)) return sendErrorPage(request, reply, refusal)
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(JSON.stringify(errorBody(refusal, request.id)))
  }

  const web: Web = {
    noteUse: options.noteUse,
    count,
    countUnauthenticated,
    refuseOtherMethods,
    route(scope, operation, base, handler) {
      const url = base + operation.path.replace(/\{(\w+)\}/g, ':$1')
      const { method, name, bodyLimit = BODY_LIMIT } = operation
      scope.route({ method, url, handler, bodyLimit, config: { operation: name } })
    },
    send(operation, request, reply, answer) {
      if (options.strict) checkAnswer(operation, answer)
      reply.code(operation.status)
      if (operation.csv && prefersOverJson('text/csv', request.headers.accept)) {
        // What is known by an id is kept under it: next month's statement is another file.
        const [id] = Object.values(request.params as Record<string, string>)
        return reply
          .header('content-type', 'text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${id ?? operation.name}.csv"`)
          .send(operation.csv(answer))
      }
      return reply
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify(answer))
    },
    async perform(operation, now, attempt, write, how) {
      const checked: Write = async (context) => {
        const value = await write(context)
        return options.strict ? checkAnswer(operation, value) : value
      }
      const answer = await performWrite(house, operation, now, attempt, checked, how)
      options.wakeDeliveries()
      return answer
    },
    async sendWrite(operation, reply, now, attempt, write, how) {
      const answer = await web.perform(operation, now, attempt, write, how)
      if (answer.replayed) reply.header('Idempotent-Replayed', 'true')
      return reply
        .code(answer.status)
        .header('content-type', 'application/json; charset=utf-8')
        .send(answer.body)
    },
  }
  return { app, web }
}

/** Limits are for the APIs that strangers reach; health, metrics and the operator's API have none. */
function isLimited(request: FastifyRequest): boolean {
  return !/^\/(?:health|metrics|api\/admin)(?:[/?]|$)/.test(request.raw.url ?? '')
}

/** The client as limits know it. */
export function addressOf(request: FastifyRequest): string {
  return `address:${clientOf(request.ip)}`
}
