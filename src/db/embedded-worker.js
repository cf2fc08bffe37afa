// The embedded database, in a thread of its own: on the main thread it would stop the event loop for
// as long as a statement runs. JavaScript, so that a thread can start it without a loader.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, parse, protocol } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { asError } from './file-error.js'

/**
 * @typedef {object} Command
 * @property {number} id
 * @property {string} sql
 * @property {unknown[]} parameters
 * @property {Blob} [blob] what `/dev/blob` reads
 * @property {'dump'} [action]
 */

/**
 * @typedef {object} Prepared
 * @property {string} name
 * @property {number[]} types of the parameters
 * @property {import('@electric-sql/pglite').messages.BackendMessage[]} head what describes its rows
 */

const INT8 = 20
const TEXT = 25
/** As many as on a connection to a server. */
const MAX_PREPARED = 1_000

/**
 * PGlite zeroes all of its buffers at start: 128 MB of them, the default, take most of a second and
 * are memory that a market of this size never fills.
 */
const SHARED_BUFFERS = '32MB'

const { serialize } = protocol
/** @type {Map<string, Prepared>} */
export const statements = new Map()
let prepared = 0

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
export const database = await PGlite.create({
  dataDir: workerData.dataDir,
  extensions: { pg_trgm },
  parsers: { [INT8]: Number },
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  ...(workerData.dump && { loadDataDir: readAtOnce(workerData.dump) }),
}).catch((error) => {
  throw asError(error)
})

/** A Blob of these bytes. Node.js 20 takes a second to read one of 50 MB, a piece at a time. @param {Uint8Array} bytes */
function readAtOnce(bytes) {
  return Object.assign(new Blob(), { arrayBuffer: async () => bytes.buffer })
}

/** One at a time, in the order they came. */
let last = Promise.resolve()
port.on('message', (/** @type {Command} */ command) => {
  last = last.then(() => respond(command))
})

/** @param {Command} command */
async function respond(command) {
  try {
    port.postMessage({ id: command.id, result: await run(command) })
  } catch (error) {
    port.postMessage({ id: command.id, error: portable(error) })
  }
}

/** @param {Command} command */
async function run({ action, sql, parameters, blob }) {
  if (action === 'dump')
    return new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer())
  if (blob) return shape(await database.query(sql, parameters, { blob }))
  if (parameters.length === 0) return shape((await database.exec(sql)).at(-1))
  return shape(await execute(sql, parameters))
}

/**
 * Statements stay prepared, as on a PostgreSQL server: to parse and plan one takes longer than to execute it.
 *
 * @param {string} sql
 * @param {unknown[]} parameters
 */
async function execute(sql, parameters) {
  const { name, types, head } = statements.get(sql) ?? (await prepare(sql))
  const values = parameters.map((value, index) => {
    if (value === null || value === undefined) return null
    const write = database.serializers[types[index] ?? TEXT]
    return write ? write(value) : /** @type {{ toString(): string }} */ (value).toString()
  })
  try {
    const messages = await exchange(
      serialize.bind({ statement: name, values }),
      serialize.execute({}),
      serialize.sync(),
    )
    return parse.parseResults([...head, ...messages], database.parsers)[0]
  } catch (error) {
    if (isStalePlan(error)) await forget(sql, name)
    throw error
  }
}

/** @param {string} sql @returns {Promise<Prepared>} */
export async function prepare(sql) {
  const isKept = statements.size < MAX_PREPARED
  const name = isKept ? `s${(prepared += 1)}` : ''
  const head = await exchange(
    serialize.parse({ name, text: sql }),
    serialize.describe({ type: 'S', name }),
    serialize.sync(),
  )
  const statement = {
    name,
    types: parse.parseDescribeStatementResults(head),
    head: head.filter((message) => message.name === 'rowDescription'),
  }
  if (isKept) statements.set(sql, statement)
  return statement
}

/** @param {string} sql @param {string} name */
async function forget(sql, name) {
  statements.delete(sql)
  await exchange(serialize.close({ type: 'S', name }), serialize.sync())
}

/** Sends messages of the protocol at once: each call into WebAssembly costs. @param {Uint8Array[]} messages */
export async function exchange(...messages) {
  return await database.execProtocolStream(Buffer.concat(messages))
}

/** @param {{ rows: object[], affectedRows?: number, command?: string } | undefined} result */
function shape(result) {
  return {
    rows: result?.rows ?? [],
    affectedRows: result?.affectedRows ?? 0,
    command: result?.command ?? '',
  }
}

/** An error's own fields do not survive the way between threads. @param {unknown} error */
function portable(error) {
  const { message, code, constraint, detail, routine } = /** @type {Record<string, unknown>} */ (
    error
  )
  return { message, code, constraint, detail, routine }
}

/** The table has other columns than when the statement was prepared. @param {unknown} error */
function isStalePlan(error) {
  return /** @type {Record<string, unknown>} */ (error).routine === 'RevalidateCachedQuery'
}
