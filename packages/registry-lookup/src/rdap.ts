import { domainToASCII } from 'node:url'
import type { GuardedHttp } from 'domain-marketplace-safe-fetch'
import { type Contact, type DomainRecord, lookup } from 'rdapper'
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

const MAX_BODY_BYTES = 512 * 1024
/** How long a server is left alone that says it is asked too much, and not until when. */
const TOO_MUCH_MS = MINUTE

interface RdapQuestion {
  http: GuardedHttp
  /** The base URL from the bootstrap list: nothing but what lies below it is asked. */
  base: string
  domain: string
  tld: string
  allowLoopback: boolean
  timeoutMs: number
  signal: AbortSignal
}

/** Asks one RDAP server for a name (RFC 9082, 9083). Links and redirects are not followed. */
export async function queryRdap(question: RdapQuestion): Promise<Outcome> {
  const { base, domain, tld, timeoutMs, signal } = question
  let notFound: unknown
  const result = await lookup(domain, {
    rdapOnly: true,
    rdapFollowLinks: false,
    customBootstrapData: { version: '1.0', publication: '', services: [[[tld], [base]]] },
    customFetch: guardedFetch(question, (body) => {
      notFound = body
    }),
    includeRaw: true,
    timeoutMs,
    signal,
  })
  if (!result.ok || !result.record) {
    const isTooMuch = result.attempts.some(({ errorCode }) => errorCode === 'rate_limited')
    const pause = result.retryAfterMs ?? (isTooMuch ? TOO_MUCH_MS : undefined)
    throw new UpstreamFailed(result.attempts.at(-1)?.error ?? 'no response', pause)
  }
  return judge(domain, result.record, notFound)
}

function guardedFetch(
  { http, base, allowLoopback, timeoutMs, signal }: RdapQuestion,
  onNotFound: (body: unknown) => void,
) {
  return async (input: string | URL | Request): Promise<Response> => {
    const url = input instanceof Request ? input.url : input.toString()
    if (!url.startsWith(base)) throw new UpstreamFailed(`${url} is not below ${base}`)
    const policy = { allowLoopback, allowHttp: base.startsWith('http:') }
    const { status, headers, body } = await http.request(url, policy, {
      method: 'GET',
      headers: { accept: 'application/rdap+json, application/json' },
      timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      signal,
    })
    if (status === 404) onNotFound(jsonOf(body))
    const retryAfter = headers['retry-after']
    // What no Response can be made of is no RDAP response either.
    if (status < 200 || status > 599 || NO_BODY.includes(status)) {
      throw new UpstreamFailed(`status ${status}`)
    }
    return new Response(new Uint8Array(body), {
      status,
      headers: typeof retryAfter === 'string' ? { 'retry-after': retryAfter } : {},
    })
  }
}
const NO_BODY = [204, 205, 304]

function judge(domain: string, result: DomainRecord, notFound: unknown): Outcome {
  const raw: unknown = result.rawRdap
  // Only a 404 comes without an object: the registry has no such name (RFC 7480, section 5.3).
  if (raw === undefined) return withheld(wordsOf(notFound)) ?? { state: 'available', record: null }
  if (!isAbout(domain, raw)) throw new UpstreamFailed('a response about something else')
  if (!result.isRegistered) {
    const isFree = result.statuses?.some(({ status }) =>
      /^(?:available|free)$/i.test(status.trim()),
    )
    if (isFree) return { state: 'available', record: null }
    throw new UpstreamFailed('a status between registered and available')
  }
  return { state: 'registered', record: recordOf(result) }
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return null
  }
}

/** What an error says for people (RFC 9083, section 6), without the notices that every response has. */
function wordsOf(body: unknown): string[] {
  const { title, description } = (body ?? {}) as Record<string, unknown>
  const texts = [title, ...(Array.isArray(description) ? description : [description])]
  return texts.filter((text) => typeof text === 'string').slice(0, MAX_WORDS)
}
const MAX_WORDS = 20

function isAbout(domain: string, raw: unknown): boolean {
  if (typeof raw !== 'object' || raw === null) return false
  const { objectClassName, ldhName, unicodeName } = raw as Record<string, unknown>
  const name = typeof ldhName === 'string' ? ldhName : unicodeName
  return (
    objectClassName === 'domain' &&
    typeof name === 'string' &&
    name.length <= 1024 &&
    domainToASCII(name.toLowerCase().replace(/\.$/, '')) === domain
  )
}

function recordOf(result: DomainRecord): WhoisRecord {
  const registrant = result.contacts?.find(({ type }) => type === 'registrant')
  return {
    registrar: result.registrar
      ? {
          name: cleanText(result.registrar.name),
          iana_id: cleanText(result.registrar.ianaId),
        }
      : null,
    registrant: registrant ? viewRegistrant(registrant) : null,
    created_at: cleanDate(result.creationDate),
    updated_at: cleanDate(result.updatedDate),
    expires_at: cleanDate(result.expirationDate),
    status: cleanStatuses(result.statuses?.map(({ status }) => status)),
    nameservers: cleanHosts(result.nameservers?.map(({ host }) => host)),
    dnssec: result.dnssec?.enabled ?? null,
  }
}

/** What ICANN's registration data policy lets everybody see: organisation and country, no person. */
function viewRegistrant(contact: Contact): NonNullable<WhoisRecord['registrant']> {
  const name = contact.kind === 'org' ? contact.name : undefined
  const isPerson = contact.kind === 'individual'
  const hidden = [contact.name, contact.email, contact.phone, contact.street]
  return {
    organization: isPerson ? null : cleanText(contact.organization ?? name),
    country: cleanText(contact.countryCode),
    redacted: contact.redacted === true || hidden.some((value) => value !== undefined),
  }
}
