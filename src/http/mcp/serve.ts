import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assertScope } from '../../core/app-scope.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError, invalid, tokenNeeded } from '../../core/errors.ts'
import type { PublicRead } from '../../core/operation.ts'
import { assertUnderLimit, type RateState } from '../../core/rate-limits.ts'
import { toApiError } from '../api-errors.ts'
import { parseArguments } from '../public/arguments.ts'
import { authenticateCaller, type VerifyToken } from '../public/authenticate.ts'
import { callCounter, newPublicCall, type PublicCall } from '../public/call.ts'
import { handlePreflight } from '../public/headers.ts'
import { TOOL_WRITES } from '../public/operations.ts'
import type { Web } from '../web.ts'
import { GUIDES } from './guides.ts'
import { mcpServer, type ToolOperation, toolName, toolsOf } from './server.ts'
import { serveServerCard } from './server-card.ts'

const PATH = '/mcp'
/** As many as one request may bring: each has its response, some of 50 KB. */
const MAX_MESSAGES = 100
/** Read by the browser that a client's page runs in. */
const EXPOSED = 'WWW-Authenticate, Mcp-Session-Id, X-Request-Id, Retry-After'
/** Handled while it is read, or by the framework. */
const OWN_HEADERS = new Set(['content-length', 'connection', 'transfer-encoding'])

interface Options {
  operations: readonly PublicRead[]
  verifyToken: VerifyToken
  deadlineMs: number
}

/** `/mcp`: the public operations as tools, over Streamable HTTP, for both eras of the protocol. */
export function serveMcp(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  { operations, verifyToken, deadlineMs }: Options,
): void {
  const { clock, settings } = app
  const count = callCounter(app, web)
  const callable: readonly ToolOperation[] = [...operations, ...TOOL_WRITES]
  const tools = toolsOf(callable)

  fastify.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => admitOrigin(request, reply))
    serveServer(scope)
  })
  serveServerCard(fastify, app, web)
  fastify.get('/llms.txt', async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    return reply
      .headers({
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'public, max-age=300',
      })
      .send(GUIDES.map(({ text }) => text(settings.baseUrl)).join('\n'))
  })

  function serveServer(scope: FastifyInstance): void {
    scope.options(PATH, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return handlePreflight(reply, 'POST')
    })
    scope.route({
      method: 'POST',
      url: PATH,
      config: { operation: 'mcp' },
      handler: async (request, reply) => {
        const call = await identify(request)
        const messages = messagesOf(request.body)
        if (messages.length > MAX_MESSAGES) {
          await countCall({ rate: 'public' }, request, call)
          throw invalid({ field: 'body', issue: `must hold at most ${MAX_MESSAGES} messages` })
        }
        await admitTools(request, call, messages)
        // A call of a tool counts as that operation does; every other message counts here.
        const others = messages.filter((message) => !callsTool(message)).length
        const counted = messages.length === 0 ? 1 : others
        for (let each = 0; each < counted; each++) {
          await countCall({ rate: 'public' }, request, call)
        }
        const response = await respond(request, call)
        // Read to its end: a tool counts while it runs, and the response's headers say where the count stands.
        const body = Buffer.from(await response.arrayBuffer())
        // Nor did one that reached no tool.
        if (request.rate === null) await countCall({ rate: 'public' }, request, call)
        reply.code(response.status).header('cache-control', 'no-store')
        for (const [name, value] of response.headers) {
          if (!OWN_HEADERS.has(name)) reply.header(name, value)
        }
        return reply.send(body.length > 0 ? body : undefined)
      },
    })
  }

  async function respond(request: FastifyRequest, call: PublicCall): Promise<Response> {
    const handler = createMcpHandler(
      () =>
        mcpServer(callable, tools, {
          async run(operation, params) {
            const common = {
              ...call,
              admit: async () => ({ rate: await countCall(operation, request, call) }),
              input: () => parseArguments(operation, params),
            }
            const { caller } = call
            if (operation.kind === 'public_read')
              return (await web.execute(operation, common)).value
            if (caller.kind !== 'user') throw tokenNeeded('Sign the user in.', operation.scope)
            return (await web.execute(operation, { ...common, caller })).value
          },
          asRefusal(error) {
            const problem = toApiError(error)
            if (problem.status >= 500) request.log.error({ err: error }, 'mcp: a tool failed')
            return problem
          },
          requestId: request.id,
          baseUrl: settings.baseUrl,
        }),
      // Nothing here ever changes, so there is nothing to listen to.
      {
        maxSubscriptions: 0,
        onerror: (error) => request.log.info({ reason: error.message }, 'mcp: refused'),
      },
    )
    return await handler.fetch(asWebRequest(request, settings.baseUrl))
  }

  /**
   * What a tool needs of a token is said by the transport, where clients look for it: they sign the user in, or ask for
   * more, and call once more by themselves (MCP, authorization).
   */
  async function admitTools(
    request: FastifyRequest,
    { caller, now }: PublicCall,
    messages: readonly unknown[],
  ): Promise<void> {
    for (const message of messages.filter(callsTool)) {
      const { name } = (message as { params?: { name?: unknown } }).params ?? {}
      const operation = callable.find((each) => toolName(each) === name)
      if (!operation) continue
      try {
        assertScope(operation, caller)
      } catch (error) {
        await web.countUnauthenticated(request, now)
        throw error
      }
    }
  }

  /** Another site's page must not act through a visitor's browser (MCP, Streamable HTTP, security). */
  function admitOrigin(request: FastifyRequest, reply: FastifyReply): void {
    const { origin } = request.headers
    if (origin === undefined) return
    const isKnown =
      origin === new URL(settings.baseUrl).origin || settings.mcpOrigins.includes(origin)
    if (!isKnown)
      throw new ApiError('forbidden', 'Pages of this origin may not call the MCP server.')
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
      vary: 'Origin',
    })
  }

  async function identify(request: FastifyRequest): Promise<PublicCall> {
    const now = clock.now()
    try {
      const caller = await authenticateCaller(request, verifyToken)
      return newPublicCall(request, caller, now, deadlineMs)
    } catch (error) {
      await web.countUnauthenticated(request, now)
      throw error
    }
  }

  async function countCall(
    operation: Pick<PublicRead, 'rate'>,
    request: FastifyRequest,
    call: PublicCall,
  ): Promise<RateState> {
    request.rate = await count(operation, call)
    assertUnderLimit(request.rate, call.now)
    return request.rate
  }
}

/** The messages of a body: more than one in a batch of JSON-RPC, none in what is no JSON. */
function messagesOf(body: unknown): unknown[] {
  if (!(body instanceof Uint8Array)) return []
  try {
    return [JSON.parse(Buffer.from(body).toString())].flat()
  } catch {
    return []
  }
}

function callsTool(message: unknown): boolean {
  return (message as { method?: unknown } | null)?.method === 'tools/call'
}

function asWebRequest(request: FastifyRequest, baseUrl: string): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !OWN_HEADERS.has(name)) headers.set(name, String(value))
  }
  const body = request.body instanceof Uint8Array ? Buffer.from(request.body) : null
  return new Request(`${baseUrl}${PATH}`, {
    method: request.method,
    headers,
    ...(body && { body }),
  })
}
