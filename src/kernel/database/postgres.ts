import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import {
  type BulkLoad,
  type DatabaseServer,
  DatabaseUnavailable,
  type ExclusiveSession,
  isSqlError,
  type Session,
  type StatementResult,
} from './server.ts'

/** Connections that statements outside transactions share, several under way on each. */
const SHARED_CONNECTIONS = 3
const CONNECT_TIMEOUT_MS = 4_000
/** Longer than the lock timeout, which is what a waiting statement should meet first. */
const QUERY_TIMEOUT_MS = 12_000
const SHARED_QUERY_TIMEOUT_MS = 5_000
const SESSION_OPTIONS =
  '-c timezone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s'
/** Statement texts are few, since lists are passed as arrays; more than this means a mistake. */
const MAX_PREPARED = 1_000

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
    application_name: 'domain-marketplace',
  } as const
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    query_timeout: QUERY_TIMEOUT_MS,
    max: poolSize,
  })
  // An idle connection that breaks is dropped by the pool; the next statement finds out by itself.
  pool.on('error', () => {})
  // One that breaks in use has its statements fail; the event itself, unheard, would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const shared = sharedConnections({
    ...config,
    pipeline: true,
    query_timeout: SHARED_QUERY_TIMEOUT_MS,
  })
  const prepared = new Map<string, string>()

  async function run(
    client: pg.Client | pg.PoolClient,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<StatementResult> {
    const statement =
      parameters.length === 0
        ? { text: sql }
        : { name: nameOf(sql), text: sql, values: [...parameters] }
    let answer: pg.QueryResult | pg.QueryResult[]
    try {
      answer = await client.query(statement)
    } catch (error) {
      throw translated(error)
    }
    const result = Array.isArray(answer) ? answer.at(-1) : answer
    return {
      rows: result?.rows ?? [],
      affectedRows: result?.rowCount ?? 0,
      command: result?.command ?? '',
    }
  }

  function nameOf(sql: string): string | undefined {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= MAX_PREPARED) return undefined
    const name = `s${prepared.size + 1}`
    prepared.set(sql, name)
    return name
  }

  async function query(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    return await shared.use((client) => run(client, sql, parameters))
  }

  async function acquire(): Promise<ExclusiveSession> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new DatabaseUnavailable(error)
    })
    return {
      query(sql, parameters) {
        gatherWrites(client)
        return run(client, sql, parameters)
      },
      release: (broken) => client.release(broken),
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
      await client.query('commit')
      load.receive(rows)
    } catch (error) {
      throw translated(error)
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
    async close() {
      await Promise.all([pool.end(), shared.close()])
    },
  } satisfies DatabaseServer & Session
}

/** Lets the statements of one turn leave in one write. */
function gatherWrites(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** A few connections that many statements use at once; a broken one is replaced when next needed. */
function sharedConnections(config: pg.ClientConfig & { pipeline: true }) {
  interface Slot {
    client: Promise<pg.Client>
    underWay: number
  }
  const slots: (Slot | undefined)[] = Array.from({ length: SHARED_CONNECTIONS }, () => undefined)

  function open(index: number): Slot {
    const client = new pg.Client(config)
    const slot: Slot = { client: client.connect().then(() => client), underWay: 0 }
    const drop = () => {
      if (slots[index] === slot) slots[index] = undefined
    }
    client.on('error', drop)
    client.on('end', drop)
    slot.client.catch(drop)
    slots[index] = slot
    return slot
  }

  function leastBusy(): Slot {
    let best = 0
    for (let index = 0; index < slots.length; index++) {
      if ((slots[index]?.underWay ?? 0) < (slots[best]?.underWay ?? 0)) best = index
    }
    return slots[best] ?? open(best)
  }

  return {
    async use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
      const slot = leastBusy()
      slot.underWay += 1
      try {
        const client = await slot.client.catch((error: unknown) => {
          throw new DatabaseUnavailable(error)
        })
        return await work(client)
      } finally {
        slot.underWay -= 1
      }
    },
    async close() {
      const open = slots.filter((slot) => slot !== undefined)
      await Promise.all(open.map(async (slot) => (await slot.client).end().catch(() => {})))
    },
  }
}

/** Shutting down, starting up, out of connections, or no answer that is SQL at all. */
function translated(error: unknown): unknown {
  if (!isSqlError(error)) return new DatabaseUnavailable(error)
  return /^(?:08|57P|53)/.test(error.code) ? new DatabaseUnavailable(error) : error
}
