import { type Bench, openConnection } from './bench.ts'
import { addYears, HttpRegistrarServer, httpDomains, type Received } from './http-server.ts'

const KEY = 'rtr-test-key'
const CUSTOMER = 'acme'
const LOCK = 'CLIENT_TRANSFER_PROHIBITED'
const FEE = 1000
const CURRENCY = 'USD'
const BILLABLES = [{ product: 'domain_com', action: 'RENEW', quantity: 1 }]

interface ZoneRecord {
  name: string
  type: string
  content: string
  ttl: number
  prio?: number
}
const HOME = 'ns1.registrar.example'

/** A zone as the API shows it; a test changes what is unusual about it. */
interface RtrZone {
  id: number
  name: string
  ttl: number
  template?: string
  link?: boolean
  master?: string
  defaultRecords: ZoneRecord[]
  records?: ZoneRecord[]
}

/** A renewal that was begun before, and how it ends once somebody asks for it. */
interface Renewal {
  id: number
  identifier: string
  type: 'domain'
  action: 'renew'
  status: string
  ends: 'COMPLETED' | 'FAILED'
}

export interface RtrBench extends Bench {
  renewals: Renewal[]
  /** How an operator connects it. */
  config: object
  zones: Map<string, RtrZone>
}

/** A server that speaks the API of Realtime Register as its documentation has it. */
export async function realtimeRegisterBench(): Promise<RtrBench> {
  const names = ['one.com', 'two.com', 'three.com']
  const domains = httpDomains(names)
  const premium = new Set<string>()
  const statuses = new Map(names.map((name) => [name, ['OK', 'CLIENT_DELETE_PROHIBITED']]))
  const zones = new Map<string, RtrZone>(
    names.map((name, index) => [
      name,
      {
        id: 42 + index,
        name,
        ttl: 300,
        defaultRecords: [
          { name, type: 'SOA', content: `${HOME} hostmaster@example.com 1`, ttl: 300 },
          { name, type: 'NS', content: HOME, ttl: 300 },
        ],
        records: [
          { name, type: 'A', content: '192.0.2.1', ttl: 60 },
          { name, type: 'TXT', content: '"v=spf1 -all"', ttl: 300 },
          { name, type: 'MX', content: 'mx.example', ttl: 300, prio: 10 },
        ],
      },
    ]),
  )
  const notifications: { id: number; message: string; domain: string }[] = []
  const processes = new Map<string, number>()
  const renewals: Renewal[] = []
  const mustFind = (name: string) => {
    const found = domains.get(name)
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }
  const isChange = ({ method, url }: Received) =>
    method === 'POST' && !url.searchParams.has('quote') && !url.pathname.endsWith('/ack')
  const error = (status: number, type: string, message: string, more: object = {}) => ({
    status,
    body: { type, message, ...more },
  })

  const server = new HttpRegistrarServer(isChange, ({ method, url, headers, body }) => {
    if (headers.authorization !== `ApiKey ${KEY}`) {
      return error(401, 'AuthenticationFailed', 'The API key is not valid.')
    }
    const [, version, kind, name = '', op = ''] = url.pathname.split('/')
    if (version !== 'v2') return error(404, 'ObjectDoesNotExist', 'No such path.')
    if (kind === 'processes' && name === '') {
      const entities = renewals.filter(({ identifier }) => {
        return identifier === url.searchParams.get('identifier')
      })
      return { status: 200, body: { entities, pagination: { total: entities.length } } }
    }
    const renewal = renewals.find(({ id }) => String(id) === name)
    if (kind === 'processes' && renewal) {
      renewal.status = renewal.ends
      if (renewal.ends === 'COMPLETED') addYears(mustFind(renewal.identifier), 1)
      return { status: 200, body: renewal }
    }
    if (kind === 'processes') {
      const asked = (processes.get(name) ?? 0) + 1
      processes.set(name, asked)
      return { status: 200, body: { id: 1, status: asked > 1 ? 'COMPLETED' : 'RUNNING' } }
    }
    if (kind === 'customers') return customers(url.pathname)
    if (kind === 'dns') return dns(method, url.pathname, body)
    if (name === '') return { status: 200, body: { entities: [], pagination: { total: 0 } } }
    const domain = domains.get(name)
    if (!domain) return error(404, 'ObjectDoesNotExist', `${name} does not exist.`)
    if (method === 'GET') {
      return op === 'check'
        ? {
            status: 200,
            body: {
              available: false,
              reason: 'In use',
              premium: premium.has(name),
              renewPrice: FEE,
              currency: CURRENCY,
            },
          }
        : {
            status: 200,
            body: {
              domainName: name,
              customer: CUSTOMER,
              expiryDate: domain.expiresAt.toISOString().replace('.000', ''),
              privacyProtect: domain.privacy,
              status: [...(statuses.get(name) ?? []), ...(domain.locked ? [LOCK] : [])],
              ns: domain.nameservers,
              zone: { id: zones.get(name)?.id, service: 'BASIC', dnssec: false },
              authcode: domain.authCode,
            },
          }
    }
    if (url.searchParams.has('quote')) {
      return {
        status: 200,
        body: { quote: { total: FEE, currency: CURRENCY, billables: BILLABLES } },
      }
    }
    if (op === 'renew') {
      if (!body.billables) {
        return error(400, 'BillableAcknowledgmentNeededException', 'This costs.', {
          billables: BILLABLES,
        })
      }
      addYears(domain, body.period / 12)
    }
    if (op === 'update') {
      if (body.status) domain.locked = body.status.includes(LOCK)
      if (body.ns) domain.nameservers = body.ns
      if (body.privacyProtect !== undefined) domain.privacy = body.privacyProtect
      if (body.authcode) domain.authCode = body.authcode
    }
    if (op === 'transfer') domains.delete(name)
    server.performed.push(`${op} ${name}`)
    return { status: 202, body: { processId: 1000 + server.performed.length } }
  })

  /** An update replaces all records. */
  function dns(method: string, path: string, body: { records?: ZoneRecord[] }) {
    const zone = [...zones.values()].find(({ id }) => String(id) === path.split('/')[4])
    if (!zone) return error(404, 'ObjectDoesNotExist', 'No such zone.')
    if (method === 'POST' && path.endsWith('/update') && body.records) {
      if (body.records.some(({ type, content }) => type === 'TXT' && !content.startsWith('"'))) {
        return error(400, 'DnsConfigurationException', 'A text stands in quotes.')
      }
      zone.records = body.records
      server.performed.push(`zone ${zone.name}`)
    }
    return { status: 200, body: { ...zone, service: 'BASIC', managed: true } }
  }

  function customers(path: string) {
    const [first] = notifications
    if (path.endsWith('/notifications/poll')) {
      const notification = first && {
        id: first.id,
        message: first.message,
        notificationType: 'TRANSFER',
        eventType: 'TransferRequested',
        fireDate: '2026-01-05T09:30:00Z',
        payload: { domainName: first.domain },
      }
      return { status: 200, body: { count: notifications.length, notification } }
    }
    const id = Number(path.split('/').at(-2))
    if (first?.id !== id) return error(404, 'ObjectDoesNotExist', 'No such notification.')
    notifications.shift()
    return { status: 200, body: {} }
  }

  await server.start()
  const config = {
    tlds: ['com'],
    api_key: KEY,
    customer: CUSTOMER,
    base_url: `${server.baseUrl}/v2`,
    command_timeout_ms: 1_000,
    requests_per_minute: 60_000,
  }
  const others: { close(): Promise<void> }[] = []
  const other = (change: object) => {
    const opened = openConnection('realtime-register', { ...config, ...change })
    others.push(opened)
    return opened
  }
  const connection = other({})
  return {
    config,
    zones,
    renewals,
    connection,
    domains: names,
    foreign: 'foreign.com',
    performedOn: (domain) => server.performed.filter((each) => each.endsWith(` ${domain}`)).length,
    lose(point) {
      // A renewal that nobody has agreed to pay for yet takes no effect.
      const refusal = error(400, 'BillableAcknowledgmentNeededException', 'This costs.', {
        billables: BILLABLES,
      })
      if (point === 'after') server.faults.push({ does: 'reply', reply: refusal })
      server.faults.push({ does: point })
    },
    reject(message) {
      const reply = error(400, 'InvalidParameter', message)
      server.faults.push({ does: 'reply', reply })
    },
    async reachable(is) {
      if (is) await server.start()
      else await server.stop()
    },
    say(message, domain) {
      notifications.push({ id: notifications.length + 1, message, domain })
    },
    fee: { cents: FEE, currency: CURRENCY },
    makePremium: (domain) => void premium.add(domain),
    zone: {
      all: (domain) => (zones.get(domain)?.records ?? []).map((record) => JSON.stringify(record)),
      texts: (domain) =>
        (zones.get(domain)?.records ?? [])
          .filter(({ name, type }) => type === 'TXT' && name === `_for-sale.${domain}`)
          .map(({ content }) => content.replaceAll('"', '')),
      write(domain, text) {
        const name = `_for-sale.${domain}`
        zones.get(domain)?.records?.push({ name, type: 'TXT', content: `"${text}"`, ttl: 60 })
      },
      delegate(domain, isToRegistrar) {
        const known = domains.get(domain)
        if (known) known.nameservers = [isToRegistrar ? HOME : 'ns1.elsewhere.example']
      },
    },
    failing: {
      connect: () => other({ base_url: 'http://127.0.0.1:1/v2' }),
      login: () => other({ api_key: 'another-key' }),
    },
    async stop() {
      await Promise.all(others.map((each) => each.close()))
      await server.stop()
    },
  }
}
