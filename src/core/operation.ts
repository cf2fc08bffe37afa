import type { CompiledQuery, Transaction } from 'kysely'
import type { z } from 'zod'
import type { Database } from '../db/dialect.ts'
import type { Schema } from '../db/schema.ts'
import type { Actor, PageCaller, Partner, PublicCaller, Scope, UserCaller } from './caller.ts'
import type { AppContext } from './context.ts'
import type { Contract, PublicContract } from './contract.ts'
import type { IdempotentRequest } from './idempotency.ts'
import type { PartnerTag } from './partner-tags.ts'
import type { Roles } from './roles.ts'

export type Tx = Transaction<Schema>

interface PartnerContract<Input extends z.ZodObject, Output extends z.ZodType>
  extends Contract<Input, Output> {
  tag: PartnerTag
  description: string
  /** What differs here from the examples of the fields, of which the document composes its samples. */
  example?: { input?: Partial<z.input<Input>>; output?: Partial<z.output<Output>> }
  /** Any one of them opens the operation. */
  scope: Scope | readonly Scope[]
  /** Absent for live credentials, which get `not_found`. */
  sandboxOnly?: true
  /** A path outside the versioned base (service.md, Versioning 1). */
  unversioned?: true
  /** Rejects who may not call it, whatever they send: each door asks it first. */
  assertCaller?(db: Pick<Tx, 'selectFrom'>, partner: Partner): Promise<void>
}

export interface ReadContext {
  db: Database
  now: Date
  app: AppContext
}

export interface PublicContext extends ReadContext {
  caller: PublicCaller
  /** Aborts when nobody waits for the response any more. */
  signal: AbortSignal
}

/** Writes reach the database through their transaction alone, so they cannot forget or leave it. */
export interface WriteContext {
  tx: Tx
  now: Date
  app: Omit<
    AppContext,
    | 'db'
    | 'server'
    | 'http'
    | 'registry'
    | 'registrars'
    | 'dns'
    | 'sites'
    | 'payments'
    | 'payoutRail'
    | 'mail'
  >
  /** Leaves statements whose results nobody needs to travel with the commit. */
  defer(...statements: CompiledQuery[]): void
}

type Result<Output extends z.ZodType> = Promise<z.output<Output>>

export interface PartnerRead<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends PartnerContract<Input, Output> {
  kind: 'partner_read'
  /** It does more than read a few rows, so it starts once its caller is admitted, and not beside the check. */
  onceAdmitted?: true
  handler(context: ReadContext & { partner: Partner }, input: z.output<Input>): Result<Output>
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
   * What takes its time, and so comes before the transaction begins; the handler gets the response. It
   * rejects nothing that a repeat of an earlier request, which passes here too, would not meet again.
   */
  prepare?(context: ReadContext & { partner: Partner }, input: z.output<Input>): Promise<Prepared>
  handler(
    context: WriteContext & { partner: Partner; requestId: string; prepared: Prepared },
    input: z.output<Input>,
  ): Result<Output>
}

interface UserContext {
  userId: string
  caller: UserCaller
  requestId: string
}

/** A signed-in user's read of what is theirs. */
export interface UserRead<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends PublicContract<Input, Output> {
  kind: 'user_read'
  handler(context: ReadContext & UserContext, input: z.output<Input>): Result<Output>
}

/** A signed-in user's write to what is theirs. */
export interface UserWrite<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Prepared = unknown,
> extends PublicContract<Input, Output> {
  kind: 'user_write'
  /** Bytes that its body may have, where that is more than others may. */
  bodyLimit?: number
  /** As of a partner's write. */
  prepare?(context: ReadContext & UserContext, input: z.output<Input>): Promise<Prepared>
  handler(
    context: WriteContext & UserContext & { prepared: Prepared },
    input: z.output<Input>,
  ): Result<Output>
  /** For inputs whose effect needs the network, which no transaction may wait for. */
  external?: {
    applies(input: z.output<Input>): boolean
    /** Keeps rows of its own, by which a repeat finds what was done. `isFinal` is false while a repeat may learn more. */
    run(
      context: ReadContext & UserContext & { idempotency: IdempotentRequest | null },
      input: z.output<Input>,
    ): Promise<{ value: z.output<Output>; isFinal: boolean }>
  }
}

