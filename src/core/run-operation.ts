import { unlessAborted } from 'domain-marketplace-safe-fetch'
import { singleflight } from '../lib/singleflight.ts'
import { auditEntry, recordRejection, subjectOf } from './audit.ts'
import type {
  Caller,
  OperatorCaller,
  PageCaller,
  PartnerCaller,
  PublicCaller,
  UserCaller,
} from './caller.ts'
import { checkOutput } from './check-output.ts'
import type { AppContext } from './context.ts'
import { ApiError } from './errors.ts'
import type { Call, ExecuteOptions } from './execute.ts'
import { type Executed, made } from './executed.ts'
import { type IdempotentRequest, RETENTION_MS, storedResponse } from './idempotency.ts'
import type {
  AdminRead,
  AdminWrite,
  Operation,
  PageWrite,
  PartnerRead,
  PartnerWrite,
  PublicRead,
  UserRead,
  UserWrite,
  WriteContext,
} from './operation.ts'
import { assertPresence, inRole, readInRole } from './operator-access.ts'
import { respondOnce } from './repeatable-read.ts'
import { runWrite, type Write } from './write.ts'

const RETRY_AFTER_SECONDS = 5
const NEVER = new AbortController().signal

/** A call that was admitted. */
type Admitted<Who extends Caller = Caller> = Omit<Call<Who>, 'idempotency'> & {
  idempotency: IdempotentRequest | null
}

/** What collects rows into one body, for a call whose repeat gets all of them. */
export type Collect = (rows: AsyncIterable<object>) => Promise<{ body: string; mediaType: string }>

