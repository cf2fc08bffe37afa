import type { CompiledQuery, Transaction } from 'kysely'
import type { z } from 'zod'
import type { Database } from './database/dialect.ts'
import type { ErrorCode } from './errors.ts'
import type { House } from './house.ts'
import type { Schema } from './schema.ts'

export const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const
export type Scope = (typeof SCOPES)[number]

export const ENVIRONMENTS = ['sandbox', 'live'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

export type Tx = Transaction<Schema>

/** The partner that a credential speaks for, in the credential's environment. */
export interface Partner {
  partnerId: string
  environment: Environment
}

/** Whose a row is. */
export function partnerOf(row: { partner_id: string; environment: Environment }): Partner {
  return { partnerId: row.partner_id, environment: row.environment }
}

/** What an operation promises to whoever calls it. Paths are relative to the surface's base. */
export interface Contract<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** snake_case verb and noun, unique: the operation's name in logs, metrics and documents. */
  name: string
  summary: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: `/${string}`
  /** Path parameters together with the query (GET, DELETE) or the body (POST, PUT). */
  input: Input
  output: Output
  status: 200 | 201 | 202
  /** Beyond those that the surface itself answers with. */
  errors: ErrorCode[]
  /** A second form of the answer, sent to `Accept: text/csv`. */
  csv?(output: z.output<Output>): string
}

/** Who calls the public API: nobody in particular, or the user whose token came along. */
export type Caller =
  | { kind: 'anonymous' }
  | {
      kind: 'user'
      /** The user's id. */
      subject: string
      /** How they came: an app's token sees prices, the user's own may change what is theirs. */
      via?: 'app' | 'personal_token' | 'session'
    }

/** What an answer of the public API may say of the future (service.md, Versioning 4). */
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
  /** The whole path, such as `/api/tools/whois`. */
  path: `/api${string}`
  /** For readers and models that choose among operations: what it answers, and when to use it. */
  description: string
  /** What the call counts against: the settings' `publicPerMinute` or `whoisPerMinute`. */
  rate: 'public' | 'whois'
  /** How long anyone may keep the answer that an anonymous caller got; 0 keeps it nowhere. */
  cacheSeconds: number
  example: { input: z.input<Input>; output: z.output<Output> }
  deprecated?: Deprecation
}

interface PartnerContract<Input extends z.ZodObject, Output extends z.ZodType>
  extends Contract<Input, Output> {
  /** Any one of them opens the operation. */
  scope: Scope | readonly Scope[]
  /** Absent for live credentials, which get `not_found`. */
  sandboxOnly?: true
  /** A path outside the versioned base (service.md, Versioning 1). */
  unversioned?: true
  /** Refuses who may not call it, whatever they send: each door asks it first. */
  refuseCaller?(db: Pick<Tx, 'selectFrom'>, partner: Partner): Promise<void>
}

export interface ReadContext {
  db: Database
  now: Date
  house: House
}

export interface PublicContext extends ReadContext {
  caller: Caller
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** Writes reach the database through their transaction alone, so they cannot forget or leave it. */
export interface WriteContext {
  tx: Tx
  now: Date
  house: Omit<House, 'db' | 'server' | 'http' | 'registry' | 'sites' | 'payments' | 'mail'>
  /** Leaves statements whose results nobody needs to travel with the commit. */
  defer(...statements: CompiledQuery[]): void
}

/** Who acts for the house: an operator who signed in, or whoever has the admin token. */
export interface Actor {
  /** Null for the admin token. */
  userId: string | null
  /** As the audit log names them: an e-mail address, or `admin token`. */
  name: string
}

type Answer<Output extends z.ZodType> = Promise<z.output<Output>>

export interface PartnerRead<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends PartnerContract<Input, Output> {
  kind: 'partner_read'
  handler(context: ReadContext & { partner: Partner }, input: z.output<Input>): Answer<Output>
}

export interface PartnerWrite<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Prepared = unknown,
> extends PartnerContract<Input, Output> {
  kind: 'partner_write'
  /** Every POST honours an Idempotency-Key; this one demands it. */
  idempotency?: 'required'
  /** It changes all of the caller's sandbox: other writes of the partner there are over, or wait for its end. */
  alone?: true
  /**
   * What takes its time, and so comes before the transaction begins; the handler gets the answer. It
   * refuses nothing that a repeat of an earlier request, which passes here too, would not meet again.
   */
  prepare?(context: ReadContext & { partner: Partner }, input: z.output<Input>): Promise<Prepared>
  handler(
    context: WriteContext & { partner: Partner; prepared: Prepared },
    input: z.output<Input>,
  ): Answer<Output>
}

export interface AdminRead<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends Contract<Input, Output> {
  kind: 'admin_read'
  handler(context: ReadContext, input: z.output<Input>): Answer<Output>
}

export interface AdminWrite<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Prepared = unknown,
> extends Contract<Input, Output> {
  kind: 'admin_write'
  /** The field of the answer that tells what it was about; absent: the first path parameter does. */
  subject?: string
  /** Bytes that its body may have, where that is more than others may. */
  bodyLimit?: number
  /** As of a partner's write. */
  prepare?(context: ReadContext, input: z.output<Input>): Promise<Prepared>
  handler(
    context: WriteContext & { actor: Actor; prepared: Prepared },
    input: z.output<Input>,
  ): Answer<Output>
}

export interface PublicRead<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends PublicContract<Input, Output> {
  kind: 'public_read'
  handler(context: PublicContext, input: z.output<Input>): Answer<Output>
  /** The same answer row by row, each as soon as it is known: for `Accept: application/x-ndjson`. */
  rows?: {
    output: z.ZodType
    read(context: PublicContext, input: z.output<Input>): AsyncIterable<object>
  }
}

export type PartnerOperation = PartnerRead | PartnerWrite
export type AdminOperation = AdminRead | AdminWrite
export type Operation = PartnerOperation | AdminOperation

type Definition<T> = Omit<T, 'kind'>

/** A signed partner call that changes nothing. It may start before its nonce is known to be new. */
export function partnerRead<I extends z.ZodObject, O extends z.ZodType>(
  definition: Definition<PartnerRead<I, O>>,
): PartnerRead<I, O> {
  return { kind: 'partner_read', ...definition }
}

/** A signed partner call that takes effect in one transaction, with its idempotency record. */
export function partnerWrite<I extends z.ZodObject, O extends z.ZodType, P = undefined>(
  definition: Definition<PartnerWrite<I, O, P>>,
): PartnerWrite<I, O> {
  return { kind: 'partner_write', ...definition } as unknown as PartnerWrite<I, O>
}

/** A call that anyone may make and that changes nothing; every door of the public API serves it. */
export function publicRead<I extends z.ZodObject, O extends z.ZodType>(
  definition: Definition<PublicRead<I, O>>,
): PublicRead {
  return { kind: 'public_read', ...definition } as unknown as PublicRead
}

/** An operator's call that changes nothing. */
export function adminRead<I extends z.ZodObject, O extends z.ZodType>(
  definition: Definition<AdminRead<I, O>>,
): AdminRead<I, O> {
  return { kind: 'admin_read', ...definition }
}

/** An operator's call that takes effect in one transaction, with its entry in the audit log. */
export function adminWrite<I extends z.ZodObject, O extends z.ZodType, P = undefined>(
  definition: Definition<AdminWrite<I, O, P>>,
): AdminWrite<I, O> {
  return { kind: 'admin_write', ...definition } as unknown as AdminWrite<I, O>
}

export function scopesOf(operation: PartnerOperation): readonly Scope[] {
  return typeof operation.scope === 'string' ? [operation.scope] : operation.scope
}
