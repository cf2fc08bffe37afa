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
  type Session,
  type StatementResult,
} from './server.ts'
import { statementNames } from './statement-names.ts'

/** Connections that statements outside transactions share, several under way on each. */
const SHARED_CONNECTIONS = 3
const CONNECT_TIMEOUT_MS = 4_000
/** Longer than the lock timeout, which is what a waiting statement should meet first. */
const QUERY_TIMEOUT_MS = 12_000
/** Whoever asks has a response, or a 503, within five seconds. */
const SHARED_QUERY_TIMEOUT_MS = 4_000
const REACHABLE_WITHIN_MS = 1_500
const RECONNECT_WITHIN_MS = 750
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
  // When one breaks in use its statements fail; without a listener the event would end the process as well.
  pool.on('connect', (client) => client.on('error', () => {}))
  const idle = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => idle.delete(client))
  const shared = sharedConnections(
    { ...config, pipeline: true, query_timeout: SHARED_QUERY_TIMEOUT_MS },
    dropAll,
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

  async function acquire(): Promise<ExclusiveSession> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new DatabaseUnavailable(error)
    })
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
    async close() {
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

/**
 * A few connections that many statements use at once; a broken one is replaced when next needed.
 *
 * @param onLost one of them does not respond
 */
function sharedConnections(config: pg.ClientConfig & { pipeline: true }, onLost: () => void) {
  interface Slot {
    client: Promise<pg.Client>
    underWay: number
    isRetired: boolean
  }
  /** The last statement had no response. Until one has, nobody waits for long behind it. */
  let isSuspect = false
  const slots: (Slot | undefined)[] = Array.from({ length: SHARED_CONNECTIONS }, () => undefined)

  function open(index: number): Slot {
    const client = new pg.Client(config)
    const connected = client.connect().then(() => client)
    const slot: Slot = { client: connected, underWay: 0, isRetired: false }
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

  /** Those in use end when what runs on them has. */
  function retire(slot: Slot): void {
    slot.isRetired = true
    if (slot.underWay > 0) return
    slot.client.then((client) => streamOf(client).destroy()).catch(() => {})
  }

  function renew(): void {
    isSuspect = true
    for (const [index, slot] of slots.entries()) {
      if (slot) retire(slot)
      slots[index] = undefined
    }
  }

  return {
    async use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
      const slot = leastBusy()
      slot.underWay += 1
      try {
        const late = isSuspect ? [rejectAfter(RECONNECT_WITHIN_MS)] : []
        const client = await Promise.race([slot.client, ...late]).catch((error: unknown) => {
          throw new DatabaseUnavailable(error)
        })
        const result = await work(client)
        isSuspect = false
        return result
      } catch (error) {
        if (error instanceof DatabaseUnavailable && !slot.isRetired) onLost()
        throw error
      } finally {
        slot.underWay -= 1
        if (slot.isRetired) retire(slot)
      }
    },
    renew,
    async close() {
      const open = slots.filter((slot) => slot !== undefined)
      // One that is still connecting may fail at it, which at the end is all the same.
      await Promise.allSettled(open.map(async (slot) => await (await slot.client).end()))
    },
  }
}

async function rejectAfter(afterMs: number): Promise<never> {
  await pause(afterMs)
  throw new Error('no connection yet')
}
