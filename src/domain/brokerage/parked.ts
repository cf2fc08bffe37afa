import { parseUrl } from 'domain-marketplace-safe-fetch'
import type { SiteState } from './site-probe.ts'

/** What a server sent to a visitor. */
export interface Page {
  url: string
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Companies that show advertisements or offers on names whose owners have no site. */
const PARKING_HOSTS = [
  'above.com',
  'afternic.com',
  'atom.com',
  'bodis.com',
  'brandbucket.com',
  'cashparking.com',
  'dan.com',
  'domainmarket.com',
  'dsredirection.com',
  'epik.com',
  'fabulous.com',
  'hugedomains.com',
  'namedrive.com',
  'parkingcrew.net',
  'parklogic.com',
  'rookdns.com',
  'sav.com',
  'sedo.com',
  'sedoparking.com',
  'smartname.com',
  'snapparking.com',
  'spaceship.com',
  'squadhelp.com',
  'undeveloped.com',
  'uniregistry.com',
  'uniregistrymarket.link',
  'voodoo.com',
]

/** Of those, the ones whose name servers serve nothing but parked names. */
const PARKING_SERVERS = [
  'above.com',
  'afternic.com',
  'bodis.com',
  'cashparking.com',
  'dan.com',
  'dsredirection.com',
  'fabulous.com',
  'namedrive.com',
  'parkingcrew.net',
  'parklogic.com',
  'sedoparking.com',
  'smartname.com',
  'undeveloped.com',
  'uniregistrymarket.link',
  'voodoo.com',
]

/** What parked pages and the first pages of new servers say, and the scripts that parkers load. */
const PARKED_WORDS = [
  /\b(?:this|the) (?:domain|domain name|website|web site)(?: name)? (?:is|may be|might be|could be) (?:for|on) sale\b/,
  /\bbuy this domain\b/,
  /\bdomain (?:name )?is parked\b/,
  /\bparked (?:free|domain|page|by)\b/,
  /\bmake an offer (?:on|for) this domain\b/,
  /\bdomain has (?:just been|been recently|recently been|been) registered\b/,
  /\bfuture home of\b/,
  /\bthis domain has expired\b/,
  /\bdomain (?:name )?(?:has )?expired\b/,
  /\bcoming soon\b/,
  /\bunder construction\b/,
  /\bsite not found\b/,
  /\bno website (?:is )?configured\b/,
  /\bapache2? (?:ubuntu|debian) default page\b/,
  /\bwelcome to nginx\b/,
  /\biis windows server\b/,
  /\bdefault (?:web ?site|plesk) page\b/,
]
const PARKED_SCRIPTS =
  /data-adblockkey|sedoparking\.com|parkingcrew\.net|bodis\.com|parklogic\.com|img1\.wsimg\.com\/parking|window\.park\s*=|location\.href\s*=\s*["']\/lander["']|caf\.js/i

/** A page that says one of those and much more is somebody's site. */
const MAX_PARKED_TEXT = 3_000
/** Less is a blank page, unless a script fills it. */
const MIN_TEXT = 40

export function isParkingServer(nameserver: string): boolean {
  return isWithin(nameserver, PARKING_SERVERS)
}

/** What a page says of the site that it belongs to, or where it sends its visitor. */
export function judgePage(page: Page, origin: string): SiteState | { redirect: string } {
  const { status, headers, body } = page
  if (status >= 300 && status < 400) {
    const location = [headers.location].flat()[0]
    const target = location ? parseUrl(location, page.url) : null
    if (!target) return 'none'
    if (isWithin(target.hostname, PARKING_HOSTS)) return 'parked'
    // Visitors who are sent elsewhere are visitors that somebody wants.
    if (!isSameSite(target.hostname, new URL(origin).hostname)) return 'active'
    return { redirect: target.href }
  }
  // A site that turns strangers away is in use.
  if (status === 401 || status === 403 || status === 429 || status === 451) return 'active'
  if (status >= 500) return 'unknown'
  if (status >= 400) return 'none'
  if (!isHtml(headers['content-type'])) return body.trim() === '' ? 'none' : 'active'
  return judgeHtml(body)
}

function judgeHtml(html: string): SiteState {
  if (PARKED_SCRIPTS.test(html)) return 'parked'
  const text = visibleText(html)
  const words = `${titleOf(html)} ${text}`.toLowerCase()
  if (text.length < MAX_PARKED_TEXT && PARKED_WORDS.some((pattern) => pattern.test(words))) {
    return 'parked'
  }
  const isFilledByScript = /<script\b[^<>]*\bsrc\s*=/i.test(html)
  return text.length >= MIN_TEXT || isFilledByScript ? 'active' : 'parked'
}

function titleOf(html: string): string {
  return /<title[^<>]*>([^<]*)/i.exec(html)?.[1] ?? ''
}

function visibleText(html: string): string {
  return html
    .replace(/<(script|style|noscript|template|svg|head)\b[^]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<!--[^]*?(?:-->|$)/g, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function isHtml(type: string | string[] | undefined): boolean {
  const text = [type].flat()[0]
  return text === undefined || /^(?:text\/html|application\/xhtml\+xml)\b/i.test(text)
}

function isSameSite(host: string, other: string): boolean {
  const bare = (name: string) => name.replace(/^www\./, '')
  return bare(host) === bare(other)
}

function isWithin(host: string, domains: string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return domains.some((domain) => name === domain || name.endsWith(`.${domain}`))
}
