import type { RegistryResult, WhoisRecord } from './result.ts'

/** What a registry's server said for certain. */
export interface Outcome {
  state: Exclude<RegistryResult['state'], 'unknown'>
  reason?: string
  record: WhoisRecord | null
}

/** A server that gave no response that could be relied on. */
export class UpstreamFailed extends Error {
  /** How long it wants to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs?: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

const RESERVED =
  /\b(?:is|are|been|a|registry|status:?) reserved\b|^reserved\b|\brestricted\b|\bcannot be registered\b|\bnot (?:available|eligible) for registration\b|\bis blocked\b/i
const PREMIUM = /\bpremium\b/i
/** Prose says the same words of other things: of rights, and of the use of its data. */
const PROSE = /rights? reserved|copyright|terms|database|whois|data\b|you agree|purpose/i
const MAX_STATEMENT = 160

/** What a registry's words about a name without a registration say beyond that there is none. */
export function withheld(lines: readonly string[]): Outcome | null {
  for (const line of lines) {
    if (line.length > MAX_STATEMENT || PROSE.test(line)) continue
    const state = RESERVED.test(line) ? 'reserved' : PREMIUM.test(line) ? 'premium' : null
    const reason = state && cleanText(line.replace(/^[%#>*\s]+/, ''))
    if (state && reason) return { state, reason, record: null }
  }
  return null
}

const MAX_TEXT = 200
const MAX_ITEMS = 30

/** Text that others wrote, in one line of bearable length; null when nothing is left of it. */
export function cleanText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, 4 * MAX_TEXT)
    .replace(UNPRINTABLE, ' ')
    .replace(/ +/g, ' ')
    .trim()
  return text.slice(0, MAX_TEXT).toWellFormed() || null
}
const UNPRINTABLE = /[\p{Control}\p{Format}\p{Line_Separator}\p{Paragraph_Separator}]+/gu

/** RFC 3339 UTC with milliseconds, of any moment that a registration may have. */
export function cleanDate(value: string | undefined | null): string | null {
  const time = value ? Date.parse(value) : Number.NaN
  if (!(time > EARLIEST && time < LATEST)) return null
  return new Date(time).toISOString()
}
const EARLIEST = Date.UTC(1985, 0, 1)
const LATEST = Date.UTC(2200, 0, 1)

/**
 * EPP status codes (RFC 5731). RDAP writes them as words (RFC 8056) and WHOIS with a link behind: both
 * become `clientTransferProhibited`.
 */
export function cleanStatuses(values: readonly string[] | undefined): string[] {
  const codes = (values ?? []).slice(0, MAX_ITEMS).flatMap((value) => {
    const words = (cleanText(value) ?? '').replace(/\(?https?:.*$/i, '').match(/[A-Za-z]+/g)
    if (!words || words.length > 6) return []
    const [first = '', ...rest] = words
    const start =
      rest.length > 0 ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1)
    const code = start + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
    return [code === 'active' ? 'ok' : code]
  })
  return [...new Set(codes)]
}

export function cleanHosts(values: readonly string[] | undefined): string[] {
  const hosts = (values ?? [])
    .slice(0, MAX_ITEMS)
    .map((value) => value.toLowerCase().replace(/\.$/, ''))
    .filter((host) => host.length <= 253 && HOST.test(host))
  return [...new Set(hosts)]
}
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/
