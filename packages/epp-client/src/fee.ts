import type { Call, EppClient } from './client.ts'
import { domainElement, isNamed, nameElement } from './domain.ts'
import { BadFrame } from './errors.ts'
import { DOMAIN, FEE } from './namespaces.ts'
import { reading } from './reading.ts'
import type { EppResponse } from './response.ts'
import { childOf, childrenOf, element, type Markup, textIn, type XmlElement } from './xml.ts'

/** Whether a domain can be registered, and what it costs (RFC 8748). */
export interface DomainCheck {
  isAvailable: boolean
  /** Why not, in the registry's words. */
  reason: string | null
  /** Whether the registry asks other fees than its usual ones. */
  isPremium: boolean
  /** Null where the registry does not say it. */
  create: Price | null
  renew: Price | null
}

/** A sum in the smallest unit of its currency, and the parts that make it, as decimal numbers. */
export interface Price {
  cents: number
  currency: string
  fees: readonly string[]
  credits: readonly string[]
}

/** What is sold: for how many years, and in which currency where there is a choice. */
export interface Term {
  years: number
  currency?: string
}

/** Without the fee extension it says only whether the domain is available. */
export async function checkDomain(
  client: EppClient,
  name: string,
  { years, currency }: Term,
  call: Call,
): Promise<DomainCheck> {
  const response = await client.send(
    (services) => ({
      command: element('check', {}, domainElement('check', nameElement(name))),
      extension: services.offers(FEE) ? checkElement(years, currency) : null,
    }),
    call,
  )
  return reading(() => readCheck(response, name))
}

/** Names the price that is agreed to: a registry that asks for more rejects the renewal. */
export function renewFee({ currency, fees, credits }: Price): Markup {
  return feeElement(
    'renew',
    element('fee:currency', {}, currency),
    ...fees.map((fee) => element('fee:fee', {}, fee)),
    ...credits.map((credit) => element('fee:credit', {}, credit)),
  )
}

function checkElement(years: number, currency: string | undefined): Markup {
  const period = element('fee:period', { unit: 'y' }, String(years))
  return feeElement(
    'check',
    currency === undefined ? null : element('fee:currency', {}, currency),
    element('fee:command', { name: 'create' }, period),
    element('fee:command', { name: 'renew' }, period),
  )
}

function feeElement(name: string, ...content: (Markup | null)[]): Markup {
  return element(`fee:${name}`, { 'xmlns:fee': FEE }, content)
}

function readCheck({ data, extension }: EppResponse, asked: string): DomainCheck {
  const checked = childrenOf(childOf(data, DOMAIN, 'chkData'), DOMAIN, 'cd').find((each) =>
    isNamed(textIn(each, DOMAIN, 'name'), asked),
  )
  const avail = childOf(checked, DOMAIN, 'name')?.attributes.get('avail')
  if (!checked || avail === undefined) {
    throw new BadFrame(`The server did not say whether ${asked} is available.`)
  }
  const fees = childOf(extension, FEE, 'chkData')
  const about = childrenOf(fees, FEE, 'cd').find((each) =>
    isNamed(textIn(each, FEE, 'objID'), asked),
  )
  const currency = textIn(fees, FEE, 'currency')
  const kind = textIn(about, FEE, 'class')?.toLowerCase() ?? 'standard'
  return {
    isAvailable: isTrue(avail),
    reason: textIn(checked, DOMAIN, 'reason'),
    isPremium: kind !== 'standard',
    create: priceOf(about, 'create', currency),
    renew: priceOf(about, 'renew', currency),
  }
}

function priceOf(
  about: XmlElement | undefined,
  command: string,
  currency: string | null,
): Price | null {
  const found = childrenOf(about, FEE, 'command').find(
    ({ attributes }) => attributes.get('name') === command && !attributes.has('phase'),
  )
  const fees = childrenOf(found, FEE, 'fee').map(({ text }) => text)
  const credits = childrenOf(found, FEE, 'credit').map(({ text }) => text)
  if (!currency || fees.length === 0) return null
  const cents = [...fees, ...credits].reduce((sum, part) => sum + centsOf(part, currency), 0)
  return { cents, currency, fees, credits }
}

/** Parts of a cent are rounded up. */
function centsOf(amount: string, currency: string): number {
  const parts = /^(-?)(\d{1,12})(?:\.(\d*))?$/.exec(amount)
  if (!parts || !/^[A-Z]{3}$/.test(currency)) {
    throw new BadFrame(`The server sent the fee ${amount} ${currency}.`)
  }
  const [, sign = '', whole = '', fraction = ''] = parts
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  const cents = Number(`${whole}${fraction.padEnd(digits, '0').slice(0, digits)}`)
  if (sign) return -cents
  return /[1-9]/.test(fraction.slice(digits)) ? cents + 1 : cents
}

function isTrue(value: string): boolean {
  return value === '1' || value === 'true'
}
