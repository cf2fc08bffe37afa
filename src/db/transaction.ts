import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type QueryResult,
  Transaction,
} from 'kysely'
import { dialect } from './dialect.ts'
import type { Schema } from './schema.ts'
import { type DatabaseServer, type ExclusiveSession, isRetryable, isSqlError } from './server.ts'

const ABORTED = '25P02'
const MAX_TRIES = 5
const adapter = dialect.createAdapter()
const compiler = dialect.createQueryCompiler()
const driver = dialect.createDriver()

/**
 * Runs work in a transaction, once. Statements that are started together travel together, where
 * Kysely's own transaction would send each after the response to the one before; they still run in the
 * order of their start. The work may commit by itself, to have its last statements travel with the
 * commit; otherwise its end does.
 */
export async function transact<T>(
  server: DatabaseServer,
  work: (tx: Transaction<Schema>, commit: (last: CompiledQuery[]) => Promise<void>) => Promise<T>,
): Promise<T> {
  const session = await server.acquire()
  const connection = new TransactionConnection(session)
  const tx = new Transaction<Schema>({
    config: { dialect },
    dialect,
    driver,
    executor: new DefaultQueryExecutor(compiler, adapter, {
      provideConnection: (use) => use(connection),
    }),
  })
  try {
    const value = await work(tx, (last) => connection.commit(last))
    await connection.commit()
    session.release()
    return value
  } catch (error) {
    session.release(!(await connection.undo()))
    throw error
  }
}

/** A transaction of its own; one that lost to another is tried again, so its work may be done twice. */
export async function inTransaction<T>(
  { server }: { server: DatabaseServer },
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact(server, work)
    } catch (error) {
      if (!isRetryable(error) || tries === MAX_TRIES) throw error
    }
  }
}

class TransactionConnection implements DatabaseConnection {
  readonly #session: ExclusiveSession
  #end: Promise<void> | undefined
  /** The first error, which all statements behind it fail with. */
  #failure: unknown

  constructor(session: ExclusiveSession) {
    this.#session = session
    // Not waited for: it travels with the first statement, which fails if this does.
    session.query('begin', []).catch(() => {})
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#end) throw new Error('the transaction of this statement has ended')
    try {
      const { rows, affectedRows } = await this.#session.query(sql, parameters)
      return { rows: rows as R[], numAffectedRows: BigInt(affectedRows) }
    } catch (error) {
      this.#failure ??= error
      throw isSqlError(error) && error.code === ABORTED ? this.#failure : error
    }
  }

  commit(last: CompiledQuery[] = []): Promise<void> {
    this.#end ??= this.#commit(last.map((statement) => this.executeQuery(statement)))
    return this.#end
  }

  async #commit(last: Promise<unknown>[]): Promise<void> {
    const [{ command }] = await Promise.all([this.#session.query('commit', []), ...last])
    // The database responds so when a statement had failed and nobody minded.
    if (command === 'ROLLBACK') throw this.#failure ?? new Error('the transaction was rolled back')
  }

  /** False when the session is in an unknown state. */
  async undo(): Promise<boolean> {
    await this.#end?.catch(() => {})
    this.#end ??= Promise.resolve()
    // After a rejected commit there is nothing left to undo, which the database takes for no error.
    return await this.#session.query('rollback', []).then(
      () => true,
      () => false,
    )
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used here: read in pages')
  }
}
