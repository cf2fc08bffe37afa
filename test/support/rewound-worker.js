// The embedded database as the service runs it, which returns to where it began when it is told so.
import { workerData } from 'node:worker_threads'
import { protocol } from '@electric-sql/pglite'
import { database, exchange, prepare, statements } from '../../src/db/embedded-worker.js'
import { remember } from './rewind.js'

/**
 * Most statements run a few times on a database that a test has for itself, and a plan for each time takes longer than
 * to execute it. The tests on a PostgreSQL server have the plans that it chooses.
 */
await database.exec('set plan_cache_mode = force_generic_plan')
/** What PostgreSQL loads when it is first used must have been loaded: that is outside of its memory. */
await database.exec(`select similarity('a', 'b'); do $$ begin end $$`)

let rewind = remember(database.Module)
/** Those that are prepared where it began. */
let kept = new Map(statements)
/** How many databases used a statement that is not. @type {Map<string, number>} */
const uses = new Map()

/** @type {{ orders: import('node:worker_threads').MessagePort }} */
const { orders } = workerData
orders.on('message', async () => {
  const used = [...statements.keys()]
  backToBegin()
  await keepCommon(used)
  orders.postMessage('done')
})

function backToBegin() {
  rewind()
  statements.clear()
  for (const [sql, statement] of kept) statements.set(sql, statement)
}

/**
 * What a second database uses the next ones will: from now on it is prepared and planned where they begin.
 *
 * @param {string[]} used
 */
async function keepCommon(used) {
  for (const sql of used) uses.set(sql, (uses.get(sql) ?? 0) + 1)
  const common = used.filter((sql) => !kept.has(sql) && (uses.get(sql) ?? 0) === 2)
  if (common.length < 20) {
    // They wait for others.
    for (const sql of common) uses.set(sql, 1)
    return
  }
  for (const sql of common) await plan(sql).catch(() => statements.delete(sql))
  kept = new Map(statements)
  rewind = remember(database.Module)
}

/** @param {string} sql */
async function plan(sql) {
  const { name, types } = await prepare(sql)
  const values = types.map(() => null)
  await exchange(protocol.serialize.bind({ statement: name, values }), protocol.serialize.sync())
}
