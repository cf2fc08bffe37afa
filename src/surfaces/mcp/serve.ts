import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { PublicRead } from '../../kernel/operation.ts'
import { parseInput } from '../input.ts'
import { authenticateCaller, type VerifyToken } from '../public/authenticate.ts'
import { answerPreflight } from '../public/headers.ts'
import { type Call, createRun, newCall } from '../public/run.ts'
import { asRefusal } from '../refusals.ts'
import { addressOf, type Web } from '../web.ts'
import { GUIDES } from './guides.ts'
import { mcpServer, toolsOf } from './server.ts'

const PATH = '/mcp'
/** Read by the browser that a client's page runs in. */
const EXPOSED = 'WWW-Authenticate, Mcp-Session-Id, X-Request-Id, Retry-After'
/** Answered while it is read, or by the framework. */
const OWN_HEADERS = new Set(['content-length', 'connection', 'transfer-encoding'])

interface Options {
  operations: readonly PublicRead[]
  verifyToken: VerifyToken
  strict: boolean
  deadlineMs: number
}

/** `/mcp`: the public operations as tools, over Streamable HTTP, for both eras of the protocol. */
export function serveMcp(
  app: FastifyInstance,
  house: House,
  web: Web,
  { operations, verifyToken, strict, deadlineMs }: Options,
): void {
  const { clock, settings } = house
  const run = createRun(house, web, strict)
  const tools = toolsOf(operations)

  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url === PATH) admitOrigin(request, reply)
  })
  app.options(PATH, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    return answerPreflight(reply, 'POST')
  })
  app.route({
    method: 'POST',
    url: PATH,
    config: { operation: 'mcp' },
    handler: async (request, reply) => {
      const call = await identify(request)
      // A call of a tool counts as that operation does; everything else counts here.
      if (!callsTool(request.body)) await countRequest(request, call)
      const response = await answer(request, call)
      // Read to its end: a tool counts while it runs, and the answer's headers say where the count stands.
      const body = Buffer.from(await response.arrayBuffer())
      // Nor did one that reached no tool.
      if (request.rate === null) await countRequest(request, call)
      reply.code(response.status).header('cache-control', 'no-store')
      for (const [name, value] of response.headers) {
        if (!OWN_HEADERS.has(name)) reply.header(name, value)
      }
      return reply.send(body.length > 0 ? body : undefined)
    },
  })
  app.get('/llms.txt', async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    return reply
      .headers({
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'public, max-age=300',
      })
      .send(GUIDES.map(({ text }) => text(settings.baseUrl)).join('\n'))
  })

  async function answer(request: FastifyRequest, call: Call): Promise<Response> {
    const handler = createMcpHandler(
      () =>
        mcpServer(operations, tools, {
          async run(operation, params) {
            await run.admit(operation, call, request)
            return await run.answer(operation, parseInput(operation, params), call)
          },
          asRefusal(error) {
            const refusal = asRefusal(error)
            if (refusal.status >= 500) request.log.error({ err: error }, 'mcp: a tool failed')
            return refusal
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

  /** Another site's page must not act through a visitor's browser (MCP, Streamable HTTP, security). */
  function admitOrigin(request: FastifyRequest, reply: FastifyReply): void {
    const { origin } = request.headers
    if (origin === undefined) return
    const isKnown =
      origin === new URL(settings.baseUrl).origin || settings.mcpOrigins.includes(origin)
    if (!isKnown)
      throw new Refusal('forbidden', 'Pages of this origin may not call the MCP server.')
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
      vary: 'Origin',
    })
  }

  async function identify(request: FastifyRequest): Promise<Call> {
    const now = clock.now()
    try {
      const caller = await authenticateCaller(request, verifyToken)
      return newCall(caller, addressOf(request), now, deadlineMs)
    } catch (error) {
      await web.countUnauthenticated(request, now)
      throw error
    }
  }

  async function countRequest(request: FastifyRequest, call: Call): Promise<void> {
    const [first] = operations
    if (first) await run.admit({ ...first, rate: 'public' }, call, request)
  }
}

/** Whether a message, or one of several, calls a tool. */
function callsTool(body: unknown): boolean {
  if (!(body instanceof Uint8Array)) return false
  try {
    const messages = [JSON.parse(Buffer.from(body).toString())].flat() as ({
      method?: unknown
    } | null)[]
    return messages.some((message) => message?.method === 'tools/call')
  } catch {
    return false
  }
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
