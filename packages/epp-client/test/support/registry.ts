import { DOMAIN, FEE, HOST } from '../../src/namespaces.ts'
import {
  childOf,
  childrenOf,
  element,
  type Markup,
  textIn,
  type XmlElement,
} from '../../src/xml.ts'
import { DATE, infoExtension, renewData } from './markup.ts'

/** A domain at the test registry. */
export interface TestDomain {
  sponsor: string
  expiresAt: Date
  statuses: Set<string>
  graceStatuses: string[]
  nameservers: string[]
  /** Null: unset, so that nobody can transfer the domain. */
  authInfo: string | null
  ds: { keyTag: number; algorithm: number; digestType: number; digest: string }[]
  /** What a year costs, as a decimal number. */
  fee: string
  feeClass: 'standard' | 'premium'
}

export interface TestMessage {
  id: string
  text: string
  data?: Markup
}

/** What a command comes to. */
export interface Outcome {
  code: number
  reason?: string
  data?: Markup | undefined
  extension?: Markup | null | undefined
  queue?: { id: string; text?: string } | undefined
}

interface Query {
  user: string
  /** The element in the command's, such as `domain:info`, and its extension. */
  object: XmlElement | null
  command: XmlElement
  extension: XmlElement | null
}

/** A registry with its rules, some of which only strict ones have. */
export class TestRegistry {
  readonly domains = new Map<string, TestDomain>()
  readonly hosts = new Set<string>(['ns1.registrar.example'])
  readonly messages: TestMessage[] = []
  readonly acknowledged: string[] = []
  /** Every change that took effect, as `renew one.com`. */
  readonly performed: string[] = []
  /** What is said of domains of other registrars: their data, or that nobody else may read them. */
  hidesForeign = true
  /** It shows codes, and leaves them as they are where they are to be unset, as some do. */
  keepsCodes = false
  /** In which time zone it writes when a domain expires, in hours from UTC. */
  zone = 0
  /** What is done with changes: at once, or later, as some registries do. */
  isPending = false
  /** The one that its fees are in. */
  currency = 'USD'
  /** Whether it says what its commands cost. */
  tellsFees = true

  add(name: string, domain: Partial<TestDomain> = {}): TestDomain {
    const added: TestDomain = {
      sponsor: 'registrar-1',
      expiresAt: new Date('2027-06-01T12:00:00.0Z'),
      statuses: new Set(),
      graceStatuses: [],
      nameservers: ['ns1.registrar.example'],
      authInfo: null,
      ds: [],
      fee: '10.00',
      feeClass: 'standard',
      ...domain,
    }
    this.domains.set(name, added)
    return added
  }

  handle(query: Query): Outcome {
    const { command, object } = query
    if (command.name === 'poll') return this.#poll(command)
    const isHost = object?.namespace === HOST
    switch (`${isHost ? 'host' : 'domain'}:${command.name}`) {
      case 'host:check':
        return this.#checkHosts(query)
      case 'host:create':
        return this.#createHost(query)
      case 'domain:check':
        return this.#check(query)
      case 'domain:info':
        return this.#info(query)
      case 'domain:renew':
        return this.#renew(query)
      case 'domain:update':
        return this.#update(query)
      default:
        return { code: 2101 }
    }
  }

