import { type DomainName, parseDomainName } from 'domain-marketplace-domain-names'
import { z } from 'zod'
import { clientOf } from '../../core/caller.ts'
import { domainView, iso, timestamp, tldView } from '../../core/fields.ts'
import { type PublicContext, publicRead, type ReadContext } from '../../core/operation.ts'
import { asCompleted } from '../../lib/as-completed.ts'
import { checkFees } from '../registrars/check-fees.ts'
import { forSaleField, forSaleView, readForSale } from '../registry/for-sale.ts'
import { registrationPrice } from '../registry/price-book.ts'
import type { RegistryResult } from '../registry/registry.ts'
import { registryName } from '../registry/tlds.ts'
import { findLiveListing, type Listing, listingStatus } from './listing.ts'
import { publicPrice, publicPriceView } from './public-price.ts'

const resultFields = z.object({
  kind: z.literal('row').describe('Always `row`: each result is on a line of its own.'),
  domain: domainView,
  tld: tldView,
  state: z
    .enum(['available', 'listed', 'registered', 'reserved', 'premium', 'unknown'])
    .describe(
      '`available` to register, `listed` for sale here, `registered` by somebody, `reserved` by the registry, ' +
        '`premium` at a price of its own, or `unknown`.',
    ),
  available: z
    .boolean()
    .nullable()
    .describe(
      'Whether it can be registered or bought here now; null when it could not be found out.',
    ),
  reason: z
    .string()
    .optional()
    .describe(
      'Why a `reserved` or `premium` name is one, in the words of the registry, if it says so.',
    ),
  registration_price_cents: z
    .int()
    .nullable()
    .describe(
      'The price of a first registration, in cents; null unless it can be registered and its price is known.',
    ),
  currency: z
    .string()
    .nullable()
    .describe('The ISO 4217 code of the currency of `registration_price_cents`, or null.'),
  listing: z
    .object({ ...publicPriceView, url: z.url().describe('The page that sells it.') })
    .nullable()
    .describe('The offer of a `listed` name; otherwise null.'),
  for_sale: forSaleView,
  source: z
    .enum(['marketplace', 'simulated', 'rdap', 'whois'])
    .describe(
      'Where it was found out: `marketplace` for what is sold here, otherwise how the registry was asked.',
    ),
  checked_at: timestamp.describe('When it was found out, in UTC.'),
})
const resultView = resultFields.meta({
  id: 'DomainResult',
  description: 'What can be done with a domain name.',
})

export type DomainResult = z.output<typeof resultView>

/** A name is parsed as it is; a bare label gets the first TLD that searches look in. */
const wantedField = z
  .string()
  .trim()
  .max(1_024)
  .transform((text, context) => {
    if (isName(text)) return text
    context.addIssue({
      code: 'custom',
      message: 'is not a domain name such as example.com, nor a label such as example',
      input: text,
    })
    return z.NEVER
  })

function isName(text: string): boolean {
  return parseDomainName(text) !== null || parseDomainName(`${text}.com`)?.tld === 'com'
}

export const searchDomain = publicRead({
  name: 'search_domain',
  summary: 'Whether a domain is available, and its siblings on other TLDs',
  description:
    'Says whether a name can be registered, is for sale here, or is taken, and the same for its label on ' +
    'other TLDs. Give a whole name (example.com) or a bare label (example). Use it when somebody wants a ' +
    'name; for the details of a registration use whois_lookup. Marketplace prices are null without an ' +
    'access token. Each result is printed on a line of its own, ' +
    'within one JSON document; with `Accept: application/x-ndjson` it is sent as soon as it is known.',
  method: 'POST',
  path: '/api/domain/search',
  rate: 'public',
  cacheSeconds: 0,
  input: z.object({
    q: wantedField.describe(
      'A domain name such as example.com, or a label such as example, in any case and script.',
    ),
  }),
  output: z.object({
    query: z.string().describe('The query as it was read.'),
    results: z.array(resultView).describe('The name that was asked for, then its siblings.'),
  }),
  status: 200,
  errors: ['validation_error'],
  aliases: { q: ['domain', 'name', 'query'] },
  example: {
    input: { q: 'petpantry.com' },
    output: {
      query: 'petpantry.com',
      results: [
        {
          kind: 'row',
          domain: 'petpantry.com',
          tld: 'com',
          state: 'listed',
          available: true,
          registration_price_cents: null,
          currency: null,
          listing: {
            price_cents: null,
            price_masked: true,
            currency: 'USD',
            url: 'https://market.example/d/petpantry.com',
          },
          for_sale: null,
          source: 'marketplace',
          checked_at: '2026-01-05T09:30:00.000Z',
        },
        {
          kind: 'row',
          domain: 'petpantry.net',
          tld: 'net',
          state: 'available',
          available: true,
          registration_price_cents: 1_399,
          currency: 'USD',
          listing: null,
          for_sale: null,
          source: 'rdap',
          checked_at: '2026-01-05T09:30:00.000Z',
        },
      ],
    },
  },
  async handler(context, { q }) {
    const names = await namesFor(context, q)
    return { query: q, results: await Promise.all(names.map((name) => look(context, name))) }
  },
  rows: {
    output: z.object(resultFields.shape),
    async *read(context, { q }) {
      const names = await namesFor(context, q)
      for await (const result of asCompleted(names.map((name) => look(context, name)))) {
        yield result
      }
    },
  },
})

