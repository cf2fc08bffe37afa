import type { z } from 'zod'
import type { Contract, Deprecation } from '../../core/contract.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { errorResponses, errorSchema, HEADERS, RATE_HEADERS } from './errors.ts'
import { type JsonSchema, schemaOf } from './schema.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: string | number | boolean
}

interface Content {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface OperationObject {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  deprecated?: boolean
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<
    string,
    { description: string; headers?: object; content?: Record<string, Content> }
  >
}

export interface OpenApiDocument {
  openapi: '3.1.1'
  info: {
    title: string
    version: string
    summary: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  security: Record<string, string[]>[]
  paths: Record<string, Record<string, OperationObject>>
  /** What the service sends by itself. */
  webhooks?: Record<string, { post: OperationObject }>
  components: Record<string, Record<string, unknown>>
}

/** What a document says of an operation beyond its contract. */
export interface Described {
  contract: Contract
  path: string
  tag: string
  description?: string
  deprecated?: Deprecation | undefined
  security?: Record<string, string[]>[]
  /** Parameters that the frame reads. */
  parameters?: Parameter[]
  example: { input: Record<string, unknown>; output: unknown }
  errors: readonly ErrorCode[]
  replayable: boolean
  rows?: z.ZodType
  /** The status of a response that says that something was done, beside that of the contract. */
  doneStatus?: number
}

function operationObject(described: Described): OperationObject {
  const { contract, path, tag, example, rows } = described
  const input = schemaOf(contract.input, 'input')
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
  const takesBody = contract.method === 'POST' || contract.method === 'PUT'
  const fields = Object.entries(input.properties ?? {})
  const parameters = fields
    .filter(([name]) => inPath.has(name) || !takesBody)
    .map(([name, { description, ...schema }]): Parameter => {
      const shown = example.input[name] as Parameter['example']
      return {
        name,
        in: inPath.has(name) ? 'path' : 'query',
        required: inPath.has(name) || (input.required?.includes(name) ?? false),
        ...(description !== undefined && { description }),
        schema,
        ...(shown !== undefined && { example: shown }),
      }
    })
  const inBody = fields.filter(([name]) => takesBody && !inPath.has(name))
  const required = input.required?.filter((name) => !inPath.has(name)) ?? []
  return {
    operationId: contract.name,
    summary: contract.summary,
    ...(described.description !== undefined && { description: described.description }),
    tags: [tag],
    ...(described.deprecated && { deprecated: true }),
    ...(described.security && { security: described.security }),
    ...((parameters.length > 0 || described.parameters) && {
      parameters: [...parameters, ...(described.parameters ?? [])],
    }),
    ...(inBody.length > 0 && {
      requestBody: {
        required: required.length > 0,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: Object.fromEntries(inBody),
              ...(required.length > 0 && { required }),
            },
            example: Object.fromEntries(
              inBody
                .filter(([name]) => example.input[name] !== undefined)
                .map(([name]) => [name, example.input[name]]),
            ),
          },
        },
      },
    }),
    responses: {
      [contract.status]: {
        description: contract.summary,
        headers: successHeaders(described),
        content: {
          'application/json': {
            schema: schemaOf(contract.output, 'output'),
            example: example.output,
          },
          ...(contract.csv && { 'text/csv': { schema: { type: 'string' } } }),
          ...(rows && { 'application/x-ndjson': { schema: schemaOf(rows, 'output') } }),
        },
      },
      ...(described.doneStatus && {
        [described.doneStatus]: {
          description: 'It was done.',
          headers: successHeaders(described),
          content: { 'application/json': { schema: schemaOf(contract.output, 'output') } },
        },
      }),
      ...(errorResponses(described.errors) as OperationObject['responses']),
    },
  }
}

function successHeaders({ replayable, deprecated }: Described): object {
  const more = [
    ...(replayable ? ['Idempotent-Replayed'] : []),
    ...(deprecated ? ['Deprecation', 'Sunset'] : []),
  ]
  return {
    ...RATE_HEADERS,
    ...Object.fromEntries(more.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  }
}

export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Of your choice, such as a UUID. A repeat with it gets the first response again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** Puts a document together; headers that nothing mentions are left out. */
export function documentOf(
  head: Pick<OpenApiDocument, 'info' | 'tags' | 'security' | 'webhooks'>,
  baseUrl: string,
  operations: Described[],
  securitySchemes: Record<string, unknown>,
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const described of operations) {
    const path = (paths[described.path] ??= {})
    path[described.contract.method.toLowerCase()] = operationObject(described)
  }
  const text = JSON.stringify(paths)
  const schemas: Record<string, JsonSchema> = {}
  const parts = referring({ ...head, paths }, schemas)
  return {
    openapi: '3.1.1',
    ...parts,
    servers: [{ url: baseUrl }],
    components: {
      schemas: { Error: errorSchema, ...sorted(schemas) },
      headers: Object.fromEntries(
        Object.entries(HEADERS).filter(([name]) => text.includes(`headers/${name}"`)),
      ),
      securitySchemes,
    },
  }
}

/** The value with references to the components, where each named schema is put once. */
function referring<Value>(value: Value, schemas: Record<string, JsonSchema>): Value {
  if (Array.isArray(value)) return value.map((each) => referring(each, schemas)) as Value
  if (typeof value !== 'object' || value === null) return value
  const { $defs, ...rest } = value as JsonSchema
  for (const [name, schema] of Object.entries($defs ?? {})) {
    schemas[name] ??= referring(schema, schemas)
  }
  const part = Object.fromEntries(
    Object.entries(rest).map(([key, each]) => [key, referring(each, schemas)]),
  )
  if (typeof part.$ref === 'string') part.$ref = part.$ref.replace('#/$defs/', SCHEMAS)
  return part as Value
}
const SCHEMAS = '#/components/schemas/'

function sorted<Value>(named: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