/** Runs operations whose callers were admitted, each kind in its way. No other file calls a handler. */
export function createRunner(app: AppContext, { strict, wakeDeliveries }: ExecuteOptions) {
  const { db } = app
  const shared = singleflight<unknown>()

  async function run(operation: Operation, called: Call): Promise<Executed> {
    const call = { ...called, idempotency: called.idempotency?.() ?? null }
    switch (operation.kind) {
      case 'partner_read':
        return await readForPartner(operation, call as Admitted<PartnerCaller>)
      case 'partner_write':
        return await writeForPartner(operation, call as Admitted<PartnerCaller>)
      case 'admin_read':
        return await readForOperator(operation, call as Admitted<OperatorCaller>)
      case 'admin_write':
        return await writeForOperator(operation, call as Admitted<OperatorCaller>)
      case 'user_read':
        return await readForUser(operation, call as Admitted<UserCaller>)
      case 'user_write':
        return await writeForUser(operation, call as Admitted<UserCaller>)
      case 'page_write':
        return await writeForPage(operation, call as Admitted<PageCaller>)
      default:
        return await readForPublic(operation, call as Admitted<PublicCaller>)
    }
  }

  async function readForPartner(
    operation: PartnerRead,
    { caller: { partner }, now, input }: Admitted<PartnerCaller>,
  ): Promise<Executed> {
    await operation.assertCaller?.(db, partner)
    const value = await operation.handler({ db, now, app, partner }, input())
    return made(operation.status, checked(operation, value))
  }

  async function writeForPartner(
    operation: PartnerWrite,
    call: Admitted<PartnerCaller>,
  ): Promise<Executed> {
    const { now, requestId } = call
    const { partner } = call.caller
    if (operation.idempotency === 'required' && !call.idempotency) {
      throw new ApiError(
        'missing_idempotency_key',
        'Send an Idempotency-Key, such as a UUID, and the same one when you repeat this request.',
      )
    }
    await operation.assertCaller?.(db, partner)
    const input = await inputBehindKey(call)
    const prepared = await operation.prepare?.({ db, now, app, partner }, input)
    const how = operation.alone ? 'alone' : 'shared'
    const sandbox =
      partner.environment === 'sandbox' ? ({ partnerId: partner.partnerId, how } as const) : null
    return await write(
      operation,
      call,
      (context) => operation.handler({ ...context, partner, requestId, prepared }, input),
      sandbox,
    )
  }

  async function readForOperator(
    operation: AdminRead,
    { now, input: read, caller }: Admitted<OperatorCaller>,
  ): Promise<Executed> {
    const { actor } = caller
    const input = inRole(operation, actor, read)
    const value = await operation.handler({ db, now, app, actor }, input)
    return made(operation.status, checked(operation, value))
  }

  /** A rejected act is recorded too, after it was undone. */
  async function writeForOperator(
    operation: AdminWrite,
    call: Admitted<OperatorCaller>,
  ): Promise<Executed> {
    const { now, requestId } = call
    const { actor } = call.caller
    const record = { actor, requestId, operation: operation.name }
    const reject = async (input: object, error: unknown): Promise<never> => {
      const subject = subjectOf(operation, input, {})
      await recordRejection(app, { ...record, subject, input }, error)
      throw error
    }
    const input = await readInRole(operation, actor, call.input, reject)
    try {
      await assertPresence(app, operation, actor, input, now)
      const prepared = await operation.prepare?.({ db, now, app, actor }, input)
      return await write(operation, call, async (context) => {
        const output = await operation.handler({ ...context, actor, prepared }, input)
        const subject = subjectOf(operation, input, output)
        const audited = operation.audited?.(input, output) ?? input
        context.defer(auditEntry(context.tx, now, { ...record, subject, input: audited }))
        return output
      })
    } catch (error) {
      return await reject(input, error)
    }
  }

  async function writeForPage(operation: PageWrite, call: Admitted<PageCaller>): Promise<Executed> {
    const { caller, now, requestId } = call
    const { name, audit } = operation
    const input = call.input()
    const prepared = await operation.prepare?.({ db, now, app, caller }, input)
    return await write(operation, call, async (context) => {
      const output = await operation.handler({ ...context, caller, requestId, prepared }, input)
      if (audit && caller.user) {
        const actor = { userId: caller.user.id, name: caller.user.email }
        const record = { actor, requestId, operation: name, ...audit(input, output, caller) }
        context.defer(auditEntry(context.tx, now, record))
      }
      return output
    })
  }

  async function readForUser(
    operation: UserRead,
    { caller, now, requestId, input }: Admitted<UserCaller>,
  ): Promise<Executed> {
    const user = { userId: caller.subject, caller, requestId }
    const value = await operation.handler({ db, now, app, ...user }, input())
    return made(operation.status, checked(operation, value))
  }

  async function writeForUser(operation: UserWrite, call: Admitted<UserCaller>): Promise<Executed> {
    const { now, requestId, idempotency, caller } = call
    const user = { userId: caller.subject, caller, requestId }
    const input = await inputBehindKey(call)
    const { external, doneStatus: status = operation.status } = operation
    if (!external?.applies(input)) {
      const prepared = await operation.prepare?.({ db, now, app, ...user }, input)
      return await write(operation, call, (context) =>
        operation.handler({ ...context, ...user, prepared }, input),
      )
    }
    return await outsideTransaction({ ...operation, status }, call, RETENTION_MS, async () => {
      const outcome = await external.run({ db, now, app, ...user, idempotency }, input)
      wakeDeliveries()
      return outcome
    })
  }

  async function readForPublic(
    operation: PublicRead,
    call: Admitted<PublicCaller>,
  ): Promise<Executed> {
    const { now, caller, signal = NEVER } = call
    const input = await inputBehindKey(call)
    const read = () => operation.handler({ db, now, app, caller, signal }, input)
    return await outsideTransaction(operation, call, undefined, async () => {
      if (signal.aborted) throw tooLate()
      // What anyone may keep for a while is the same for all who are nobody in particular.
      const isShared = operation.cacheSeconds > 0 && caller.kind === 'anonymous' && !caller.priced
      const asked = isShared ? shared(`${operation.name} ${JSON.stringify(input)}`, read) : read()
      // A handler that overlooks the signal still does not keep its caller.
      const value = await unlessAborted(asked, signal).catch((error: unknown) => {
        throw signal.aborted ? tooLate() : error
      })
      return { value, isFinal: operation.isFinal?.(value) ?? true }
    })
  }

  async function write(
    operation: Pick<Operation, 'name' | 'output'> & { status?: number },
    { now, idempotency }: Pick<Admitted, 'now' | 'idempotency'>,
    work: (context: WriteContext) => Promise<unknown>,
    sandbox: Write['sandbox'] = null,
  ): Promise<Executed> {
    const status = operation.status ?? 200
    const executed = await runWrite(app, now, {
      status,
      idempotency,
      sandbox,
      run: async (context) => checked(operation, await work(context)),
    })
    wakeDeliveries()
    return executed
  }

  /** What may wait for the network. With a key its response is stored when it is there, for repeats. */
  async function outsideTransaction(
    { name, output, status }: PublicRead | UserWrite,
    { idempotency, write }: Pick<Admitted, 'idempotency' | 'write'>,
    retentionMs: number | undefined,
    work: () => Promise<{ value: unknown; isFinal: boolean }>,
  ): Promise<Executed> {
    const respond = async () => {
      const { value, isFinal } = await work()
      return made(status, checked({ name, output }, value), write?.(value as object), isFinal)
    }
    return idempotency ? await respondOnce(app, idempotency, respond, retentionMs) : await respond()
  }

  /** A key that was used for another body comes before what is wrong with this one. */
  async function inputBehindKey<I>({
    input,
    idempotency,
  }: {
    input(): I
    idempotency: IdempotentRequest | null
  }): Promise<I> {
    try {
      return input()
    } catch (error) {
      if (idempotency) await storedResponse(db, idempotency)
      throw error
    }
  }

  function checked<T>({ name, output }: Pick<Operation, 'name' | 'output'>, value: T): T {
    return strict ? checkOutput(name, output, value) : value
  }

  async function runRows(
    { name, output, status, rows }: PublicRead,
    called: Call<PublicCaller>,
    collect: Collect,
  ): Promise<AsyncIterable<object> | Executed> {
    if (!rows) throw new Error(`${name} has no rows`)
    const { now, caller, signal = NEVER } = called
    const idempotency = called.idempotency?.() ?? null
    const input = await inputBehindKey({ input: called.input, idempotency })
    const read = rows.read({ db, now, app, caller, signal }, input)
    async function* checkedRows(): AsyncGenerator<object> {
      for await (const row of read) yield checked({ name, output: rows?.output ?? output }, row)
    }
    if (!idempotency) return checkedRows()
    return await respondOnce(app, idempotency, async () => {
      const { body, mediaType } = await collect(checkedRows())
      return { ...made(status, null, body), body, mediaType }
    })
  }

  return { run, runRows }
}

function tooLate(): ApiError {
  return new ApiError('unavailable', 'The response was not known in time. Try again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })
}