/**
 * The asked name and its siblings. What lies below a registrable name cannot be had, so that name is
 * meant; unless we list it as it is.
 */
export async function namesFor(
  { db, app }: Pick<ReadContext, 'db' | 'app'>,
  q: string,
): Promise<DomainName[]> {
  const tlds = app.settings.searchTlds
  const given = parseDomainName(q) ?? parseDomainName(`${q}.${tlds[0]}`)
  if (!given) return []
  const { registrable } = registryName(given.domain)
  const isBelow = registrable !== null && registrable !== given.domain
  const isOurs = isBelow && (await findLiveListing(db, given.domain)) !== undefined
  const asked = (isBelow && !isOurs && parseDomainName(registrable)) || given
  const siblings = tlds
    .filter((tld) => tld !== asked.tld)
    .map((tld) => parseDomainName(`${asked.label}.${tld}`))
  return [asked, ...siblings.filter((name) => name !== null)]
}

/** What we sell ourselves is known best here; of every other name the registry is asked. */
async function look(context: PublicContext, { domain, tld }: DomainName): Promise<DomainResult> {
  const { db, app, now, signal } = context
  const listing = await findLiveListing(db, domain)
  if (listing) return ofListing(context, listing)
  const [said, price, owners] = await Promise.all([
    app.registry.lookup(domain, signal, clientOf(context.caller)).catch((error: unknown) => {
      app.log.warn({ err: error, domain }, 'search: a registry did not respond')
      return null
    }),
    registrationPrice(db, tld, 'register'),
    readForSale(app, domain),
  ])
  const { source, checkedAt, ...found } = said ?? unanswered(now)
  const { state, reason, fee } = await atRegistrar(context, domain, found)
  const offer = state === 'available' ? price : state === 'premium' ? fee : null
  return {
    kind: 'row',
    domain,
    tld,
    state,
    available: state === 'unknown' ? null : state === 'available' || state === 'premium',
    ...(reason !== null && { reason }),
    registration_price_cents: offer?.price_cents ?? null,
    currency: offer?.currency ?? null,
    listing: null,
    ...forSaleField(app, state === 'registered' ? owners : null),
    source,
    checked_at: iso(checkedAt),
  }
}

type Found = Pick<RegistryResult, 'state' | 'reason'>

/** Of what can be registered, a connected registrar knows whether it is reserved, and what a premium name costs. */
async function atRegistrar(
  { app }: PublicContext,
  domain: string,
  { state, reason }: Found,
): Promise<Found & { fee: { price_cents: number; currency: string } | null }> {
  const isFree = state === 'available' || state === 'premium'
  const check = isFree ? await checkFees(app, domain) : null
  if (!check) return { state, reason, fee: null }
  if (!check.available) return { state: 'reserved', reason: check.reason ?? reason, fee: null }
  if (!check.premium) return { state, reason, fee: null }
  const { register } = check
  const fee = register && { price_cents: register.cents, currency: register.currency }
  return { state: 'premium', reason: check.reason ?? reason, fee }
}

function ofListing({ caller, app, now }: PublicContext, listing: Listing): DomainResult {
  const status = listingStatus(listing, now)
  const { domain, tld } = listing
  const isSold = status === 'sold'
  return {
    kind: 'row',
    domain,
    tld,
    state: isSold ? 'registered' : 'listed',
    // Somebody's quote may hold it for some minutes, in which it is listed but cannot be had.
    available: status === 'listed',
    registration_price_cents: null,
    currency: null,
    listing: isSold
      ? null
      : { ...publicPrice(caller, listing), url: `${app.settings.baseUrl}/d/${domain}` },
    ...forSaleField(app, null),
    source: 'marketplace',
    checked_at: iso(now),
  }
}

function unanswered(now: Date): Pick<RegistryResult, 'state' | 'reason' | 'source' | 'checkedAt'> {
  return { state: 'unknown', reason: null, source: 'rdap', checkedAt: now }
}
