import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Tool,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type ApiError, errorBody } from '../../core/errors.ts'
import type { PublicRead } from '../../core/operation.ts'
import { inlined, schemaOf } from '../openapi/schema.ts'
import { argumentsSchema } from '../public/arguments.ts'
import { GUIDES } from './guides.ts'

const VERSION = '1.0.0'

export interface McpCall {
  /** Runs an operation for the caller of this request: counted, checked and masked like every door's. */
  run(operation: PublicRead, params: object): Promise<unknown>
  asRefusal(error: unknown): ApiError
  requestId: string
  baseUrl: string
}

/** The tools, from the operations; made once, since their schemas are. */
export function toolsOf(operations: readonly PublicRead[]): Tool[] {
  return operations.map((operation) => ({
    name: operation.name,
    title: operation.summary,
    description: operation.description,
    inputSchema: argumentsSchema(operation) as Tool['inputSchema'],
    outputSchema: inlined(schemaOf(operation.output, 'output')) as NonNullable<
      Tool['outputSchema']
    >,
    annotations: {
      title: operation.summary,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  }))
}

/** Tells parameters of the wrong shape as what they are; the kit takes them for a fault of ours. */
class TellingServer extends Server {
  // oxlint-disable-next-line no-underscore-dangle -- so the kit names what it leaves to be overridden
  protected override _wrapHandler(...given: Parameters<Server['_wrapHandler']>) {
    // oxlint-disable-next-line no-underscore-dangle
    const handle = super._wrapHandler(...given)
    return async (...call: Parameters<typeof handle>) => {
      try {
        return await handle(...call)
      } catch (error) {
        const issues = issuesIn(error)
        throw issues ? new ProtocolError(ProtocolErrorCode.InvalidParams, issues) : error
      }
    }
  }
}

/** What its validator found, which is all that the message of its error is; null of any other. */
function issuesIn(error: unknown): string | null {
  if (!(error instanceof Error) || 'code' in error || !error.message.startsWith('[')) return null
  const issues = z
    .array(z.object({ path: z.array(z.union([z.string(), z.int()])), message: z.string() }))
    .safeParse(JSON.parse(error.message)).data
  return issues?.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') ?? null
}

/** A server for one request: it knows its caller, and keeps nothing for the next. */
export function mcpServer(operations: readonly PublicRead[], tools: Tool[], call: McpCall): Server {
  const server = new TellingServer(
    { name: 'domain-marketplace', title: 'Domain Marketplace', version: VERSION },
    {
      capabilities: { tools: {}, resources: {} },
      instructions:
        'Finds out whether domain names are free, taken or for sale, what they cost, and who holds them. ' +
        'Start with search_domain for a name somebody wants. Marketplace prices are null with ' +
        'price_masked true until the user signs in: read the resource marketplace://sign-in for how.',
    },
  )
  server.setRequestHandler('tools/list', async () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const operation = operations.find(({ name }) => name === params.name)
    if (!operation) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`)
    }
    try {
      const result = await call.run(operation, params.arguments ?? {})
      return {
        content: [{ type: 'text', text: JSON.stringify(result) }],
        structuredContent: result as Record<string, unknown>,
      }
    } catch (error) {
      // A model can mend its arguments, or wait, when it is told; so this is a result, not a fault.
      const { error: told } = errorBody(call.asRefusal(error), call.requestId)
      return { content: [{ type: 'text', text: JSON.stringify({ error: told }) }], isError: true }
    }
  })
  server.setRequestHandler('resources/list', async () => ({
    resources: GUIDES.map(({ uri, name, title, description }) => ({
      uri,
      name,
      title,
      description,
      mimeType: 'text/markdown',
    })),
  }))
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    const guide = GUIDES.find(({ uri }) => uri === params.uri)
    if (!guide) throw new ResourceNotFoundError(params.uri)
    const text = guide.text(call.baseUrl)
    return { contents: [{ uri: guide.uri, mimeType: 'text/markdown', text }] }
  })
  return server
}
