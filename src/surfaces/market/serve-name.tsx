import type { VNode } from 'preact'
import { inTransaction } from '../../kernel/database/transaction.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { merged } from '../../lib/as-they-come.ts'
import { type DomainName, nameText, parseDomainName } from '../../lib/domain-name.ts'
import { openHouseSession } from '../../modules/checkout/open-house-session.ts'
import {
  findListing,
  type Listing,
  listingStatus,
  notListed,
} from '../../modules/inventory/listing.ts'
import { publicPrice } from '../../modules/inventory/public-price.ts'
import { type DomainResult, namesFor, searchDomain } from '../../modules/inventory/search-domain.ts'
import { pricesOf } from '../../modules/registry/read-tlds.ts'
import { findTld, registryName } from '../../modules/registry/tlds.ts'
import { type WhoisAnswer, whoisLookup } from '../../modules/registry/whois-lookup.ts'
import { findListings } from '../../modules/search/search-domains.ts'
import { clickOf } from '../checkout/click-cookie.ts'
import { Notice } from '../pages/parts.tsx'
import { readForm } from '../pages/same-origin.ts'
import { spoken } from '../pages/spoken.ts'
import { streamPage } from '../pages/stream-page.tsx'
import { askingOf } from './asking.ts'
import type { Door, Visit } from './door.ts'
import { NamePage, OfferPanel, type OfferState, offerOf } from './name-page.tsx'
import { NameList, NameRow, nameLink, Price, ResultRow } from './names.tsx'
import { TldFacts, WhoisFacts } from './registry-facts.tsx'

/** A name's own page, and its buy button. */
export function serveName(door: Door, house: House): void {
  const { db, settings } = house

  door.route('GET', '/d/:name', 'page name', async (visit) => {
    const { reply, session, params } = visit
    const { name, listing } = await nameOf(params.name ?? '')
    if (name.domain !== params.name) return reply.redirect(nameLink(name.domain), 301)
    const isTest = listing?.environment === 'sandbox'
    const [, ...siblings] = await namesFor({ db, house }, name.domain)
    const slots = new Map(siblings.map(({ domain }, index) => [domain, `row-${index}`]))
    return streamPage(
      reply,
      {
        title: nameText(name.domain),
        wide: true,
        // What nobody sells here is for whoever asks, not for search engines.
        hidden: !listing || isTest,
        viewer: session?.user ?? null,
        at: 'Names',
      },
      <NamePage domain={name.domain} siblings={[...slots.keys()]} isTest={isTest} />,
      merged(known(), answers(), whois(), similar()),
    )

    /** What needs nobody else's word. */
    async function* known(): AsyncGenerator<VNode> {
      if (listing) yield <OfferPanel {...(await offerOfListing(visit, listing))} />
      const tld = findTld(name.tld)
      if (tld) {
        yield (
          <section slot="tld" aria-labelledby="tld">
            <h2 id="tld">
              <a href={`/tlds/${tld.tld}`}>{`About .${tld.tld}`}</a>
            </h2>
            <div class="panel">
              <TldFacts tld={tld} prices={await pricesOf(db, tld.tld)} />
            </div>
          </section>
        )
      }
      if (slots.size > 0) yield <h2 slot="siblings">On other top-level domains</h2>
    }

    async function* answers(): AsyncGenerator<VNode> {
      const rows = door.rows<DomainResult>(searchDomain, { q: name.domain }, visit.call)
      for await (const row of rows) {
        const slot = slots.get(row.domain)
        if (slot !== undefined) yield <ResultRow result={row} slot={slot} />
        else if (!listing) yield <OfferPanel {...offerOf(row, await askingOf(db, row.domain))} />
      }
    }

    async function* whois(): AsyncGenerator<VNode> {
      yield (
        <section slot="whois" aria-labelledby="whois">
          <h2 id="whois">WHOIS</h2>
          <div class="panel">{await whoisOf(visit, name.domain)}</div>
        </section>
      )
    }

    /** What could be had instead. */
    async function* similar(): AsyncGenerator<VNode> {
      if (listing && listingStatus(listing, visit.call.now) !== 'sold') return
      const context = { db, house, now: visit.call.now }
      const found = await findListings(context, 'live', name.label, {})
      if (found.length === 0) return
      yield (
        <section slot="similar" aria-labelledby="similar">
          <h2 id="similar">Names like it, for sale here</h2>
          <NameList label="Names like it">
            {found.map((row) => (
              <NameRow domain={row.domain} note={row.why}>
                <Price {...publicPrice(visit.call.caller, row)} />
              </NameRow>
            ))}
          </NameList>
        </section>
      )
    }
  })

  door.route('POST', '/d/:name', 'page buy', async ({ request, reply, params, call }) => {
    readForm(request, settings.baseUrl)
    const { name, listing } = await nameOf(params.name ?? '')
    if (!listing) throw notListed(name.domain)
    const { environment, domain } = listing
    const click = clickOf(house, environment, request, call.now)
    const url = await inTransaction(house, (tx) =>
      openHouseSession({ tx, now: call.now, house }, environment, domain, click),
    )
    // Relative, so that the buyer stays on the host that has the cookie.
    return reply.redirect(url.slice(settings.baseUrl.length), 303)
  })

  /** A name that has a page: one that is listed as it is, live before sandbox, or that can be registered. */
  async function nameOf(text: string): Promise<{ name: DomainName; listing: Listing | undefined }> {
    const given = parseDomainName(text)
    if (!given) throw notFound('name')
    const listing =
      (await findListing(db, 'live', given.domain)) ??
      (await findListing(db, 'sandbox', given.domain))
    if (listing) return { name: given, listing }
    const { registrable } = registryName(given.domain)
    const name = registrable === null ? null : parseDomainName(registrable)
    if (name) return { name, listing: undefined }
    throw new Refusal('not_found', `${given.domain} is what names end in, and is no name itself.`)
  }

  async function offerOfListing({ call }: Visit, listing: Listing): Promise<OfferState> {
    const status = listingStatus(listing, call.now)
    const { domain } = listing
    return {
      domain,
      state: status === 'listed' ? 'for_sale' : status,
      registration: null,
      listing: publicPrice(call.caller, listing),
      asking: await askingOf(db, domain),
    }
  }

  async function whoisOf({ call }: Visit, domain: string): Promise<VNode> {
    try {
      await door.admit(whoisLookup, { ...call })
      return <WhoisFacts answer={await door.ask<WhoisAnswer>(whoisLookup, { domain }, call)} />
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return <Notice kind="warn">{spoken(error)}</Notice>
    }
  }
}
