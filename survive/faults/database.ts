import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { connectPostgres } from '../../src/db/postgres.ts'
import type { PartnerClient, Result } from '../../test/support/client.ts'
import { findHalfDone } from '../../test/support/half-done.ts'
import { clientFor, newFolder, printedCredential, start } from '../../test/support/process.ts'
import { startProxy, through } from '../../test/support/proxy.ts'
import { orderBody } from '../../test/support/sale.ts'
import { hold, type Proof } from '../proof.ts'
import { startCluster } from '../support/cluster.ts'
import { importNames } from '../support/market.ts'

const ADMIN_TOKEN = 'the-admin-token-of-this-trial'
const WORKERS = 8
const RESPONSE_TIMEOUT_MS = 5_000
const RECOVER_WITHIN_MS = 5_000
/** For the machine's own business between two timers. */
const GRACE_MS = 700

/** A server that goes away, and a network that swallows what is sent, again and again under load. */
export const awayDatabase: Proof = {
  name: 'PostgreSQL restarted and half-open, under load',
  async run({ random, size, say }) {
    const episodes = size({ quick: 4, ci: 10, release: 30 })
    const cluster = await startCluster()
    const proxy = await startProxy(() => ({ host: '127.0.0.1', port: cluster.port }))
    const service = await start({
      DATA_DIR: await newFolder(),
      DATABASE_URL: through(proxy, cluster.url),
      ADMIN_TOKEN,
      LOG_LEVEL: 'fatal',
      RATE_LIMIT_PARTNER: '10000000',
    })
    const credential = printedCredential(service.stdout())
    if (!credential) throw new Error('the first start printed no credential')
    const client = clientFor(service, credential)
    const domains: string[] = []
    const recorded = new Map<string, string>()
    let slowest = 0
    let unavailable = 0
    let answered = 0
    let lastSuccess = 0
    let stopping = false
    const problems: string[] = []

    const timed = async (send: () => Promise<Result>): Promise<Result> => {
      const startedAt = performance.now()
      const response = await send()
      const took = performance.now() - startedAt
      slowest = Math.max(slowest, took)
      answered += 1
      if (response.status === 503) unavailable += 1
      else if (response.status >= 500)
        problems.push(`answered ${response.status}: ${response.text}`)
      if (took > RESPONSE_TIMEOUT_MS + GRACE_MS)
        problems.push(
          `it took ${Math.round(took)} ms to answer ${response.status}, ${response.text}`,
        )
      return response
    }
    /** Until it is responded to by other than "unavailable", as a partner would. */
    const write = async (from: PartnerClient, path: string, body: object): Promise<Result> => {
      const key = randomUUID()
      for (;;) {
        const response = await timed(() => from.post(path, body, { key }))
        if (response.status !== 503) {
          if (response.status < 300) lastSuccess = Date.now()
          return response
        }
        await pause(50)
      }
    }
    const seller = async () => {
      while (!stopping) {
        const domain = domains.pop()
        if (!domain) return
        const quoted = await write(client, '/quotes', { domain })
        if (quoted.status !== 201) continue
        const ordered = await write(client, '/orders', orderBody(quoted.body))
        if (ordered.status === 201) recorded.set(ordered.body.public_id, domain)
        else problems.push(`a sale was answered ${ordered.text}`)
        await pause(20)
      }
    }
    const reader = async () => {
      while (!stopping) {
        await timed(() => client.get('/orders?limit=1'))
        await pause(50)
      }
    }

    try {
      domains.push(...(await importNames(service, ADMIN_TOKEN, 'away', 20_000)))
      const workers = [...Array.from({ length: WORKERS }, seller), reader(), reader()]
      let slowestRecovery = 0
      for (let episode = 0; episode < episodes; episode++) {
        await pause(500 + random.below(1_000))
        const isRestart = episode % 2 === 0
        if (isRestart) await cluster.restart()
        else {
          proxy.freeze()
          await pause(1_000 + random.below(6_000))
          proxy.open()
        }
        const backAt = Date.now()
        while (lastSuccess <= backAt && Date.now() - backAt < 30_000) await pause(10)
        const took = Date.now() - backAt
        slowestRecovery = Math.max(slowestRecovery, took)
        const what = isRestart ? 'a restart' : 'a half-open network'
        if (took > RECOVER_WITHIN_MS + GRACE_MS) problems.push(`after ${what} it took ${took} ms`)
      }
      stopping = true
      await Promise.all(workers)
      say(`slowest recovery ${slowestRecovery} ms`)
      hold(problems.length === 0, `${problems.length} problems: ${problems.slice(0, 5).join('; ')}`)
      const server = connectPostgres(cluster.url, 2)
      const { rows } = await server.query('select public_id, domain from orders', [])
      const found = new Set(rows.map(({ public_id }) => String(public_id)))
      for (const id of recorded.keys()) hold(found.has(id), `${id} was acknowledged, and is lost`)
      hold(found.size === recorded.size, `${found.size} orders for ${recorded.size} sales`)
      const halfDone = await findHalfDone(server)
      await server.close()
      hold(halfDone.length === 0, `in the end there is ${halfDone.join('; ')}`)
    } finally {
      stopping = true
      await service.kill()
      proxy.close()
      await cluster.stop()
    }
    return (
      `${episodes} episodes, ${answered} answers, ${unavailable} of them 503, the slowest after ` +
      `${Math.round(slowest)} ms, ${recorded.size} acknowledged orders, none lost`
    )
  },
}
