/** What a statement returned. */
export interface StatementResult {
  rows: Record<string, unknown>[]
  affectedRows: number
  /** The command tag's first word: `INSERT`, `COMMIT`, `ROLLBACK`. */
  command: string
}

/** Runs statements one after another on one connection. */
export interface Session {
  /** Without parameters the text may hold several statements; the last one's result comes back. */
  query(sql: string, parameters: readonly unknown[]): Promise<StatementResult>
}

/** A session that nobody else uses until it is released. */
export interface ExclusiveSession extends Session {
  /** @param broken the connection is in an unknown state and must not be used again */
  release(broken?: boolean): void
}

/** A database of either kind. Statements outside a transaction may share connections. */
export interface DatabaseServer extends Session {
  readonly kind: 'embedded' | 'postgresql'
  acquire(): Promise<ExclusiveSession>
  /** A session that no time limit cuts short, for migrations. */
  acquirePatient(): Promise<ExclusiveSession>
  /** Appends rows in COPY's text format, in a transaction with the statements around it. */
  copy(load: BulkLoad): Promise<void>
  /** The whole database as a tar file, which `openEmbedded` can start from; others have tools of their own. */
  dump?(): Promise<Uint8Array>
  /** How many connections there are to the server; the embedded database has none. */
  connections?(): Connections
  close(): Promise<void>
}

/** Those for transactions, and how often the server refused one of any kind. */
interface Connections {
  inUse: number
  idle: number
  /** Transactions that wait for one. */
  waiting: number
  limit: number
  refused: number
}

interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** Rows that go into a table made by `before`, which `after` then moves where they belong. */
export interface BulkLoad {
  before: string
  /** `copy … from stdin`'s target: `staging (a, b)`. */
  target: string
  rows: string
  after: Statement
  /** What follows once `after` is done, in the same transaction. */
  finally: Statement
  /** Gets the rows of `after`, once all is committed. */
  receive(rows: Record<string, unknown>[]): void
}

/** The database cannot be reached at the moment; nothing says that the statement took effect. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is away', { cause })
  }
}

/** An error that the database itself responded with, of either kind. */
export interface SqlError extends Error {
  code: string
}

export function isSqlError(error: unknown): error is SqlError {
  // A digit tells a SQLSTATE from a system error such as EPIPE.
  return (
    error instanceof Error && 'code' in error && /^(?=.*\d)[0-9A-Z]{5}$/.test(String(error.code))
  )
}

/**
 * What a statement failed with, which is `DatabaseUnavailable` when the database cannot serve now: it
 * shuts down, starts up, is out of connections, memory or disk, gave up a transaction of a process that was
 * too busy to go on with it, or gave no response that is SQL at all (PostgreSQL, Appendix A, 25P03 and classes
 * 08, 53, 57P, 58).
 */
export function asUnavailable(error: unknown): unknown {
  if (!isSqlError(error)) return new DatabaseUnavailable(error)
  return /^(?:08|25P03|53|57P|58)/.test(error.code) ? new DatabaseUnavailable(error) : error
}

/** The server, or what the role or the database may have, has no connection left. */
export function isOutOfConnections(error: unknown): boolean {
  return isSqlError(error) && error.code === '53300'
}

const MET_ANOTHER = ['40001', '40P01', '23505', '23503']

/**
 * The transaction met another: in a deadlock, at a unique index with a row that the other has written since
 * this one looked, or at a reference to a row that the other has removed; or it met a migration. Run again,
 * it sees what the other did.
 */
export function isRetryable(error: unknown): boolean {
  return (isSqlError(error) && MET_ANOTHER.includes(error.code)) || isStalePlan(error)
}

/** A statement was prepared when its table had other columns. Only the routine tells it from its kind. */
export function isStalePlan(error: unknown): boolean {
  return isSqlError(error) && 'routine' in error && error.routine === 'RevalidateCachedQuery'
}

/** Runs a statement outside a transaction once more if its plan was stale: it was rejected before it began. */
export async function againWhenStale<T>(attempt: () => Promise<T>): Promise<T> {
  return await attempt().catch((error: unknown) => {
    if (isStalePlan(error)) return attempt()
    throw error
  })
}

export function isLockTimeout(error: unknown): boolean {
  return isSqlError(error) && error.code === '55P03'
}
