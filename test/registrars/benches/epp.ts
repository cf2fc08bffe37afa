import { expect } from 'vitest'
import { transferData } from '../../../packages/epp-client/test/support/markup.ts'
import { EppTestServer } from '../../../packages/epp-client/test/support/server.ts'
import { type Bench, openConnection } from './bench.ts'

export async function eppBench(): Promise<Bench> {
  const server = await new EppTestServer().start()
  const domains = ['one.com', 'two.com', 'three.com']
  for (const domain of domains) server.add(domain)
  server.add('foreign.com', { sponsor: 'registrar-2' })
  const config = {
    ...server.access,
    tlds: ['com'],
    login_timeout_ms: 3_000,
    command_timeout_ms: 1_000,
  }
  const connection = openConnection('epp', config)
  const others = [] as { close(): Promise<void> }[]
  const other = (change: object) => {
    const opened = openConnection('epp', { ...config, ...change })
    others.push(opened)
    return opened
  }
  const onChange = ['renew', 'update']
  let messages = 0
  return {
    connection,
    domains,
    foreign: 'foreign.com',
    performedOn: (domain) => server.performed.filter((each) => each.endsWith(` ${domain}`)).length,
    lose(point) {
      server.faults.push({ on: onChange, does: `drop_${point}` })
    },
    reject(reason) {
      server.faults.push({ on: onChange, does: { code: 2304, reason } })
    },
    async reachable(is) {
      if (is) await server.start()
      else await server.stop()
    },
    say(text, domain) {
      const data = transferData(domain, 'pending', 'registrar-2')
      server.messages.push({ id: String(++messages), text, data })
    },
    fee: { cents: 1000, currency: 'USD' },
    makePremium(domain) {
      const known = server.domains.get(domain)
      if (known) known.feeClass = 'premium'
    },
    zone: null,
    failing: {
      connect: () => other({ port: 1 }),
      tls: () => other({ tls: {} }),
      greeting() {
        server.faults.push({ on: 'greeting', does: 'garbage_after' })
        return other({})
      },
      login: () => other({ password: 'not-this-one' }),
    },
    async stop() {
      await Promise.all([connection, ...others].map((each) => each.close()))
      await server.stop()
      expect(await server.problems()).toEqual([])
    },
  }
}
