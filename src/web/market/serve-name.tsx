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
import { readForm } from '../../http/same-origin.ts'
import { isCounted } from '../../http/visit.ts'
import type { Web } from '../../http/web.ts'
import { mergeIterables } from '../../lib/as-completed.ts'
import { clickOf } from '../checkout/click-cookie.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { streamPage } from '../layout/stream-page.tsx'
import { brokerageOption } from './brokerage-option.ts'
import { Reserved } from './buy-box.tsx'
import { listedFirst } from './listed-first.ts'
import { headOf } from './name-head.ts'
import { Fold, NameForSale, NamePage, OfferPanel, type OfferState, offerOf } from './name-page.tsx'
import { NameList, nameLink, ResultRow, SaleRow } from './names.tsx'
import type { PageContext, PublicPages, PublicPagesOptions } from './public-pages.ts'
import { registrationLink } from './registration-link.ts'
import { TldFacts, WhoisFacts } from './registry-facts.tsx'
import { Shop } from './shop.tsx'

/** A name's own page, and its buy button. */
export function serveName(
  pages: PublicPages,
  app: AppContext,
  web: Web,
  options: Pick<PublicPagesOptions, 'views'>,
): void {
  const { db, settings } = app

  pages.route('GET', '/d/:name', 'page name', async (page) => {
    const { request, reply, session, params } = page
    const { name, listing } = await nameOf(page)
    if (name.domain !== params.name) return reply.redirect(nameLink(name.domain), 301)
    const isTest = listing?.environment === 'sandbox'
    const status = listing && listingStatus(listing, page.call.now)
    const isOnMarket = status === 'listed' || status === 'reserved'
    if (listing && isOnMarket && !isTest && isCounted(request)) {
      options.views.note(listing.domain, 'page', page.call.now)
    }
    const [, ...others] = await namesFor({ db, app }, name.domain)
    const siblings = await listedFirst(db, others)
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
          status &&
          headOf(listing.domain, status, publicPrice(page.call.caller, listing), app)),
      },
      <NamePage
        domain={name.domain}
        forSale={
          listing && isOnMarket ? (
            <Shop
              domain={listing.domain}
              eyebrow={status === 'listed' ? 'Domain name for sale' : 'Domain name'}
              description={listing.description}
              isSellersOwn={listing.seller_id !== null}
            >
              {status === 'reserved' ? (
                <Reserved />
              ) : (
                <NameForSale
                  domain={listing.domain}
                  listing={publicPrice(page.call.caller, listing)}
                  takesOffers={listing.offers === 'open'}
                />
              )}
            </Shop>
          ) : null
        }
        siblings={[...slots.keys()]}
        isTest={isTest}
      />,
      mergeIterables(known(), verdict(), whois(), similar()),
    )

    /** What needs nobody else's word. */
    async function* known(): AsyncGenerator<VNode> {
      if (listing && !isOnMarket) yield <OfferPanel {...(await soldPanel(listing))} />
      const tld = findTld(name.tld)
      if (tld) {
        const prices = await pricesOf(db, tld.tld)
        // Nobody registers it here: a price would promise that.
        if (registrationLink(settings, name.domain) === null) prices.register = null
        yield (
          <Fold slot="tld" title={`About .${tld.tld}`} open={!isOnMarket}>
            <TldFacts tld={tld} prices={prices} />
            <p class="soft">
              <a href={`/tlds/${tld.tld}`}>{`All about .${tld.tld}`}</a>
            </p>
          </Fold>
        )
      }
      if (slots.size > 0) yield <h2 slot="siblings">On other top-level domains</h2>
    }

    async function* verdict(): AsyncGenerator<VNode> {
      const rows = pages.rows<DomainResult>(searchDomain, { q: name.domain }, page.call)
      for await (const row of rows) {
        const slot = slots.get(row.domain)
        const registerAt = registrationLink(settings, row.domain)
        if (slot !== undefined) {
          yield <ResultRow result={row} slot={slot} registerAt={registerAt} />
        } else if (!listing) {
          const asking = await brokerageOption(db, row.domain)
          yield <OfferPanel {...offerOf(row, asking, registerAt)} />
        }
      }
    }

    async function* whois(): AsyncGenerator<VNode> {
      yield (
        <Fold slot="whois" title="WHOIS" open={!isOnMarket}>
          {await whoisOf(page, name.domain)}
        </Fold>
      )
    }

    /** What could be had instead. */
    async function* similar(): AsyncGenerator<VNode> {
      const context = { db, app, now: page.call.now }
      const market = marketplaceIn(listing?.environment ?? 'live')
      const all = await findListings(context, market, name.label, {})
      const found = all.filter(({ domain }) => domain !== listing?.domain)
      if (found.length === 0) return
      yield (
        <section slot="similar" aria-labelledby="similar">
          <h2 id="similar">Names like it, for sale here</h2>
          <NameList label="Names like it">
            {found.map((row) => (
              <SaleRow
                domain={row.domain}
                price={publicPrice(page.call.caller, row)}
                isReserved={!row.available}
                note={row.why}
              />
            ))}
          </NameList>
        </section>
      )
    }
  })

  pages.route('POST', '/d/:name', 'page buy', async (page) => {
    readForm(page.request, settings.baseUrl)
    return await openCheckout(page, { byLander: false })
  })

  // A name's lander is at another host, from which no form of ours is sent.
  pages.route('GET', '/d/:name/checkout', 'page buy from lander', async (page) => {
    const { request, reply, params } = page
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
    if (isCounted(request)) return await openCheckout(page, { byLander: true })
    return reply.redirect(nameLink(params.name ?? ''), 302)
  })

  async function openCheckout(
    page: PageContext,
    { byLander }: { byLander: boolean },
  ): Promise<FastifyReply> {
    const { request, reply, call } = page
    const { name, listing } = await nameOf(page)
    if (!listing) throw notListed(name.domain)
    const { environment, domain } = listing
    const problem = await findTransferProblem(app, environment, domain, call.client)
    if (problem) throw problem
    const { now } = call
    const click = clickOf(app, environment, request, now)
    const url = await web.makeRow(request, 'session', now, () =>
      inTransaction(app, (tx) =>
        openMarketplaceSession({ tx, now, app }, environment, domain, { click, byLander }),
      ),
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

  async function soldPanel({ domain }: Listing): Promise<OfferState> {
    const asking = await brokerageOption(db, domain)
    return { domain, state: 'sold', registration: null, listing: null, asking, registerAt: null }
  }

  async function whoisOf({ call }: PageContext, domain: string): Promise<VNode> {
    try {
      await pages.admit(whoisLookup, call)
      return <WhoisFacts response={await pages.ask<WhoisResponse>(whoisLookup, { domain }, call)} />
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return <Notice kind="warn">{errorText(error)}</Notice>
    }
  }
}
