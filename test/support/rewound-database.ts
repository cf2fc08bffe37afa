import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { databaseThread, type EmbeddedDatabase, openInThread } from '../../src/db/embedded.ts'
import { DatabaseUnavailable } from '../../src/db/server.ts'

const WORKER = new URL('./rewound-worker.js', import.meta.url)

/** A database that returns to its beginning. */
interface Rewound {
  server: EmbeddedDatabase
  rewind(): Promise<void>
}

/** Of this process, at their beginning. */
const idle: Rewound[] = []

/**
 * An embedded database in memory, as the template is. Once it is closed it returns to that and is the next one: whoever
 * has it still is told that it is away, as if its thread had ended.
 *
 * @param template reads what `dump` gave
 */
export async function openRewound(template: () => Promise<Uint8Array>): Promise<EmbeddedDatabase> {
  const rewound = idle.pop() ?? (await open(await template()))
  const { server } = rewound
  let isClosed = false
  const unlessClosed =
    <Values extends unknown[], Result>(work: (...values: Values) => Promise<Result>) =>
    async (...values: Values) => {
      if (isClosed) throw new DatabaseUnavailable(new Error('the database is closed'))
      return await work(...values)
    }
  return {
    kind: server.kind,
    query: unlessClosed(server.query),
    acquire: unlessClosed(server.acquire),
    acquirePatient: unlessClosed(server.acquirePatient),
    copy: unlessClosed(server.copy),
    dump: unlessClosed(server.dump),
    async close() {
      if (isClosed) return
      isClosed = true
      await rewound.rewind()
      idle.push(rewound)
    },
  }
}

async function open(dump: Uint8Array): Promise<Rewound> {
  const { port1: orders, port2 } = new MessageChannel()
  const worker = databaseThread(WORKER, {
    workerData: { dataDir: 'memory://', dump, orders: port2 },
    transferList: [port2],
  })
  const server = await openInThread(worker)
  return {
    server,
    async rewind() {
      const session = await server.acquire()
      orders.postMessage('rewind')
      await once(orders, 'message')
      session.release()
    },
  }
}