  #written(date: Date): string {
    const local = new Date(date.getTime() + this.zone * 3_600_000).toISOString()
    return this.zone === 0 ? local : local.replace('Z', `+0${this.zone}:00`)
  }

  #poll({ attributes }: XmlElement): Outcome {
    const [next] = this.messages
    if (attributes.get('op') === 'req') {
      return next ? { code: 1301, queue: next, data: next.data } : { code: 1300 }
    }
    if (next === undefined || next.id !== attributes.get('msgID')) return { code: 2303 }
    this.messages.shift()
    this.acknowledged.push(next.id)
    return { code: 1000 }
  }

  #checkHosts({ object }: Query): Outcome {
    const names = childrenOf(object, HOST, 'name').map(({ text }) => text)
    const checked = names.map((name) =>
      element(
        'host:cd',
        {},
        element('host:name', { avail: this.hosts.has(name) ? '0' : '1' }, name),
      ),
    )
    return { code: 1000, data: element('host:chkData', { 'xmlns:host': HOST }, checked) }
  }

  #createHost({ object }: Query): Outcome {
    const name = nameIn(object, HOST)
    if (this.hosts.has(name)) return { code: 2302 }
    this.hosts.add(name)
    this.performed.push(`create ${name}`)
    const content = [element('host:name', {}, name), element('host:crDate', {}, DATE)]
    return { code: 1000, data: element('host:creData', { 'xmlns:host': HOST }, content) }
  }

  #check({ object, extension }: Query): Outcome {
    const name = nameIn(object, DOMAIN)
    const known = this.domains.get(name)
    const about = element(
      'domain:cd',
      {},
      element('domain:name', { avail: known ? '0' : '1' }, name),
      known ? element('domain:reason', {}, 'In use') : null,
    )
    const asked = childOf(extension, FEE, 'check')
    const currency = textIn(asked, FEE, 'currency')
    if (currency !== null && currency !== this.currency) return { code: 2004 }
    return {
      code: 1000,
      data: element('domain:chkData', { 'xmlns:domain': DOMAIN }, about),
      extension: asked && this.#fees(name, asked),
    }
  }

  #fees(name: string, asked: XmlElement): Markup {
    const { fee = '10.00', feeClass = 'standard' } = this.domains.get(name) ?? {}
    const told = this.tellsFees ? childrenOf(asked, FEE, 'command') : []
    const commands = told.map((command) => {
      const years = Number(textIn(command, FEE, 'period') ?? 1)
      return element(
        'fee:command',
        { name: command.attributes.get('name') ?? '' },
        element('fee:period', { unit: 'y' }, String(years)),
        element('fee:fee', { description: 'Registry fee' }, (Number(fee) * years).toFixed(2)),
      )
    })
    return element(
      'fee:chkData',
      { 'xmlns:fee': FEE },
      element('fee:currency', {}, this.currency),
      element(
        'fee:cd',
        { avail: '1' },
        element('fee:objID', {}, name),
        element('fee:class', {}, feeClass),
        commands,
      ),
    )
  }

  #info({ object, user }: Query): Outcome {
    const name = nameIn(object, DOMAIN)
    const domain = this.domains.get(name)
    if (!domain) return { code: 2303 }
    const isOurs = domain.sponsor === user
    if (!isOurs && this.hidesForeign) return { code: 2201 }
    const statuses = domain.statuses.size > 0 ? [...domain.statuses] : ['ok']
    const servers = domain.nameservers.map((host) => element('domain:hostObj', {}, host))
    const data = element(
      'domain:infData',
      { 'xmlns:domain': DOMAIN },
      element('domain:name', {}, name),
      element('domain:roid', {}, 'D1-TEST'),
      statuses.map((status) => element('domain:status', { s: status })),
      servers.length > 0 ? element('domain:ns', {}, servers) : null,
      element('domain:clID', {}, domain.sponsor),
      element('domain:exDate', {}, this.#written(domain.expiresAt)),
      this.keepsCodes && domain.authInfo !== null
        ? element('domain:authInfo', {}, element('domain:pw', {}, domain.authInfo))
        : null,
    )
    return { code: 1000, data, extension: isOurs ? infoExtension(domain) : null }
  }

  #renew({ object, extension, user }: Query): Outcome {
    const name = nameIn(object, DOMAIN)
    const domain = this.domains.get(name)
    const rejection = rejectionOf(domain, user, 'Renew')
    if (!domain || rejection) return rejection ?? { code: 2303 }
    const years = Number(textIn(object, DOMAIN, 'period') ?? 1)
    if (textIn(object, DOMAIN, 'curExpDate') !== this.#written(domain.expiresAt).slice(0, 10)) {
      return { code: 2306, reason: 'The expiry is another one.' }
    }
    const agreed = textIn(childOf(extension, FEE, 'renew'), FEE, 'fee')
    if (Number(agreed ?? domain.fee) * 1 < Number(domain.fee) * (agreed === null ? 1 : years)) {
      return { code: 2004, reason: 'The fee is higher.' }
    }
    this.performed.push(`renew ${name}`)
    if (this.isPending) {
      domain.statuses.add('pendingRenew')
      return { code: 1001, data: renewData(name) }
    }
    this.renewNow(domain, years)
    return { code: 1000, data: renewData(name, domain.expiresAt) }
  }

  renewNow(domain: TestDomain, years: number): void {
    domain.expiresAt = new Date(domain.expiresAt)
    domain.expiresAt.setUTCFullYear(domain.expiresAt.getUTCFullYear() + years)
    domain.statuses.delete('pendingRenew')
  }

  #update({ object, user }: Query): Outcome {
    const name = nameIn(object, DOMAIN)
    const domain = this.domains.get(name)
    const add = partsOf(childOf(object, DOMAIN, 'add'))
    const remove = partsOf(childOf(object, DOMAIN, 'rem'))
    const isFreeing = remove.statuses.includes('clientUpdateProhibited')
    const rejection = rejectionOf(domain, user, isFreeing ? null : 'Update')
    if (!domain || rejection) return rejection ?? { code: 2303 }
    const unknown = add.nameservers.find((host) => !this.hosts.has(host))
    if (unknown) return { code: 2303, reason: `There is no host ${unknown}.` }
    if (add.statuses.some((status) => domain.statuses.has(status))) return { code: 2306 }
    if (remove.statuses.some((status) => !domain.statuses.has(status))) return { code: 2306 }
    if (remove.nameservers.some((host) => !domain.nameservers.includes(host))) return { code: 2306 }
    for (const status of add.statuses) domain.statuses.add(status)
    for (const status of remove.statuses) domain.statuses.delete(status)
    domain.nameservers = domain.nameservers
      .filter((host) => !remove.nameservers.includes(host))
      .concat(add.nameservers)
    const code = childOf(childOf(object, DOMAIN, 'chg'), DOMAIN, 'authInfo')
    const isKept = this.keepsCodes && childOf(code, DOMAIN, 'null') !== null
    if (code && !isKept) domain.authInfo = textIn(code, DOMAIN, 'pw')
    this.performed.push(`update ${name}`)
    return { code: 1000 }
  }
}

function nameIn(object: XmlElement | null, namespace: string): string {
  return textIn(object, namespace, 'name') ?? ''
}

function rejectionOf(
  domain: TestDomain | undefined,
  user: string,
  what: 'Renew' | 'Update' | null,
): Outcome | null {
  if (!domain) return { code: 2303 }
  if (domain.sponsor !== user) return { code: 2201 }
  const prohibited = ['client', 'server'].find((by) =>
    domain.statuses.has(`${by}${what}Prohibited`),
  )
  if (what && prohibited) return { code: 2304, reason: `${prohibited}${what}Prohibited` }
  if (domain.statuses.has('pendingRenew')) return { code: 2304, reason: 'pendingRenew' }
  return null
}

function partsOf(parent: XmlElement | null) {
  return {
    nameservers: childrenOf(childOf(parent, DOMAIN, 'ns'), DOMAIN, 'hostObj').map(
      ({ text }) => text,
    ),
    statuses: childrenOf(parent, DOMAIN, 'status').map(
      ({ attributes }) => attributes.get('s') ?? '',
    ),
  }
}
