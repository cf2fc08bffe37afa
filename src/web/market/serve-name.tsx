import { type DomainName, nameText, parseDomainName } from 'domain-marketplace-domain-names'
import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { AppContext } from '../../core/context.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  openMarketplaceSession,
  visitedSandbox,
} from '../../domain/checkout/open-marketplace-session.ts'
import {
  findListing,
  findLiveListing,
  type Listing,
  listingStatus,
  notListed,
} from '../../domain/listings/listing.ts'
import { publicPrice } from '../../domain/listings/public-price.ts'
import { type DomainResult, namesFor, searchDomain } from '../../domain/listings/search-domain.ts'
import { findTransferProblem } from '../../domain/listings/transferable.ts'
import { marketplaceIn } from '../../domain/partners/partner.ts'
import { pricesOf } from '../../domain/registry/read-tlds.ts'
import { findTld, registryName } from '../../domain/registry/tlds.ts'
import { type WhoisResponse, whoisLookup } from '../../domain/registry/whois-lookup.ts'
import { findListings } from '../../domain/search/search-domains.ts'
import { isPrefetch } from '../../http/prefetch.ts'
import { readForm } from '../../http/same-origin.ts'
import type { Web } from '../../http/web.ts'
import { mergeIterables } from '../../lib/as-completed.ts'
import { clickOf } from '../checkout/click-cookie.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { streamPage } from '../layout/stream-page.tsx'
import { brokerageOption } from './brokerage-option.ts'
import { headOf } from './name-head.ts'
import { NamePage, OfferPanel, type OfferState, offerOf } from './name-page.tsx'
import { NameList, NameRow, nameLink, Price, ResultRow } from './names.tsx'
import type { PageContext, PublicPages } from './public-pages.ts'
import { TldFacts, WhoisFacts } from './registry-facts.tsx'

/** A name's own page, and its buy button. */
export function serveName(pages: PublicPages, app: AppContext, web: Web): void {
  const { db, settings } = app

  pages.route('GET', '/d/:name', 'page name', async (page) => {
    const { reply, session, params } = page
    const { name, listing } = await nameOf(page)
    if (name.domain !== params.name) return reply.redirect(nameLink(name.domain), 301)
    const isTest = listing?.environment === 'sandbox'
    const [, ...siblings] = await namesFor({ db, app }, name.domain)
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
        ...(listing &&
          headOf(
            listing.domain,
            listingStatus(listing, page.call.now),
            publicPrice(page.call.caller, listing),
            app,
          )),
      },
      <NamePage domain={name.domain} siblings={[...slots.keys()]} isTest={isTest} />,
      mergeIterables(known(), answers(), whois(), similar()),
    )

    /** What needs nobody else's word. */
    async function* known(): AsyncGenerator<VNode> {
      if (listing) yield <OfferPanel {...(await offerOfListing(page, listing))} />
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
      const rows = pages.rows<DomainResult>(searchDomain, { q: name.domain }, page.call)
      for await (const row of rows) {
        const slot = slots.get(row.domain)
        if (slot !== undefined) yield <ResultRow result={row} slot={slot} />
        else if (!listing)
          yield <OfferPanel {...offerOf(row, await brokerageOption(db, row.domain))} />
      }
    }

    async function* whois(): AsyncGenerator<VNode> {
      yield (
        <section slot="whois" aria-labelledby="whois">
          <h2 id="whois">WHOIS</h2>
          <div class="panel">{await whoisOf(page, name.domain)}</div>
        </section>
      )
    }

    /** What could be had instead. */
    async function* similar(): AsyncGenerator<VNode> {
      if (listing && listingStatus(listing, page.call.now) !== 'sold') return
      const context = { db, app, now: page.call.now }
      const found = await findListings(context, marketplaceIn('live'), name.label, {})
      if (found.length === 0) return
      yield (
        <section slot="similar" aria-labelledby="similar">
          <h2 id="similar">Names like it, for sale here</h2>
          <NameList label="Names like it">
            {found.map((row) => (
              <NameRow domain={row.domain} note={row.why}>
                <Price {...publicPrice(page.call.caller, row)} />
              </NameRow>
            ))}
          </NameList>
        </section>
      )
    }
  })

  pages.route('POST', '/d/:name', 'page buy', async (page) => {
    readForm(page.request, settings.baseUrl)
    return await openCheckout(page)
  })

  // A name's lander is at another host, from which no form of ours is sent.
  pages.route('GET', '/d/:name/checkout', 'page buy from lander', async (page) => {
    const { request, reply, params } = page
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
    if (!isPrefetch(request)) return await openCheckout(page)
    return reply.redirect(nameLink(params.name ?? ''), 302)
  })

  async function openCheckout(page: PageContext): Promise<FastifyReply> {
    const { request, reply, call } = page
    const { name, listing } = await nameOf(page)
    if (!listing) throw notListed(name.domain)
    const { environment, domain } = listing
    const problem = await findTransferProblem(app, environment, domain, call.client)
    if (problem) throw problem
    await web.countRow(request, 'session', call.now)
    const click = clickOf(app, environment, request, call.now)
    const url = await inTransaction(app, (tx) =>
      openMarketplaceSession({ tx, now: call.now, app }, environment, domain, click),
    )
    // Relative, so that the buyer stays on the host that has the cookie.
    return reply.redirect(url.slice(settings.baseUrl.length), 303)
  }

  /** A name that has a page: one that is listed as it is, live before sandbox, or that can be registered. */
  async function nameOf({ request, params, call }: PageContext): Promise<{
    name: DomainName
    listing: Listing | undefined
  }> {
    const given = parseDomainName(params.name ?? '')
    if (!given) throw notFound('name')
    const listing =
      (await findLiveListing(db, given.domain)) ??
      (await findListing(
        db,
        await visitedSandbox(db, clickOf(app, 'sandbox', request, call.now)),
        given.domain,
      ))
    if (listing) return { name: given, listing }
    const { registrable } = registryName(given.domain)
    const name = registrable === null ? null : parseDomainName(registrable)
    if (name) return { name, listing: undefined }
    throw new ApiError('not_found', `${given.domain} is what names end in, and is no name itself.`)
  }

  async function offerOfListing({ call }: PageContext, listing: Listing): Promise<OfferState> {
    const status = listingStatus(listing, call.now)
    const { domain } = listing
    return {
      domain,
      state: status === 'listed' ? 'for_sale' : status,
      registration: null,
      listing: publicPrice(call.caller, listing),
      asking: await brokerageOption(db, domain),
      takesOffers: listing.offers === 'open',
    }
  }

  async function whoisOf({ call }: PageContext, domain: string): Promise<VNode> {
    try {
      await pages.admit(whoisLookup, call)
      return <WhoisFacts answer={await pages.ask<WhoisResponse>(whoisLookup, { domain }, call)} />
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return <Notice kind="warn">{errorText(error)}</Notice>
    }
  }
}
