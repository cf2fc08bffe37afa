import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Schema } from '../schema.ts'
import type { DatabaseServer, ExclusiveSession } from './server.ts'

/** Queries outside any transaction. */
export type Database = Kysely<Schema>

/**
 * Kysely over either kind of database. A connection becomes a session of its own only when a
 * transaction begins, so that single statements can share.
 */
export function kyselyOver(server: DatabaseServer): Database {
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new ServerDriver(server),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  return new Kysely<Schema>({ dialect })
}

class ServerConnection implements DatabaseConnection {
  session: ExclusiveSession | undefined
  /**
   * Its one transaction is over. Of statements that were started together the first to fail ends the
   * transaction, and those still in line behind it may not run outside of it.
   */
  isSpent = false
  readonly #server: DatabaseServer

  constructor(server: DatabaseServer) {
    this.#server = server
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.isSpent) throw new Error('the transaction of this statement has ended')
    const { rows, affectedRows } = await (this.session ?? this.#server).query(sql, parameters)
    return { rows: rows as R[], numAffectedRows: BigInt(affectedRows) }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used here: read in pages')
  }
}

class ServerDriver implements Driver {
  readonly #server: DatabaseServer

  constructor(server: DatabaseServer) {
    this.#server = server
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ServerConnection> {
    return new ServerConnection(this.#server)
  }

  async beginTransaction(connection: ServerConnection): Promise<void> {
    connection.session = await this.#server.acquire()
    // Not waited for: it travels with the first statement, which fails if this does.
    connection.session.query('begin', []).catch(() => {})
  }

  async commitTransaction(connection: ServerConnection): Promise<void> {
    connection.isSpent = true
    const result = await connection.session?.query('commit', [])
    // The database answers so when a statement had failed and nobody minded.
    if (result?.command === 'ROLLBACK') throw new Error('the transaction was rolled back')
    this.#end(connection)
  }

  async rollbackTransaction(connection: ServerConnection): Promise<void> {
    connection.isSpent = true
    try {
      await connection.session?.query('rollback', [])
      this.#end(connection)
    } catch {
      this.#end(connection, true)
    }
  }

  async releaseConnection(connection: ServerConnection): Promise<void> {
    this.#end(connection, true)
  }

  #end(connection: ServerConnection, broken?: boolean): void {
    connection.session?.release(broken)
    connection.session = undefined
  }

  async destroy(): Promise<void> {
    await this.#server.close()
  }
}
