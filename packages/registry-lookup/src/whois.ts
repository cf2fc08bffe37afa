import { queryTcp } from 'domain-marketplace-safe-fetch'
import { parseDomainWhois } from 'whoiser/src/parsers.js'
import { MINUTE } from './clock.ts'
import type { WhoisRecord } from './result.ts'
import {
  cleanDate,
  cleanHosts,
  cleanStatuses,
  cleanText,
  type Outcome,
  UpstreamFailed,
  withheld,
} from './upstream-response.ts'
import { whoisDate } from './whois-date.ts'

const MAX_BYTES = 64 * 1024
const MAX_LINES = 1_000
const MAX_LINE = 500
/** How long a server that rejects us is left alone. */
const REJECTED_MS = 5 * MINUTE

interface WhoisQuestion {
  host: string
  port: number
  /** The query's form, such as `-T dn,ace {domain}`. */
  query: string
  domain: string
  allowLoopback: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Asks one WHOIS server for a name (RFC 3912). What it refers to is not asked: registrars publish nothing
 * beyond the registry's response that we would show.
 */
export async function queryWhois({ query, domain, ...target }: WhoisQuestion): Promise<Outcome> {
  const text = `${query.replace('{domain}', domain)}\r\n`
  const result = await queryTcp({ ...target, text, maxBytes: MAX_BYTES })
  return readWhoisResponse(domain, result)
}

export function readWhoisResponse(domain: string, bytes: Uint8Array): Outcome {
  const text = tidy(decode(bytes))
  const fields = parseDomainWhois(domain, text, true)
  const record = recordOf(fields)
  const statuses = list(fields['Domain Status']).map((status) => status.trim())
  if (statuses.some((status) => /^(?:free|available|not registered)$/i.test(status))) {
    return { state: 'available', record: null }
  }
  if (isRegistration(record)) {
    const about = cleanText(fields['Domain Name'])?.toLowerCase().replace(/\.$/, '')
    // Some registries leave the name out or write it as U-labels; another name's response is none.
    if (about?.includes('.') && isAscii(about) && about !== domain) {
      throw new UpstreamFailed(`a response about ${about}`)
    }
    return { state: 'registered', record }
  }
  // Some registries say no more of a registration than that there is one.
  if (statuses.some((status) => REGISTERED.test(status))) return { state: 'registered', record }
  if (text.length <= MAX_ERROR_LENGTH && REFUSED.test(text)) {
    throw new UpstreamFailed('the server rejects the query', REJECTED_MS)
  }
  const said = withheld(text.split('\n'))
  if (said) return said
  if (text.split('\n').some((line) => NOT_FOUND.test(line))) {
    return { state: 'available', record: null }
  }
  throw new UpstreamFailed('a response that is neither a registration nor a no')
}

const REGISTERED = /^(?:connect|failed|registered|active|in use|granted|ok)$/i
const MAX_ERROR_LENGTH = 2_048
const REFUSED =
  /rate.?limit|limit exceeded|quota|too many (?:quer|request|connection)|exceeded|access denied|not (?:permitted|authori[sz]ed)|blocked|blacklisted|<html/i
/** A line that begins so says that there is no such name; in the middle of prose the same words say nothing. */
const NOT_FOUND =
  /^[%#>*\s]*(?:error:?\s*\d*:?\s*)?(?:the )?(?:no match|no (?:data|entries|object|information|records?)(?: was| were)? found|no such domain|not found|nothing found|domain (?:name )?(?:\S+ )?(?:not found|has not been registered|is available|does not exist|not registered)|(?:queried )?object does not exist|\S+ (?:is available(?: for| to)?|is free|not found|does not exist|no match|was not found|is not registered)|above domain name is not registered|this domain is (?:available|not registered)|available\s*$)/i

const isAscii = (text: string) => /^[\x21-\x7e]+$/.test(text)

function isRegistration({ registrar, created_at, expires_at, nameservers }: WhoisRecord): boolean {
  return (
    (registrar !== null && registrar.name !== null) ||
    created_at !== null ||
    expires_at !== null ||
    nameservers.length > 0
  )
}

/** UTF-8 where it is, else Latin-1, which some registries still write. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}

/** The parser takes time in the square of some texts, so that it gets only what an honest response may be. */
function tidy(text: string): string {
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .split('\n')
  return lines
    .slice(0, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE))
    .join('\n')
}

function recordOf(fields: Record<string, unknown>): WhoisRecord {
  const name = cleanText(fields.Registrar)
  const iana_id = cleanText(fields['Registrar IANA ID'])
  const organization = cleanText(fields['Registrant Organization'])
  const country = cleanText(fields['Registrant Country'])
  const isKnown = Boolean(organization ?? country ?? cleanText(fields['Registrant Name']))
  const dnssec = cleanText(fields.DNSSEC)?.toLowerCase()
  return {
    registrar: name || iana_id ? { name, iana_id } : null,
    registrant: isKnown
      ? { organization, country: /^[A-Z]{2}$/.test(country ?? '') ? country : null, redacted: true }
      : null,
    created_at: moment(fields['Created Date']),
    updated_at: moment(fields['Updated Date']),
    expires_at: moment(fields['Expiry Date']),
    status: cleanStatuses(list(fields['Domain Status'])),
    nameservers: cleanHosts(list(fields['Name Server'])),
    dnssec: dnssec ? /^(?:signed|yes|true|active)/.test(dnssec) : null,
  }
}

function moment(value: unknown): string | null {
  return cleanDate(whoisDate(cleanText(value) ?? ''))
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
