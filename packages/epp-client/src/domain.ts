import { domainToASCII } from 'node:url'
import type { Call, EppClient } from './client.ts'
import { BadFrame } from './errors.ts'
import { DOMAIN, HOST, RGP, SEC_DNS } from './namespaces.ts'
import { reading } from './reading.ts'
import { type EppResponse, PENDING } from './response.ts'
import {
  childOf,
  childrenOf,
  dateIn,
  element,
  type Markup,
  textIn,
  type XmlElement,
} from './xml.ts'

/** What a registry says of a domain (RFC 5731, section 3.1.2), and its extensions. */
export interface DomainInfo {
  name: string
  /** The registrar that has it. */
  sponsor: string
  statuses: readonly string[]
  /** Grace periods, such as `redemptionPeriod` (RFC 3915). */
  graceStatuses: readonly string[]
  nameservers: readonly string[]
  expiresAt: Date | null
  /** The day of the expiry, such as `2027-06-01`, in the time zone in which the registry writes it. */
  expiresOn: string | null
  /** Whether the registry shows a code for transfers. One that follows RFC 9154 never does. */
  showsAuthInfo: boolean
  dnssec: Dnssec
}

/** RFC 5910. A registry has the one or the other. */
export interface Dnssec {
  ds: readonly { keyTag: number; algorithm: number; digestType: number; digest: string }[]
  keys: readonly { flags: number; protocol: number; algorithm: number; publicKey: string }[]
}

export interface DomainChange {
  add?: DomainParts
  remove?: DomainParts
  /** Null unsets the code (RFC 9154, section 4.3). */
  authInfo?: string | null
}

export interface DomainParts {
  nameservers?: readonly string[]
  statuses?: readonly string[]
}

/** What a change came to. `isPending`: the registry does it later. */
export interface Changed {
  isPending: boolean
}

/** Rejects with `CommandRejected` of 2303 where there is none, and of 2201 where only its registrar may read it. */
export async function infoDomain(client: EppClient, name: string, call: Call): Promise<DomainInfo> {
  const response = await client.send(
    () => ({ command: element('info', {}, domainElement('info', nameElement(name))) }),
    call,
  )
  return reading(() => readInfo(response, name))
}

/**
 * @param expiresAt the expiry before it: a renewal that the registry has performed already is rejected, since
 *   the domain then expires on another day (RFC 5731, section 3.2.3)
 * @param expiresOn the same as the registry writes it; else the day in UTC
 * @param extension of the fee that is agreed to
 * @returns the new expiry, or null where the registry does not say it
 */
export async function renewDomain(
  client: EppClient,
  {
    name,
    years,
    expiresAt,
    expiresOn,
    extension,
  }: {
    name: string
    years: number
    expiresAt: Date
    expiresOn?: string | null
    extension?: Markup | null
  },
  call: Call,
): Promise<Changed & { expiresAt: Date | null }> {
  const command = element(
    'renew',
    {},
    domainElement(
      'renew',
      nameElement(name),
      element('domain:curExpDate', {}, expiresOn ?? expiresAt.toISOString().slice(0, 10)),
      element('domain:period', { unit: 'y' }, String(years)),
    ),
  )
  const response = await client.send(() => ({ command, extension: extension ?? null }), call)
  return reading(() => {
    const renewed = childOf(response.data, DOMAIN, 'renData')
    return { isPending: response.code === PENDING, expiresAt: dateIn(renewed, DOMAIN, 'exDate') }
  })
}

/** Name servers are host objects where the server has those, else attributes of the domain. */
export async function updateDomain(
  client: EppClient,
  name: string,
  { add, remove, authInfo }: DomainChange,
  call: Call,
): Promise<Changed> {
  const { code } = await client.send((services) => {
    const hasHosts = services.offers(HOST)
    const code =
      authInfo === null ? element('domain:null') : element('domain:pw', {}, authInfo ?? '')
    return {
      command: element(
        'update',
        {},
        domainElement(
          'update',
          nameElement(name),
          partsElement('domain:add', add, hasHosts),
          partsElement('domain:rem', remove, hasHosts),
          authInfo === undefined
            ? null
            : element('domain:chg', {}, element('domain:authInfo', {}, code)),
        ),
      ),
    }
  }, call)
  return { isPending: code === PENDING }
}

