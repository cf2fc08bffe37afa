// The embedded database, in a thread of its own: on the main thread it would stop the event loop for
// as long as a statement runs. JavaScript, so that a thread can start it without a loader.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/**
 * @typedef {object} Command
 * @property {number} id
 * @property {string} sql
 * @property {unknown[]} parameters
 * @property {Blob} [blob] what `/dev/blob` reads
 * @property {'dump'} [action]
 */

const INT8 = 20

/**
 * PGlite zeroes all of its buffers at start: 128 MB of them, the default, take most of a second and
 * are memory that a market of this size never fills.
 */
const SHARED_BUFFERS = '32MB'

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const database = await PGlite.create({
  dataDir: workerData.dataDir,
  extensions: { pg_trgm },
  parsers: { [INT8]: Number },
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  ...(workerData.dump && { loadDataDir: readAtOnce(workerData.dump) }),
})

/** A Blob of these bytes. Node.js 20 takes a second to read one of 50 MB, a piece at a time. @param {Uint8Array} bytes */
function readAtOnce(bytes) {
  return Object.assign(new Blob(), { arrayBuffer: async () => bytes.buffer })
}

port.on('message', async (/** @type {Command} */ command) => {
  try {
    port.postMessage({ id: command.id, result: await run(command) })
  } catch (error) {
    port.postMessage({ id: command.id, error: portable(error) })
  }
})

/** @param {Command} command */
async function run({ action, sql, parameters, blob }) {
  if (action === 'dump')
    return new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer())
  if (parameters.length === 0 && !blob) return shape((await database.exec(sql)).at(-1))
  return shape(await database.query(sql, parameters, blob && { blob }))
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
  const { message, code, constraint, detail } = /** @type {Record<string, unknown>} */ (error)
  return { message, code, constraint, detail }
}
