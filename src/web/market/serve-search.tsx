import type { VNode } from 'preact'
import type { Environment } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { featuredListings, hasListings } from '../../domain/listings/featured-listings.ts'
import { publicPrice } from '../../domain/listings/public-price.ts'
import { type DomainResult, namesFor, searchDomain } from '../../domain/listings/search-domain.ts'
import { marketplaceIn } from '../../domain/partners/partner.ts'
import { findListings } from '../../domain/search/search-domains.ts'
import { mergeIterables } from '../../lib/as-completed.ts'
import { Name } from '../components/name.tsx'
import { Empty, Notice } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import { Place, StreamedParts, streamPage } from '../layout/stream-page.tsx'
import { Home } from './home.tsx'
import { listedFirst } from './listed-first.ts'
import { NameList, PriceHint, ResultRow, SaleRow, SearchBox } from './names.tsx'
import type { PageContext, PublicPages } from './public-pages.ts'
import { registrationLink } from './registration-link.ts'

/** Fills rows of one, two, three and four. */
const SHOWN = 12
const MAX_QUERY = 100

/** The first page, and what it finds. */
export function serveSearch(pages: PublicPages, app: AppContext): void {
  const { db, settings } = app

  pages.route('GET', '/', 'page home', async ({ reply, session, call }) => {
    const environment = await shownEnvironment()
    const rows = await featuredListings(db, call.now, environment, SHOWN)
    const names = rows.map((row) => ({ domain: row.domain, ...publicPrice(call.caller, row) }))
    return sendPage(
      reply,
      {
        title: 'Domain names for sale',
        wide: true,
        viewer: session?.user ?? null,
        description:
          'Find a domain name by what it is for, and buy it at one price: no fees, and your money back if the transfer fails.',
      },
      <Home names={names} isTest={environment === 'sandbox' && rows.length > 0} />,
    )
  })

  pages.route('GET', '/search', 'page search', async (page) => {
    const { reply, session, call, query } = page
    const q = query.q
    if (q === undefined) return reply.redirect('/', 303)
    if (q.length > MAX_QUERY) {
      return sendPage(
        reply,
        { title: 'Search', status: 400, wide: true, hidden: true, viewer: session?.user ?? null },
        <>
          <h1 class="hidden">Search</h1>
          <Notice kind="error">{`Use ${MAX_QUERY} characters at most.`}</Notice>
          <SearchBox q={q} />
        </>,
      )
    }
    const wanted = nameIn(q)
    const names = wanted === null ? [] : await namesFor({ db, app }, wanted)
    const slots = new Map(names.map(({ domain }, index) => [domain, `row-${index}`]))
    // What is for sale comes before what may be taken: the other names after the market's.
    const [asked, others] = [names.slice(0, 1), await listedFirst(db, names.slice(1))]
    return streamPage(
      reply,
      { title: `Search: ${q}`, wide: true, hidden: true, viewer: session?.user ?? null },
      <>
        <h1 class="hidden">{`Names for “${q}”`}</h1>
        <SearchBox q={q} />
        <StreamedParts
          waiting={
            <>
              {asked.length > 0 && <slot name="names-title" />}
              <NamePlaces names={asked} slots={slots} />
              <slot name="ideas" />
              {others.length > 0 && <slot name="others-title" />}
              <NamePlaces names={others} slots={slots} />
            </>
          }
        />
      </>,
      mergeIterables(rows(), ideas()),
    )

    async function* rows(): AsyncGenerator<VNode> {
      if (wanted === null) return
      yield <h2 slot="names-title">{wanted === q ? 'This name' : `${wanted}, as a name`}</h2>
      if (others.length > 0) yield <h2 slot="others-title">On other top-level domains</h2>
      for await (const row of pages.rows<DomainResult>(searchDomain, { q: wanted }, call)) {
        const registerAt = registrationLink(settings, row.domain)
        yield <ResultRow result={row} slot={slots.get(row.domain) ?? ''} registerAt={registerAt} />
      }
    }

    async function* ideas(): AsyncGenerator<VNode> {
      const found = await ideasFor(page, q ?? '')
      // The names that are asked for have their rows, with the price and the way to buy.
      const more = found.filter(
        ({ domain, environment }) => environment === 'sandbox' || !slots.has(domain),
      )
      if (found.length === 0 || more.length > 0) yield <Ideas q={q ?? ''} found={more} />
    }
  })

  /** An installation that sells nothing yet shows what its sandbox has. */
  async function shownEnvironment(): Promise<Environment> {
    return (await hasListings(db, 'live')) ? 'live' : 'sandbox'
  }

  /** What the marketplace's own search finds for sale. */
  async function ideasFor({ call }: PageContext, q: string) {
    const context = { db, app, now: call.now }
    const environment = await shownEnvironment()
    const found = await findListings(context, marketplaceIn(environment), q, {})
    return found.map((one) => ({ ...one, ...publicPrice(call.caller, one), environment }))
  }
}

/** Where the rows of names go that are asked for, and what stands there until then. */
function NamePlaces({
  names,
  slots,
}: {
  names: { domain: string }[]
  slots: ReadonlyMap<string, string>
}) {
  if (names.length === 0) return null
  return (
    <div part={names.length === 1 ? 'rows lone' : 'rows'} role="list">
      {names.map(({ domain }) => (
        <Place name={slots.get(domain) ?? ''} role="listitem">
          <Name domain={domain} /> <span part="asking">asking …</span>
        </Place>
      ))}
    </div>
  )
}

function Ideas({
  q,
  found,
}: {
  q: string
  found: {
    domain: string
    available: boolean
    why: string
    price_cents: number | null
    price_masked: boolean
    currency: string
  }[]
}) {
  return (
    <section slot="ideas" aria-labelledby="ideas">
      <h2 id="ideas">For sale here</h2>
      {found.length === 0 ? (
        <div class="panel">
          <Empty title="Nothing on the market comes near">
            <p>
              Say it in other words, or <a href="/browse">browse all names</a>.
            </p>
          </Empty>
        </div>
      ) : (
        <>
          <NameList label="For sale here">
            {found.map(({ domain, why, available, ...price }) => (
              <SaleRow domain={domain} price={price} isReserved={!available} note={why} />
            ))}
          </NameList>
          {found[0]?.price_masked && <PriceHint next={`/search?q=${encodeURIComponent(q)}`} />}
        </>
      )}
    </section>
  )
}

/** What of a question can be a name: itself, or its words in one. */
function nameIn(q: string): string | null {
  if (isName(q)) return q
  const joined = q.toLowerCase().replace(/[^\p{L}\p{M}\p{N}-]+/gu, '')
  return isName(joined) ? joined : null
}

function isName(q: string): boolean {
  return searchDomain.input.safeParse({ q }).success
}
