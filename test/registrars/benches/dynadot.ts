import { createHmac } from 'node:crypto'
import { type Bench, openConnection } from './bench.ts'
import { addYears, HttpRegistrarServer, httpDomains, type Received } from './http-server.ts'

const KEY = 'dynadot-test-key'
const SECRET = 'dynadot-test-secret'
const TTL = '28800'

interface SubRecord {
  sub_host: string
  record_type: string
  record_value1: string
  record_value2?: string
}
const READS = ['domain_info', 'list_domain']

/** A server that speaks the API of Dynadot as its documentation has it. */
export async function dynadotBench(): Promise<Bench & { config: object }> {
  const names = ['one.com', 'two.com', 'three.com']
  const domains = httpDomains(names)
  const isRest = (url: URL) => url.pathname.startsWith('/restful/')
  const isChange = ({ method, url }: Received) =>
    isRest(url) ? method !== 'GET' : !READS.includes(url.searchParams.get('command') ?? '')
  const zones = new Map<string, SubRecord[]>(
    names.map((name) => [
      name,
      [
        { sub_host: 'www', record_type: 'cname', record_value1: 'parked.example' },
        { sub_host: 'mail', record_type: 'mx', record_value1: 'mx.example', record_value2: '10' },
        { sub_host: 'old', record_type: 'forward', record_value1: 'https://x.example/' },
      ],
    ]),
  )
  const elsewhere = new Set<string>()
  const reply = (name: string, content: object) => ({ status: 200, body: { [name]: content } })
  const failure = (name: string, Error: string) =>
    reply(name, { ResponseCode: '-1', Status: 'error', Error })

  const server = new HttpRegistrarServer(isChange, (received) => {
    const { url } = received
    const query = Object.fromEntries(url.searchParams)
    if (isRest(url)) return rest(received)
    if (url.pathname !== '/api3.json') return { status: 404, body: null }
    if (query.key !== KEY) return failure('Response', 'invalid key')
    if (query.command === 'list_domain') {
      const content = { ResponseCode: 0, Status: 'success', MainDomains: [] }
      return reply('ListDomainInfoResponse', content)
    }
    const domain = domains.get(query.domain ?? '')
    if (!domain) return failure('DomainInfoResponse', 'could not find domain in your account')
    const done = (name: string, more: object = {}) => {
      server.performed.push(`${query.command} ${query.domain}`)
      return reply(name, { ResponseCode: '0', Status: 'success', ...more })
    }
    switch (query.command) {
      case 'domain_info':
        return reply('DomainInfoResponse', {
          ResponseCode: 0,
          Status: 'success',
          DomainInfo: {
            Name: query.domain,
            Expiration: String(domain.expiresAt.getTime()),
            NameServerSettings: {
              Type: elsewhere.has(query.domain ?? '') ? 'Name Servers' : 'Dynadot DNS',
              NameServers: [
                ...domain.nameservers.map((ServerName) => ({ ServerId: '1', ServerName })),
                { ServerId: '0', ServerName: '' },
              ],
            },
            Locked: domain.locked ? 'yes' : 'no',
            Privacy: domain.privacy ? 'full' : 'none',
            Status: 'active',
          },
        })
      case 'renew':
        if (query.year !== String(domain.expiresAt.getUTCFullYear())) {
          return failure('RenewResponse', 'the year is not the one that the domain expires in')
        }
        addYears(domain, Number(query.duration))
        return done('RenewResponse', { Expiration: String(domain.expiresAt.getTime()) })
      case 'lock_domain':
        domain.locked = true
        return done('LockDomainResponse')
      case 'set_ns':
        elsewhere.add(query.domain ?? '')
        domain.nameservers = Object.entries(query).flatMap(([key, value]) =>
          /^ns\d+$/.test(key) && value ? [value] : [],
        )
        return done('SetNsResponse')
      case 'set_privacy':
        domain.privacy = query.option !== 'off'
        return done('SetPrivacyResponse')
      case 'get_transfer_auth_code':
        if (query.new_code === '1') domain.authCode = `code-${server.performed.length}`
        if (query.unlock_domain_for_transfer === '1') domain.locked = false
        return done('GetTransferAuthCodeResponse', { AuthCode: domain.authCode })
      default:
        return failure('Response', `invalid command ${query.command}`)
    }
  })
  /** The REST API: the signature is of the key, the path, the request's id and the body as it was sent. */
  function rest({ method, url, headers, text, body }: Received) {
    const fail = (code: number, description: string) => ({
      status: code,
      body: { code, message: 'Failed', error: { description } },
    })
    const signed = [KEY, `${url.pathname}${url.search}`, headers['x-request-id'] ?? '', text]
    const signature = createHmac('sha256', SECRET).update(signed.join('\n')).digest('base64')
    if (headers.authorization !== `Bearer ${KEY}`) return fail(401, 'Unknown key.')
    if (headers['x-signature'] !== signature) return fail(401, 'The signature is invalid.')
    const [, , , , name = '', resource] = url.pathname.split('/')
    const zone = zones.get(name)
    if (!zone || resource !== 'records') return fail(404, 'No such domain.')
    const done = (data: object) => ({ status: 200, body: { code: 200, message: 'Success', data } })
    if (method === 'GET') {
      if (elsewhere.has(name)) return done({ glue_info: { glue_type: 'name_servers' } })
      const main = [{ record_type: 'a', record_value1: '192.0.2.1' }]
      const glue_info = { glue_type: 'DNS', ttl: TTL, dns_main_list: main, dns_sub_list: zone }
      return done({ glue_info })
    }
    server.performed.push(`${method} ${name}`)
    const records: SubRecord[] = body.dns_sub_list ?? []
    if (method === 'POST') {
      if (String(body.ttl) !== TTL) return fail(400, 'The TTL of the zone would change.')
      zones.set(name, body.add_dns_to_current_setting === true ? [...zone, ...records] : records)
      return done({})
    }
    const isSame = (one: SubRecord) => (other: SubRecord) =>
      other.sub_host === one.sub_host &&
      other.record_type === one.record_type &&
      other.record_value1 === one.record_value1
    const kept = zone.filter((each) => !records.some(isSame(each)))
    zones.set(name, kept)
    return done({ sub_record_removed_count: zone.length - kept.length })
  }

  await server.start()
  const config = {
    tlds: ['com'],
    api_key: KEY,
    api_secret: SECRET,
    base_url: server.baseUrl,
    command_timeout_ms: 1_000,
    requests_per_minute: 60_000,
  }
  const others: { close(): Promise<void> }[] = []
  const other = (change: object) => {
    const opened = openConnection('dynadot', { ...config, ...change })
    others.push(opened)
    return opened
  }
  const connection = other({})
  return {
    config,
    connection,
    domains: names,
    foreign: 'foreign.com',
    performedOn: (domain) => server.performed.filter((each) => each.endsWith(` ${domain}`)).length,
    lose(point) {
      server.faults.push({ does: point })
    },
    reject(message) {
      server.faults.push({ does: 'reply', reply: failure('LockDomainResponse', message) })
    },
    async reachable(is) {
      if (is) await server.start()
      else await server.stop()
    },
    say: null,
    fee: null,
    makePremium: null,
    zone: {
      all: (domain) => (zones.get(domain) ?? []).map((record) => JSON.stringify(record)),
      texts: (domain) =>
        (zones.get(domain) ?? [])
          .filter(({ sub_host, record_type }) => sub_host === '_for-sale' && record_type === 'txt')
          .map(({ record_value1 }) => record_value1),
      write(domain, text) {
        const record = { sub_host: '_for-sale', record_type: 'txt', record_value1: text }
        zones.get(domain)?.push(record)
      },
      delegate(domain, isToRegistrar) {
        if (isToRegistrar) elsewhere.delete(domain)
        else elsewhere.add(domain)
      },
    },
    failing: {
      connect: () => other({ base_url: 'http://127.0.0.1:1' }),
      login: () => other({ api_key: 'another-key' }),
    },
    async stop() {
      await Promise.all(others.map((each) => each.close()))
      await server.stop()
    },
  }
}
