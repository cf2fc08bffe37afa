// The embedded database as the service runs it, which returns to where it began when it is told so.
import { workerData } from 'node:worker_threads'
import { database, statements } from '../../src/db/embedded-worker.js'
import { remember } from './rewind.js'

/** What PostgreSQL loads when it is first used must have been loaded: that is outside of its memory. */
await database.exec(`select similarity('a', 'b'); do $$ begin end $$`)
const rewind = remember(database.Module)

/** @type {{ orders: import('node:worker_threads').MessagePort }} */
const { orders } = workerData
orders.on('message', () => {
  statements.clear()
  rewind()
  orders.postMessage('done')
})
