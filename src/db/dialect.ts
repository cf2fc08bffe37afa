import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Schema } from './schema.ts'
import type { DatabaseServer } from './server.ts'

/** Queries outside any transaction. */
export type Database = Kysely<Schema>

/** Builds statements for PostgreSQL, and runs none. */
export const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (database) => new PostgresIntrospector(database),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

/** Kysely over either kind of database, for single statements, which share its sessions. */
export function kyselyOver(server: DatabaseServer): Database {
  return new Kysely<Schema>({
    dialect: { ...dialect, createDriver: () => new ServerDriver(server) },
  })
}

class ServerConnection implements DatabaseConnection {
  readonly #server: DatabaseServer

  constructor(server: DatabaseServer) {
    this.#server = server
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affectedRows } = await this.#server.query(sql, parameters)
    return { rows: rows as R[], numAffectedRows: BigInt(affectedRows) }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used here: read in pages')
  }
}

class ServerDriver extends DummyDriver {
  readonly #server: DatabaseServer

  constructor(server: DatabaseServer) {
    super()
    this.#server = server
  }

  override async acquireConnection(): Promise<ServerConnection> {
    return new ServerConnection(this.#server)
  }

  override async beginTransaction(): Promise<void> {
    throw new Error('transactions are made by inTransaction')
  }

  override async destroy(): Promise<void> {
    await this.#server.close()
  }
}
