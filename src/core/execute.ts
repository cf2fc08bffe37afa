import type { z } from 'zod'
import { inChildSpan } from '../lib/tracing.ts'
import { assertScope } from './app-scope.ts'
import type {
  Caller,
  OperatorCaller,
  PageCaller,
  PartnerCaller,
  PublicCaller,
  UserCaller,
} from './caller.ts'
import type { AppContext } from './context.ts'
import { ApiError } from './errors.ts'
import type { Executed } from './executed.ts'
import type { IdempotentRequest } from './idempotency.ts'
import {
  type AdminRead,
  type AdminWrite,
  type Operation,
  type PageWrite,
  type PartnerOperation,
  type PartnerRead,
  type PartnerWrite,
  type PublicRead,
  scopesOf,
  type UserRead,
  type UserWrite,
} from './operation.ts'
import { assertUnderLimit, type RateState } from './rate-limits.ts'
import { type Collect, createRunner } from './run-operation.ts'
import { settle } from './write.ts'

/** One call of an operation, whichever surface it came by. */
export interface Call<Who extends Caller = Caller, Input = Record<string, unknown>> {
  caller: Who
  now: Date
  requestId: string
  /** Reads and checks the input; throws what is wrong with it. */
  input(): Input
  /** What makes it repeatable; without it a repeat is another call. Throws for a malformed key. */
  idempotency?(): IdempotentRequest | null
  /** Aborts when nobody waits for the response any more. */
  signal?: AbortSignal
  /** Writes the response of a public read as JSON, where it is not to be on one line. */
  write?(value: object): string
  /**
   * Counts the call against its caller's limit, and may know the caller better by then. Absent where the page
   * that makes the call was counted instead.
   */
  admit?(): Promise<{ caller?: Who; rate: RateState | null }>
  /** What a sandbox request asks to happen between its admission and its effect. */
  fault?(caller: Who): Promise<void>
}

export interface ExecuteOptions {
  /** Holds every response against its schema; for tests. */
  strict: boolean
  /** Says that a write may have left something to deliver. */
  wakeDeliveries(): void
}

/**
 * The one way to run an operation, for every API and page. In this order: the caller's standing and scope, the
 * limit, the idempotency key, whatever bars the caller, the input, and the work. A write is one transaction
 * with its events, its audit entry and its stored response; deliveries are woken after it.
 */
export interface Executor {
  execute<I extends z.ZodObject, O extends z.ZodType>(
    operation: PartnerRead<I, O> | PartnerWrite<I, O>,
    call: Call<PartnerCaller, z.output<I>>,
  ): Promise<Executed<z.output<O>>>
  execute<I extends z.ZodObject, O extends z.ZodType>(
    operation: AdminRead<I, O> | AdminWrite<I, O>,
    call: Call<OperatorCaller, z.output<I>>,
  ): Promise<Executed<z.output<O>>>
  execute<I extends z.ZodObject, O extends z.ZodType>(
    operation: UserRead<I, O> | UserWrite<I, O>,
    call: Call<UserCaller, z.output<I>>,
  ): Promise<Executed<z.output<O>>>
  execute<I extends z.ZodObject, O extends z.ZodType>(
    operation: PageWrite<I, O>,
    call: Call<PageCaller, z.output<I>>,
  ): Promise<Executed<z.output<O>>>
  execute(operation: PublicRead, call: Call<PublicCaller>): Promise<Executed>
  /**
   * The response row by row, each as soon as it is known, of an operation that has rows. A repeatable call gets
   * them whole, since its repeat does.
   */
  executeRows(
    operation: PublicRead,
    call: Call<PublicCaller>,
    collect: Collect,
  ): Promise<AsyncIterable<object> | Executed>
}

export function createExecutor(app: AppContext, options: ExecuteOptions): Executor {
  const { run, runRows } = createRunner(app, options)

  function execute(operation: Operation, call: Call): Promise<Executed> {
    const attributes = { 'marketplace.caller': call.caller.kind }
    return inChildSpan(operation.name, attributes, () => executeAdmitted(operation, call))
  }

  async function executeAdmitted(operation: Operation, call: Call): Promise<Executed> {
    // A signed read may start while its nonce is being spent: it discloses nothing before it is admitted.
    const startsEarly =
      operation.kind === 'partner_read' &&
      !operation.onceAdmitted &&
      objection(operation, call.caller) === null
    const early = startsEarly && call.admit ? settle(run(operation, call)) : null
    const caller = await admit(operation, call)
    // Whose it is and what it asks for stay the same, whatever else has changed of the caller.
    if (!early) return await run(operation, { ...call, caller })
    const outcome = await early
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  async function admit<Who extends Caller>(operation: Operation, call: Call<Who>): Promise<Who> {
    const admission = await call.admit?.()
    const caller = admission?.caller ?? call.caller
    assertMayCall(operation, caller)
    assertScope(operation, caller)
    if (admission?.rate) assertUnderLimit(admission.rate, call.now)
    await call.fault?.(caller)
    return caller
  }

  return {
    execute,
    async executeRows(operation, call, collect) {
      const caller = await admit(operation, call)
      return await runRows(operation, { ...call, caller }, collect)
    },
  }
}

/** Rejects whoever may not call the operation, whatever they send. */
function assertMayCall(operation: Operation, caller: Caller): void {
  const problem = objection(operation, caller)
  if (problem) throw problem
}

/** Why the caller may not call the operation; null when they may. The types keep other kinds of callers away. */
function objection(operation: Operation, caller: Caller): ApiError | null {
  const isPartners = operation.kind === 'partner_read' || operation.kind === 'partner_write'
  return isPartners && caller.kind === 'partner' ? partnersObjection(operation, caller) : null
}

/** The signature and the nonce are right: contract, section 3, has the order of what comes after them. */
function partnersObjection(
  operation: PartnerOperation,
  { partner, credential }: PartnerCaller,
): ApiError | null {
  if (credential && credential.status !== 'active') {
    return new ApiError('credential_not_active', 'This credential is revoked.')
  }
  if (credential?.problem) return credential.problem
  if (credential && credential.partnerStatus !== 'active') {
    return new ApiError('partner_not_active', 'This partner account is suspended.')
  }
  if (operation.sandboxOnly && partner.environment !== 'sandbox') {
    return new ApiError('not_found', 'There is no such path for a live credential.')
  }
  const scopes = scopesOf(operation)
  if (credential && !scopes.some((scope) => credential.scopes.includes(scope))) {
    const missing = scopes.join(' or ')
    return new ApiError('forbidden', `This credential lacks the scope ${missing}.`, {
      details: { missing_scope: scopes.length === 1 ? scopes[0] : scopes },
    })
  }
  return null
}
