import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import dns from 'node:dns'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { isPublicAddress } from 'domain-marketplace-safe-fetch'
import { startNameServer } from '../../packages/safe-fetch/test/name-server.ts'
import { PRIVATE_HOSTS } from '../../packages/safe-fetch/test/private-hosts.ts'
import { createSiteProbe } from '../../src/domain/brokerage/site-probe.ts'
import { createLiveRegistry } from '../../src/domain/registry/live-registry.ts'
import { refreshRdapBootstrap } from '../../src/domain/registry/rdap-bootstrap.ts'
import { startService } from '../../test/support/service.ts'
import { hold, type Proof } from '../proof.ts'

/** In 2000::/3 and so public as far as anyone can tell, and nobody's. */
const UNASSIGNED = [0x20, 0, ...Array<number>(13).fill(0), 1]
const LOOPBACK = [127, 0, 0, 1]
interface Records {
  A?: number[]
  AAAA?: number[]
}

/** What names of the attacker's own resolve to; `rebind` changes its mind at the second question. */
const NAMES: Record<string, (asked: number) => Records> = {
  'loopback.attacker.com': () => ({ A: LOOPBACK }),
  'six.attacker.com': () => ({ AAAA: [...Array<number>(15).fill(0), 1] }),
  'mapped.attacker.com': () => ({ AAAA: [...Array<number>(10).fill(0), 255, 255, ...LOOPBACK] }),
  'metadata.attacker.com': () => ({ A: [169, 254, 169, 254] }),
  'inside.attacker.com': () => ({ A: [10, 0, 0, 1] }),
  'zero.attacker.com': () => ({ A: [0, 0, 0, 0] }),
  'both.attacker.com': () => ({ A: LOOPBACK, AAAA: UNASSIGNED }),
  'rebind.attacker.com': (asked) => (asked < 1 ? { AAAA: UNASSIGNED } : { A: LOOPBACK }),
  'flips.attacker.com': (asked) => (asked % 2 === 0 ? { AAAA: UNASSIGNED } : { A: LOOPBACK }),
  'data.iana.org': () => ({ A: LOOPBACK }),
}

/** Every request of ours whose target others choose, aimed at what is not public. */
export const addresses: Proof = {
  name: 'address forms and DNS rebinding, against every outbound request',
  async run({ say }) {
    let canaryGot = 0
    const canary = createServer((socket) => {
      canaryGot += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => canary.listen(0, '::', resolve))
    const { port } = canary.address() as AddressInfo
    const asked = new Map<string, number>()
    const nameServer = await startNameServer((name, type) => {
      const host = name.replace(/^www\./, '').toLowerCase()
      const records =
        NAMES[host] ?? (host.endsWith('.attacker.com') ? () => ({ A: LOOPBACK }) : null)
      if (!records) return null
      // A and AAAA of one look-up are one question.
      const count = asked.get(`${name} ${type}`) ?? 0
      asked.set(`${name} ${type}`, count + 1)
      return (records(count) as Records)[type] ?? []
    })
    const nameServers = dns.getServers()
    dns.setServers([`127.0.0.1:${nameServer.port}`])

    const service = await startService({ settings: { baseUrl: 'https://market.example' } })
    const own = [
      new URL(service.baseUrl).port,
      new URL(process.env.TEST_DATABASE_URL ?? 'x://x:5432').port,
    ]
    const attempts: string[] = []
    const watch = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      socket.on('connectionAttempt', (ip: string, to: number) => {
        if (!own.includes(String(to)) && !isPublicAddress(ip)) attempts.push(`${ip}:${to}`)
      })
    }
    subscribe('net.client.socket', watch)

    const hosts = [...PRIVATE_HOSTS, 'localhost', 'a.localhost', ...Object.keys(NAMES)]
    const counts = new Map<string, number>()
    const tried = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
    try {
      const live = await service.partner({ environment: 'live' })
      for (const host of hosts) {
        for (const url of [`https://${host}:${port}/hook`, `http://${host}:${port}/hook`]) {
          tried('webhooks')
          const secret = 'sixteen-or-more-characters'
          const put = await live.put('/api/partner/webhooks', { url, secret })
          if (put.status === 200) {
            for (let times = 0; times < 3; times++) await live.post('/api/partner/webhooks/test')
          } else hold(put.status === 400, `registering ${url} was answered ${put.text}`)
          tried('OAuth client documents')
          const query = new URLSearchParams({
            response_type: 'code',
            client_id: `${url}.json`,
            redirect_uri: `${url}/callback`,
            code_challenge: 'x'.repeat(43),
          })
          const page = await service.send({ method: 'GET', target: `/oauth/authorize?${query}` })
          hold(page.status < 500, `a client at ${url} was answered ${page.status}`)
        }
      }

      const { db, clock, http, log } = service.app
      const names = Object.keys(NAMES).filter((name) => name.endsWith('.attacker.com'))
      service.app.sites = createSiteProbe({
        db,
        clock,
        http,
        resolve: async () => ({ state: 'addresses', nameservers: [] }),
        origins: (domain) => [`https://${domain}:${port}/`, `http://${domain}:${port}/`],
      })
      for (const name of names) {
        tried('site probes')
        const asking = await live.get(`/brokerage/eligibility?domain=${name}`)
        hold(asking.status === 200, `the probe of ${name} was answered ${asking.text}`)
      }

      for (const host of hosts) {
        tried('RDAP and WHOIS')
        const registry = createLiveRegistry({
          db,
          clock,
          http,
          log,
          queriesPerMinute: 100_000,
          upstream: {
            bootstrap: {
              publication: new Date('2099-01-01'),
              servers: new Map([['com', [`https://${host}:${port}/`, `http://${host}:${port}/`]]]),
            },
            whoisServers: new Map([
              ['com', { server: host.replace(/^\[|\]$/g, ''), query: '{domain}' }],
            ]),
            whoisPort: port,
            allowLoopback: false,
          },
          deadlines: { wholeMs: 2_000, eachMs: 500 },
        })
        service.app.registry = registry
        const domain = `asked-${counts.get('RDAP and WHOIS')}.com`
        const response = await service.send({
          method: 'POST',
          target: '/api/tools/whois',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ domain }),
        })
        hold(
          response.body.registered === null,
          `by way of ${host} somebody answered ${response.text}`,
        )
        await registry.close()
      }
      tried('the RDAP bootstrap')
      const refreshed = await refreshRdapBootstrap
        .run(
          { ...service.app, settings: { ...service.app.settings, registry: 'live' } },
          new AbortController().signal,
        )
        .then(
          () => 'taken',
          () => 'refused',
        )
      hold(refreshed === 'refused', 'a bootstrap from this machine was taken')
      // Deliveries that were accepted have their attempts in the background.
      await pause(3_000)
      const made = await service.app.db.selectFrom('webhook_attempts').select('error').execute()
      hold(made.length > 0, 'no delivery was tried, so the names proved nothing')
      hold(
        made.every(({ error }) => error !== null),
        'a delivery reached somebody',
      )
    } finally {
      unsubscribe('net.client.socket', watch)
      dns.setServers(nameServers)
      nameServer.close()
      await service.stop()
      canary.close()
    }
    hold(attempts.length === 0, `connections were tried to ${attempts.slice(0, 5).join(', ')}`)
    hold(canaryGot === 0, `the canary was reached ${canaryGot} times`)
    for (const [what, times] of counts) say(`${times} ${what}`)
    const total = [...counts.values()].reduce((sum, times) => sum + times, 0)
    return `${hosts.length} hosts, ${total} requests of ${counts.size} kinds, no connection to a canary nor tried to one`
  },
}
