import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { type SilencePolicy, streamOf, watchOver } from './postgres-silence.ts'
import {
  againWhenStale,
  asUnavailable,
  type BulkLoad,
  type DatabaseServer,
  DatabaseUnavailable,
  type ExclusiveSession,
  isOutOfConnections,
  type Session,
  type StatementResult,
} from './server.ts'
import { sharedConnections } from './shared-connections.ts'
import { statementNames } from './statement-names.ts'

/** What PostgreSQL shows of each connection. */
export const APPLICATION_NAME = 'domain-marketplace'
const CONNECT_TIMEOUT_MS = 4_000
/** Longer than the lock timeout, which is what a waiting statement should meet first. */
const QUERY_TIMEOUT_MS = 12_000
/** Whoever asks has a response, or a 503, within five seconds. */
const SHARED_QUERY_TIMEOUT_MS = 4_000
const REACHABLE_WITHIN_MS = 1_500
/** A server that had no connection to give is asked for more after this. */
const MAKE_DO_MS = 5_000
/** A transaction that was refused a connection so late does not begin to wait for another. */
const LATE_MS = 1_000
/**
 * We never pause between the statements of a transaction, so one that idles has lost us and still holds its
 * locks: the database ends it. Whoever waits for a lock gives up sooner than that. Otherwise, of transactions
 * that were lost together, each would get the lock in its turn and hold it for as long again.
 *
 * Nothing is compiled (jit): no statement here runs long enough to gain by it, and one whose cost was
 * misjudged would spend seconds on it.
 *
 * What else a server, database or role may have set otherwise, and we rely on: how moments are written, and
 * that a statement sees what was committed before it, as one that waited for a lock must.
 */
const SESSION_OPTIONS =
  '-c timezone=UTC -c datestyle=ISO -c default_transaction_isolation=read\\ committed ' +
  '-c jit=off -c lock_timeout=2s -c idle_in_transaction_session_timeout=2500ms'

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** A PostgreSQL server, version 15 or later, over pipelined connections with prepared statements. */
export function connectPostgres(connectionString: string, poolSize: number): DatabaseServer {
  const config = {
    connectionString,
    types,
    options: SESSION_OPTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: APPLICATION_NAME,
  } as const
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    query_timeout: QUERY_TIMEOUT_MS,
    max: poolSize,
  })
  // An idle connection that breaks is dropped by the pool; the next statement finds out by itself.
  pool.on('error', () => {})
  // When one breaks in use its statements fail; without a listener the event would end the process as well.
  pool.on('connect', (client) => client.on('error', () => {}))
  const open = new Set<pg.PoolClient>()
  const idle = new Set<pg.PoolClient>()
  pool.on('connect', (client) => open.add(client))
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => {
    open.delete(client)
    idle.delete(client)
  })
  let refused = 0
  const shared = sharedConnections(
    { ...config, pipeline: true, query_timeout: SHARED_QUERY_TIMEOUT_MS },
    { makeDoMs: MAKE_DO_MS, onLost: dropAll, onRefused: () => (refused += 1) },
  )
  const silence: SilencePolicy = {
    async isReachable() {
      const late = pause(REACHABLE_WITHIN_MS, false)
      return await Promise.race([
        query('select 1', []).then(
          () => true,
          () => false,
        ),
        late,
      ])
    },
    onDead: dropAll,
  }
  const names = statementNames()

  /** The network that lost one connection has most likely lost the others. */
  function dropAll(): void {
    for (const client of idle) streamOf(client).destroy()
    shared.renew()
  }

  async function run(
    client: pg.Client | pg.PoolClient,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<StatementResult> {
    const named = parameters.length === 0 ? { text: sql } : names.of(sql)
    const statement = parameters.length === 0 ? named : { ...named, values: [...parameters] }
    let output: pg.QueryResult | pg.QueryResult[]
    try {
      output = await client.query(statement)
    } catch (error) {
      names.renewAfter(error, sql, named)
      throw asUnavailable(error)
    }
    const result = Array.isArray(output) ? output.at(-1) : output
    return {
      rows: result?.rows ?? [],
      affectedRows: result?.rowCount ?? 0,
      command: result?.command ?? '',
    }
  }

  async function query(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    return await againWhenStale(() =>
      shared.use((client) => {
        gatherWrites(client, setImmediate)
        return run(client, sql, parameters)
      }),
    )
  }

  /** Where the server has no connection to give, one of those that are open is waited for. */
  async function connect(): Promise<pg.PoolClient> {
    const late = performance.now() + LATE_MS
    for (;;) {
      try {
        return await pool.connect()
      } catch (error) {
        const isRefused = isOutOfConnections(error)
        if (isRefused) refused += 1
        if (!isRefused || pool.totalCount === 0 || performance.now() > late) {
          throw new DatabaseUnavailable(error)
        }
        pool.options.max = Math.max(1, open.size)
        growing.refresh()
      }
    }
  }
  const growing = setTimeout(() => {
    pool.options.max = poolSize
  }, MAKE_DO_MS).unref()

  async function acquire(): Promise<ExclusiveSession> {
    const client = await connect()
    const watch = watchOver(client, silence)
    return {
      query(sql, parameters) {
        gatherWrites(client, process.nextTick)
        watch.sent()
        return run(client, sql, parameters).finally(watch.heard)
      },
      release(broken) {
        watch.end()
        client.release(broken)
      },
    }
  }

  async function acquirePatient(): Promise<ExclusiveSession> {
    const client = new pg.Client(config)
    client.on('error', () => {})
    await client.connect().catch((error: unknown) => {
      throw new DatabaseUnavailable(error)
    })
    return {
      query: (sql, parameters) => run(client, sql, parameters),
      release: () => void client.end().catch(() => {}),
    }
  }

  /** COPY cannot run on a pipelined connection, so a load has one of its own. */
  async function copy(load: BulkLoad): Promise<void> {
    const client = new pg.Client(config)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('begin')
      await client.query(load.before)
      await pipeline([load.rows], client.query(copyFrom(`copy ${load.target} from stdin`)))
      const { rows } = await client.query(load.after.sql, [...load.after.parameters])
      await client.query(load.finally.sql, [...load.finally.parameters])
      await client.query('commit')
      load.receive(rows)
    } catch (error) {
      throw asUnavailable(error)
    } finally {
      await client.end().catch(() => {})
    }
  }

  return {
    kind: 'postgresql',
    query,
    acquire,
    acquirePatient,
    copy,
    connections: () => ({
      inUse: open.size - idle.size,
      idle: idle.size,
      waiting: pool.waitingCount,
      limit: poolSize,
      refused,
    }),
    async close() {
      clearTimeout(growing)
      await Promise.all([pool.end(), shared.close()])
    },
  } satisfies DatabaseServer & Session
}

/** Lets the statements that are started until then leave in one write. */
function gatherWrites(
  client: pg.Client | pg.PoolClient,
  then: (write: () => void) => unknown,
): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  then(() => stream.uncork())
}