export function nameElement(name: string): Markup {
  return element('domain:name', {}, name)
}

/** Whether a server means the domain that it was asked about. Some write an international name as people do. */
export function isNamed(written: string | null, asked: string): boolean {
  return written !== null && domainToASCII(written) === asked
}

export function domainElement(name: string, ...content: (Markup | null)[]): Markup {
  return element(`domain:${name}`, { 'xmlns:domain': DOMAIN }, content)
}

function partsElement(
  name: string,
  { nameservers = [], statuses = [] }: DomainParts = {},
  hasHosts: boolean,
): Markup | null {
  if (nameservers.length === 0 && statuses.length === 0) return null
  const hosts = nameservers.map((host) =>
    hasHosts
      ? element('domain:hostObj', {}, host)
      : element('domain:hostAttr', {}, element('domain:hostName', {}, host)),
  )
  return element(
    name,
    {},
    hosts.length > 0 ? element('domain:ns', {}, hosts) : null,
    statuses.map((status) => element('domain:status', { s: status })),
  )
}

function readInfo({ data, extension }: EppResponse, asked: string): DomainInfo {
  const info = childOf(data, DOMAIN, 'infData')
  const sponsor = textIn(info, DOMAIN, 'clID')
  if (!info || !isNamed(textIn(info, DOMAIN, 'name'), asked) || sponsor === null) {
    throw new BadFrame(`The server did not say what it has of ${asked}.`)
  }
  const ns = childOf(info, DOMAIN, 'ns')
  const hosts = [
    ...childrenOf(ns, DOMAIN, 'hostObj').map(({ text }) => text),
    ...childrenOf(ns, DOMAIN, 'hostAttr').map((host) => textIn(host, DOMAIN, 'hostName') ?? ''),
  ]
  return {
    name: asked,
    sponsor,
    statuses: statusesIn(info, DOMAIN, 'status'),
    graceStatuses: statusesIn(childOf(extension, RGP, 'infData'), RGP, 'rgpStatus'),
    nameservers: hosts.map((host) => host.toLowerCase().replace(/\.$/, '')).filter(Boolean),
    expiresAt: dateIn(info, DOMAIN, 'exDate'),
    expiresOn: /^\d{4}-\d\d-\d\d/.exec(textIn(info, DOMAIN, 'exDate') ?? '')?.[0] ?? null,
    showsAuthInfo: textIn(childOf(info, DOMAIN, 'authInfo'), DOMAIN, 'pw') !== null,
    dnssec: readDnssec(childOf(extension, SEC_DNS, 'infData')),
  }
}

function statusesIn(parent: XmlElement | null, namespace: string, name: string): string[] {
  return childrenOf(parent, namespace, name)
    .map(({ attributes }) => attributes.get('s') ?? '')
    .filter(Boolean)
}

function readDnssec(data: XmlElement | null): Dnssec {
  const number = (parent: XmlElement, name: string) => Number(textIn(parent, SEC_DNS, name) ?? 0)
  const text = (parent: XmlElement, name: string) => textIn(parent, SEC_DNS, name) ?? ''
  return {
    ds: childrenOf(data, SEC_DNS, 'dsData').map((ds) => ({
      keyTag: number(ds, 'keyTag'),
      algorithm: number(ds, 'alg'),
      digestType: number(ds, 'digestType'),
      digest: text(ds, 'digest'),
    })),
    keys: childrenOf(data, SEC_DNS, 'keyData').map((key) => ({
      flags: number(key, 'flags'),
      protocol: number(key, 'protocol'),
      algorithm: number(key, 'alg'),
      publicKey: text(key, 'pubKey'),
    })),
  }
}