/** A form of our own pages, which no API publishes. */
export interface PageWrite<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Prepared = unknown,
> extends Pick<Contract<Input, Output>, 'name' | 'input' | 'output'> {
  kind: 'page_write'
  /** What the audit log keeps of it, and what it was about; absent: it is not recorded. */
  audit?(
    input: z.output<Input>,
    output: z.output<Output>,
    caller: PageCaller,
  ): { subject: string | null; input: object }
  /** As of a partner's write. */
  prepare?(context: ReadContext & { caller: PageCaller }, input: z.output<Input>): Promise<Prepared>
  handler(
    context: WriteContext & { caller: PageCaller; requestId: string; prepared: Prepared },
    input: z.output<Input>,
  ): Result<Output>
}

interface AdminContract<Input extends z.ZodObject, Output extends z.ZodType>
  extends Contract<Input, Output> {
  /** Which operators may call it; by its input, where that decides. */
  roles: Roles | { of(input: z.output<Input>): Roles }
  /** An operator who signed in must have shown within ten minutes that it is them: money, secrets and roles. */
  recent?: true
}

export interface AdminRead<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends AdminContract<Input, Output> {
  kind: 'admin_read'
  handler(context: ReadContext & { actor: Actor }, input: z.output<Input>): Result<Output>
}

export interface AdminWrite<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Prepared = unknown,
> extends AdminContract<Input, Output> {
  kind: 'admin_write'
  /** The field of the response that tells what it was about; absent: the first path parameter does. */
  subject?: string
  /** What the audit log keeps of it; absent: its input. */
  audited?(input: z.output<Input>, output: z.output<Output>): object
  /** Bytes that its body may have, where that is more than others may. */
  bodyLimit?: number
  /** As of a partner's write. */
  prepare?(context: ReadContext & { actor: Actor }, input: z.output<Input>): Promise<Prepared>
  handler(
    context: WriteContext & { actor: Actor; prepared: Prepared },
    input: z.output<Input>,
  ): Result<Output>
}

export interface PublicRead<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends PublicContract<Input, Output> {
  kind: 'public_read'
  handler(context: PublicContext, input: z.output<Input>): Result<Output>
  /** False for a response that a repeat may improve on: it is sent, and not stored. */
  isFinal?(output: z.output<Output>): boolean
  /** The same response row by row, each as soon as it is known: for `Accept: application/x-ndjson`. */
  rows?: {
    output: z.ZodType
    read(context: PublicContext, input: z.output<Input>): AsyncIterable<object>
  }
}

export type PartnerOperation = PartnerRead | PartnerWrite
export type AdminOperation = AdminRead | AdminWrite
/** What its caller signs in for, at paths of the public API. */
export type UserOperation = UserRead | UserWrite
export type Operation = PartnerOperation | AdminOperation | PublicRead | UserOperation | PageWrite

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

/** What the public API publishes of an operation, apart from how it is run. */
export function publicContract<I extends z.ZodObject, O extends z.ZodType>(
  contract: PublicContract<I, O>,
): PublicContract<I, O> {
  return contract
}

/** A user's read, published with the public API. */
export function userRead<I extends z.ZodObject, O extends z.ZodType>(
  definition: Definition<UserRead<I, O>>,
): UserRead<I, O> {
  return { kind: 'user_read', ...definition }
}

/** A user's write, published with the public API. */
export function userWrite<I extends z.ZodObject, O extends z.ZodType, P = undefined>(
  definition: Definition<UserWrite<I, O, P>>,
): UserWrite<I, O> {
  return { kind: 'user_write', ...definition } as unknown as UserWrite<I, O>
}

/** A write of our own pages. */
export function pageWrite<I extends z.ZodObject, O extends z.ZodType, P = undefined>(
  definition: Definition<PageWrite<I, O, P>>,
): PageWrite<I, O> {
  return { kind: 'page_write', ...definition } as unknown as PageWrite<I, O>
}

export function scopesOf(operation: PartnerOperation): readonly Scope[] {
  return typeof operation.scope === 'string' ? [operation.scope] : operation.scope
}
