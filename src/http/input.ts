import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkInput } from '../core/check-input.ts'
import type { Contract } from '../core/contract.ts'
import { ApiError, invalid } from '../core/errors.ts'
import type { QueryPair } from '../lib/canonical-query.ts'

/** A request's parts, as the door received them. */
export interface RawInput {
  pathParameters: Record<string, string>
  query: readonly QueryPair[]
  body: Uint8Array
}

/** A request's body as it was sent; empty when there is none. */
export function bodyOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array()
}

/** What stands behind the first question mark of a request's target, as it was sent. */
export function rawQueryOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const queryTypes = new WeakMap<Contract, Map<string, string>>()

/** Reads and checks an operation's input: path and query, or path and JSON body. */
export function readInput<I extends z.ZodObject>(
  operation: Contract<I>,
  raw: RawInput,
): z.output<I> {
  const takesBody = operation.method === 'POST' || operation.method === 'PUT'
  const given = takesBody ? readJson(raw.body) : readQuery(operation, raw.query)
  return parseInput(operation, { ...given, ...raw.pathParameters })
}

/** Checks an input that is already in parts, as a batch has it. */
export function parseInput<I extends z.ZodObject>(
  operation: Pick<Contract<I>, 'input'>,
  given: object,
): z.output<I> {
  const read = checkInput(operation.input, isPublic(operation) ? withoutNulls(given) : given)
  rejectUnstorable(read, '')
  return read
}

function isPublic(operation: object): boolean {
  return 'rate' in operation
}

/**
 * Programs and models give `null` for what they leave out: no field of the public API means more by it. Its
 * fields are an object's, or those of an object within: anybody may send one that is nested deeper.
 */
export function withoutNulls<T>(given: T, depth = 2): T | object {
  if (depth === 0 || typeof given !== 'object' || given === null || Array.isArray(given)) {
    return given
  }
  const entries = Object.entries(given).filter(([, value]) => value !== null)
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNulls(value, depth - 1)]))
}

function readJson(body: Uint8Array): object {
  if (body.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    throw invalid({ field: 'body', issue: 'is not JSON in UTF-8' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid({ field: 'body', issue: 'must be a JSON object' })
  }
  return value
}

/** A query holds text only: what the schema wants as a number or boolean is read as one. */
function readQuery(operation: Contract, pairs: readonly QueryPair[]): object {
  const types = typesOf(operation)
  const values = new Map<string, unknown>()
  for (const [key, text] of pairs) {
    const type = types.get(key)
    if (type === undefined) continue
    // The order of repeats is not signed, so it may not decide which one counts.
    if (values.has(key)) throw invalid({ field: key, issue: 'is given more than once' })
    values.set(key, typed(text, type))
  }
  return Object.fromEntries(values)
}

/** Reads the fields of one of our own forms, or of a page's address: empty ones are not given. */
export function readFields<I extends z.ZodObject>(
  operation: Contract<I>,
  fields: URLSearchParams | Record<string, unknown>,
  more: Record<string, unknown> = {},
): z.output<I> {
  const types = typesOf(operation)
  const entries = fields instanceof URLSearchParams ? [...fields.keys()] : Object.keys(fields)
  const given: Record<string, unknown> = {}
  for (const name of new Set(entries)) {
    const type = types.get(name)
    if (type === undefined) continue
    const value = fields instanceof URLSearchParams ? fields.get(name) : fields[name]
    if (fields instanceof URLSearchParams && type === 'array') given[name] = fields.getAll(name)
    else if (typeof value === 'string') {
      const text = value.trim().replaceAll('\r\n', '\n')
      if (text !== '') given[name] = typed(text, type)
    } else if (value !== undefined) given[name] = value
  }
  return parseInput(operation, { ...given, ...more })
}

function typed(text: string, type: string): unknown {
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function typesOf(operation: Contract): Map<string, string> {
  const known = queryTypes.get(operation)
  if (known) return known
  const { properties = {} } = z.toJSONSchema(operation.input, {
    io: 'input',
    unrepresentable: 'any',
  })
  const types = new Map(
    Object.entries(properties).map(([field, schema]) => [field, typeOf(schema)]),
  )
  queryTypes.set(operation, types)
  return types
}

/** Of what may also be null: what it is otherwise. */
function typeOf(schema: z.core.JSONSchema._JSONSchema): string {
  if (typeof schema !== 'object') return 'string'
  const other = schema.anyOf?.find((each) => typeof each === 'object' && each.type !== 'null')
  return String(schema.type ?? (typeof other === 'object' ? other.type : undefined) ?? 'string')
}

/** PostgreSQL stores no NUL, and nothing can encode half a surrogate pair. Values may be nested at will. */
export function rejectUnstorable(value: unknown, field: string): void {
  const left: [value: unknown, field: string][] = [[value, field]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, field] = next
    if (typeof value === 'string') {
      if (value.includes('\u0000') || !value.isWellFormed()) {
        throw invalid({ field, issue: 'holds a character that is no text' })
      }
    } else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
      for (const [key, part] of Object.entries(value)) {
        const path = field === '' ? key : `${field}.${key}`
        left.push([key, path], [part, path])
      }
    }
  }
}

/** What a signature does not cover may not change what a body means (contract, section 3). */
export function rejectUnreadable(request: IncomingMessage): void {
  const { method, headers } = request
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.')
  }
  if (method === 'GET' || method === 'HEAD') {
    const length = headers['content-length']
    if (headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')) {
      throw invalid({ field: 'body', issue: `a ${method} request has none` })
    }
    return
  }
  const types = request.headersDistinct['content-type'] ?? []
  if (!types.every(isJson)) {
    throw new ApiError('unsupported_media_type', 'Send the body as application/json.')
  }
}

/** JSON in UTF-8; other parameters mean nothing to it (RFC 8259, section 11). */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true
  try {
    const { essence, params } = new MIMEType(contentType)
    const isKind = /^application\/(?:.+\+)?json$/.test(essence)
    return isKind && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8')
  } catch {
    return false
  }
}
