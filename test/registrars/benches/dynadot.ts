import { type Bench, openConnection } from './bench.ts'
import { addYears, HttpRegistrarServer, httpDomains, type Received } from './http-server.ts'

const KEY = 'dynadot-test-key'
const READS = ['domain_info', 'list_domain']

/** A server that speaks the API of Dynadot as its documentation has it. */
export async function dynadotBench(): Promise<Bench> {
  const names = ['one.com', 'two.com', 'three.com']
  const domains = httpDomains(names)
  const isChange = ({ url }: Received) => !READS.includes(url.searchParams.get('command') ?? '')
  const reply = (name: string, content: object) => ({ status: 200, body: { [name]: content } })
  const failure = (name: string, Error: string) =>
    reply(name, { ResponseCode: '-1', Status: 'error', Error })

  const server = new HttpRegistrarServer(isChange, ({ url }) => {
    const query = Object.fromEntries(url.searchParams)
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
              Type: 'Name Servers',
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
  await server.start()
  const config = {
    tlds: ['com'],
    api_key: KEY,
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
