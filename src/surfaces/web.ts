import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import ipaddr from 'ipaddr.js'
import { DatabaseUnavailable } from '../kernel/database/server.ts'
import { errorBody, invalid, Refusal } from '../kernel/errors.ts'
import type { House } from '../kernel/house.ts'
import type { Attempt } from '../kernel/idempotency.ts'
import type { Operation } from '../kernel/operation.ts'
import { type RateState, rateCounter, rateHeaders, refuseOverLimit } from '../kernel/rate-limits.ts'
import type { Credential } from '../modules/partners/credential.ts'
import { newRequestId, refuseMalformed } from './malformed-http.ts'
import { checkAnswer, performWrite, type Write } from './perform.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request stands in the limit it counts against; null until it was counted. */
    rate: RateState | null
    partner: Credential | null
  }
  interface FastifyContextConfig {
    /** The operation's name, for logs and metrics. */
    operation?: string
  }
}

const BODY_LIMIT = 256 * 1024
const REQUEST_TIMEOUT_MS = 30_000
/** A quote token in a path is longer than Fastify's default would let through. */
const MAX_PARAMETER_LENGTH = 4_096
const RETRY_AFTER_SECONDS = 2
const BROKEN_OFF = invalid({ field: 'body', issue: 'broke off' })

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** What the surfaces share over HTTP. */
export interface Web {
  route(app: FastifyInstance, operation: Operation, base: string, handler: Handler): void
  /** Once all routes are there: any other method on their paths gets 405 with `Allow`. */
  refuseOtherMethods(): void
  /** Sends an operation's answer in the form asked for. */
  send(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: unknown,
  ): FastifyReply
  /** Runs a write and sends its answer, made now or stored. */
  sendWrite(
    operation: Operation,
    reply: FastifyReply,
    now: Date,
    attempt: Attempt | null,
    write: Write,
  ): Promise<FastifyReply>
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
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    genReqId: newRequestId,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: settings.trustedProxies.length > 0 ? settings.trustedProxies : false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // Node would refuse a request without it in a form that is not ours.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) => void refuseUnrouted(error, request, reply),
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, log),
  })
  // An expectation that we do not know is ignored, which RFC 9110 (10.1.1) leaves to the server.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  const count = rateCounter(house.db)
  const paths = new Map<string, Set<string>>()

  // Bodies stay bytes: a signature covers them as they were sent.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.decorateRequest('rate', null)
  app.decorateRequest('partner', null)
  app.setErrorHandler((error: Error, request, reply) => fail(error, request, reply))
  app.setNotFoundHandler(async (request) => {
    await countUnauthenticated(request, clock.now())
    throw new Refusal('not_found', 'There is nothing at this path.')
  })
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set()
    paths.set(url, methods)
    for (const each of [method].flat()) methods.add(each)
  })
  app.addHook('onRequest', async (request) => {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw invalid({ field: 'Host', issue: 'is a header that HTTP/1.1 requires' })
    }
  })
  app.addHook('onSend', async (request, reply) => addHeaders(request, reply))
  app.addHook('onResponse', async (request, reply) => noteAnswer(request, reply))

  async function addHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header('X-Request-Id', request.id)
    reply.header('X-Content-Type-Options', 'nosniff')
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
    reply.raw.once('finish', () => noteAnswer(request, reply))
    await addHeaders(request, reply)
    fail(error, request, reply)
  }

  async function countAddress(request: FastifyRequest, now: Date): Promise<void> {
    const limit = settings.rateLimits.publicPerMinute
    request.rate = await count({ subject: `address:${clientOf(request.ip)}`, limit, now })
  }

  async function countUnauthenticated(request: FastifyRequest, now: Date): Promise<void> {
    if (!isLimited(request)) return
    await countAddress(request, now)
    if (request.rate) refuseOverLimit(request.rate, now)
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = hasLeft(request) ? BROKEN_OFF : asRefusal(error)
    if (refusal.status >= 500) request.log.error({ err: error }, refusal.code)
    if (refusal.retryAfter !== undefined) reply.header('Retry-After', String(refusal.retryAfter))
    return reply
      .code(refusal.status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(refusal, request.id)))
  }

  function refuseOthers(scope: FastifyInstance, url: string, served: string[]): void {
    const allow = served.join(', ')
    scope.route({
      method: scope.supportedMethods.filter((method) => !served.includes(method)),
      url,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        await countUnauthenticated(request, clock.now())
        reply.header('Allow', allow)
        throw new Refusal('method_not_allowed', `This path serves ${allow}.`)
      },
    })
  }

  const web: Web = {
    noteUse: options.noteUse,
    countUnauthenticated,
    refuseOtherMethods() {
      // Registered, so that it comes after what other surfaces registered.
      app.register(async (scope) => {
        for (const [url, methods] of new Map(paths)) refuseOthers(scope, url, [...methods])
      })
    },
    route(scope, operation, base, handler) {
      const url = base + operation.path.replace(/\{(\w+)\}/g, ':$1')
      scope.route({ method: operation.method, url, handler, config: { operation: operation.name } })
    },
    send(operation, request, reply, answer) {
      if (options.strict) checkAnswer(operation, answer)
      reply.code(operation.status)
      if (operation.csv && prefersCsv(request.headers.accept)) {
        return reply
          .header('content-type', 'text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${operation.name}.csv"`)
          .send(operation.csv(answer))
      }
      return reply
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify(answer))
    },
    async sendWrite(operation, reply, now, attempt, write) {
      const answer = await performWrite(house, operation, now, attempt, async (context) => {
        const value = await write(context)
        return options.strict ? checkAnswer(operation, value) : value
      })
      options.wakeDeliveries()
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

/** An IPv6 client is its /64 network, since that is what one customer gets (contract, section 4). */
function clientOf(address: string): string {
  // Whatever else a trusted proxy passes on is no key to count by: all of it counts as one.
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`)
  return `${network.toString()}/64`
}

function prefersCsv(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]?.trim())
  return types.includes('text/csv') && !types.includes('application/json')
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof DatabaseUnavailable) {
    return new Refusal('unavailable', 'The service cannot answer at the moment. Try again.', {
      retryAfter: RETRY_AFTER_SECONDS,
    })
  }
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal('payload_too_large', `A body may have ${BODY_LIMIT / 1024} KiB at most.`)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal('unsupported_media_type', 'Send the body as application/json.')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return invalid({ field: 'path', issue: 'is not a well-formed path of this API' })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalid({ field: 'body', issue: 'does not have the length that Content-Length says' })
    default:
      return isClientError(error)
        ? invalid({ field: 'request', issue: 'is not well-formed' })
        : new Refusal('internal_error', 'Something went wrong on our side. Try again later.')
  }
}

/** The framework's own refusals, of which only some have a code above. */
function isClientError(error: unknown): boolean {
  const { code, statusCode = 500 } = error as Partial<FastifyError>
  return code?.startsWith('FST_') === true && statusCode >= 400 && statusCode < 500
}

/** The sender hung up before its body was complete: nobody reads the answer, and nothing is wrong here. */
function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}
