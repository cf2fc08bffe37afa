import type { z } from 'zod'
import type { AppScope } from './caller.ts'
import type { ErrorCode } from './errors.ts'

/** What an operation promises to whoever calls it. Paths are relative to the surface's base. */
export interface Contract<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** snake_case verb and noun, unique: the operation's name in logs, metrics and documents. */
  name: string
  /** One line: what the call does. */
  summary: string
  /** A paragraph: what it does, when to use it, and what happens afterwards. */
  description?: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: `/${string}`
  /** Path parameters together with the query (GET, DELETE) or the body (POST, PUT). */
  input: Input
  output: Output
  status: 200 | 201 | 202
  /** Beyond those that the surface itself responds with. */
  errors: ErrorCode[]
  /** A second form of the response, sent to `Accept: text/csv`. */
  csv?(output: z.output<Output>): string
}

/** What a response of the public API may say of the future (service.md, Versioning 4). */
export interface Deprecation {
  /** A date: since when the operation is deprecated (RFC 9745). */
  since: string
  /** A date, at least 90 days later: when it goes away (RFC 8594). */
  sunset: string
  /** What to use instead, as a page. */
  link?: string
}

/** What every door of the public API needs to know: route, batch, catalogue, OpenAPI, tools. */
export interface PublicContract<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends Contract<Input, Output> {
  method: 'GET' | 'POST'
  /** What an app's access token must allow. Only an app may buy: its mandate is the user's word. */
  scope?: AppScope
  /** Its name as a tool of the MCP server and in batches, where that is another. */
  tool?: string
  /** What it responds with when it did more than to look, such as to buy. */
  doneStatus?: 201
  /** The whole path, such as `/api/tools/whois`. */
  path: `/api${string}`
  /** For readers and models that choose among operations: what it returns, and when to use it. */
  description: string
  /** What the call counts against: the settings' `publicPerMinute` or `whoisPerMinute`. */
  rate: 'public' | 'whois'
  /** How long anyone may keep the response that an anonymous caller got; 0 keeps it nowhere. */
  cacheSeconds: number
  /** Other names for fields, as services of this kind have them: for tools and batches, published nowhere. */
  aliases?: { readonly [Field in keyof z.input<Input>]?: readonly string[] }
  example: { input: z.input<Input>; output: z.output<Output> }
  deprecated?: Deprecation
}
