import type { Proxy } from '../../test/support/proxy.ts'
import type { Receiver } from '../../test/support/receiver.ts'
import type { Random } from '../proof.ts'

/** Where the service is caught, always from outside: nothing in it knows that it is being watched. */
interface Scene {
  random: Random
  /** Between the clients and the service. */
  http: Proxy
  /** Between the service and PostgreSQL. */
  database: Proxy | undefined
  receiver: Receiver
  kill(): void
}

/** A moment to die at. Arms whatever sees it come. */
export interface Moment {
  name: string
  /** Of PostgreSQL's protocol, which the embedded database does not speak. */
  onPostgres?: true
  arm(scene: Scene): void
}

const CREATED = Buffer.from('HTTP/1.1 201')
/** CommandComplete of a commit (PostgreSQL, Frontend/Backend Protocol, message formats). */
const COMMITTED = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1')
/** The simple query `commit`. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1')

export const MOMENTS: readonly [Moment, ...Moment[]] = [
  {
    name: 'at a random time',
    arm: ({ random, kill }) => void setTimeout(kill, 300 + random.below(1_700)),
  },
  {
    name: 'after the commit, before the reply',
    arm({ random, http, kill }) {
      let left = 5 + random.below(150)
      http.watch({
        server(chunk) {
          if (!chunk.subarray(0, 12).equals(CREATED) || --left > 0) return true
          kill()
          return false
        },
      })
    },
  },
  {
    name: "after a webhook's 200, before it is marked",
    arm({ random, receiver, kill }) {
      let left = 3 + random.below(60)
      receiver.answer((response) => {
        response.writeHead(200).end()
        if (--left === 0) response.once('finish', kill)
      })
    },
  },
  {
    name: 'in mid-settlement',
    arm({ random, http, kill }) {
      http.watch({
        client(chunk) {
          if (chunk.includes('/sandbox/settlement-runs')) setTimeout(kill, random.below(12))
          return true
        },
      })
    },
  },
  {
    name: 'at the commit, which never arrives',
    onPostgres: true,
    arm({ random, database, kill }) {
      let left = 5 + random.below(150)
      database?.watch({
        client(chunk) {
          if (!chunk.includes(COMMIT) || --left > 0) return true
          kill()
          return false
        },
      })
    },
  },
  {
    name: 'after the commit, before the service knows',
    onPostgres: true,
    arm({ random, database, kill }) {
      let left = 5 + random.below(150)
      database?.watch({
        server(chunk) {
          if (!chunk.includes(COMMITTED) || --left > 0) return true
          kill()
          return false
        },
      })
    },
  },
  {
    name: 'with the settled orders written, before the statement is closed',
    onPostgres: true,
    arm({ database, kill }) {
      database?.watch({
        client(chunk) {
          // Its text goes over once a connection, when it is prepared.
          if (chunk.includes('timeline ||')) setImmediate(kill)
          return true
        },
      })
    },
  },
  {
    name: "with a webhook's 200 in hand, before the attempt is written",
    onPostgres: true,
    arm({ database, kill }) {
      database?.watch({
        client(chunk) {
          if (!chunk.includes('insert into "webhook_attempts"')) return true
          kill()
          return false
        },
      })
    },
  },
]
