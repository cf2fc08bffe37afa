import { seesPrices } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { readPlace, writePlace } from '../../core/cursor.ts'
import { ApiError } from '../../core/errors.ts'
import { tldField } from '../../core/fields.ts'
import { type ListingsPage, listListings } from '../../domain/listings/list-listings.ts'
import { MARKET_SORTS, wordsOf } from '../../domain/listings/market.ts'
import { placeOfTld, pricesOf, readTlds, TLD_SORTS } from '../../domain/registry/read-tlds.ts'
import { mustFindTld } from '../../domain/registry/tlds.ts'
import { type WhoisResponse, whoisLookup } from '../../domain/registry/whois-lookup.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { parseAmount } from '../components/money.ts'
import { sendPage } from '../layout/frame.tsx'
import { Browse, type BrowseFields } from './browse.tsx'
import type { PageContext, PublicPages } from './public-pages.ts'
import { reservedNames } from './reserved-names.ts'
import { TldPage, Tlds } from './tlds.tsx'
import { Whois, type WhoisResult } from './whois.tsx'

const TLDS_A_PAGE = 100

/** What is for sale, what registrations cost, and who has a name. */
export function serveLists(pages: PublicPages, app: AppContext): void {
  const { db, secrets } = app

  pages.route('GET', '/browse', 'page browse', async (ctx) => {
    const { reply, session, query } = ctx
    const fields: BrowseFields = {
      q: query.q,
      tld: query.tld,
      min: query.min,
      max: query.max,
      length: query.length,
      sort: MARKET_SORTS.find((sort) => sort === query.sort) ?? 'newest',
      cursor: query.cursor,
    }
    const { page, problems } = await listed(ctx, fields)
    return sendPage(
      reply,
      {
        title: 'Names for sale',
        status: Object.keys(problems).length > 0 ? 400 : 200,
        wide: true,
        viewer: session?.user ?? null,
        at: 'Names',
        hidden: fields.cursor !== undefined,
        description: 'Domain names that are for sale now, by word, ending, length and price.',
      },
      <Browse
        fields={fields}
        page={page}
        reserved={await reservedNames(db, page?.items ?? [], ctx.call.now)}
        problems={problems}
        mayFilterPrices={seesPrices(ctx.call.caller)}
      />,
    )
  })

  /** The page of the list, or what is wrong with the filters. */
  async function listed({ call }: PageContext, fields: BrowseFields) {
    const problems: Partial<Record<keyof BrowseFields, string>> = {}
    if (fields.q !== undefined && wordsOf(fields.q).length === 0) {
      problems.q = 'Use letters or digits of a name.'
    }
    const min = centsIn('min')
    const max = centsIn('max')
    if (min !== undefined && max !== undefined && min > max) problems.min = 'Is above the highest.'
    const length = fields.length === undefined ? undefined : Number(fields.length)
    if (length !== undefined && !(Number.isInteger(length) && length > 0 && length < 64)) {
      problems.length = 'Choose 1 to 63 characters.'
    }
    if (fields.tld !== undefined && !tldField.safeParse(fields.tld).success) {
      problems.tld = 'Write it as com or co.uk.'
    }
    if (Object.keys(problems).length > 0) return { page: null, problems }
    const input = {
      q: fields.q,
      tld: fields.tld,
      min,
      max,
      max_length: length,
      sort: fields.sort,
      cursor: fields.cursor,
      limit: 50,
    }
    return { page: await pages.ask<ListingsPage>(listListings, input, call), problems }

    /** Whole dollars or with cents; only who sees prices filters by them. */
    function centsIn(name: 'min' | 'max'): number | undefined {
      const text = fields[name]
      if (text === undefined || !seesPrices(call.caller)) return undefined
      const cents = parseAmount(text, HOME_CURRENCY)
      if (cents !== null) return cents
      problems[name] = 'Write an amount such as 500 or 1,250.00.'
      return undefined
    }
  }

  pages.route('GET', '/tlds', 'page tlds', async ({ reply, session, query }) => {
    const sort = TLD_SORTS.find((known) => known === query.sort) ?? 'tld'
    const q = query.q ?? ''
    const bound = { list: 'tlds', q, sort }
    const after = query.cursor === undefined ? null : readPlace(secrets, query.cursor, bound)
    const rows = await readTlds(db, { q, sort, after, count: TLDS_A_PAGE + 1 })
    const shown = rows.slice(0, TLDS_A_PAGE)
    const last = shown.at(-1)
    const next =
      rows.length > TLDS_A_PAGE && last
        ? writePlace(secrets, placeOfTld(last, sort, (after?.offset ?? 0) + shown.length), bound)
        : null
    return sendPage(
      reply,
      {
        title: 'What registrations cost',
        wide: true,
        viewer: session?.user ?? null,
        at: 'Prices',
        hidden: query.cursor !== undefined,
        description:
          'What it costs to register, renew and transfer a domain name, for each ending.',
      },
      <Tlds q={q} sort={sort} cursor={query.cursor} rows={shown} next={next} />,
    )
  })

  pages.route('GET', '/tlds/:tld', 'page tld', async ({ reply, session, params, call }) => {
    const asked = tldField.safeParse(params.tld ?? '')
    if (!asked.success) throw new ApiError('not_found', 'There is no such top-level domain.')
    if (asked.data !== params.tld) return reply.redirect(`/tlds/${asked.data}`, 301)
    const tld = mustFindTld(asked.data)
    const [prices, names] = await Promise.all([
      pricesOf(db, tld.tld),
      pages.ask<ListingsPage>(listListings, { tld: tld.tld, limit: 12 }, call),
    ])
    return sendPage(
      reply,
      {
        title: `.${tld.tld}`,
        wide: true,
        viewer: session?.user ?? null,
        at: 'Prices',
        description: `What a .${tld.tld} domain name costs, and which ones are for sale.`,
      },
      <TldPage
        tld={tld}
        prices={prices}
        names={names}
        reserved={await reservedNames(db, names.items, call.now)}
      />,
    )
  })

  pages.route('GET', '/whois', 'page whois', async ({ reply, session, query, call }) => {
    const domain = query.domain
    const looked = domain === undefined ? null : await lookUp(domain, call)
    return sendPage(
      reply,
      {
        title: domain === undefined ? 'WHOIS' : `WHOIS of ${domain}`,
        status: looked && 'problem' in looked ? looked.status : 200,
        wide: true,
        hidden: domain !== undefined,
        viewer: session?.user ?? null,
        at: 'WHOIS',
        description: 'Who holds a domain name, since when and until when, from its registry.',
      },
      <Whois domain={domain} looked={looked} />,
    )
  })

  async function lookUp(domain: string, call: PageContext['call']): Promise<WhoisResult> {
    try {
      await pages.admit(whoisLookup, call)
      return { response: await pages.ask<WhoisResponse>(whoisLookup, { domain }, call) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { code, message, status } = error
      const isMalformed = code === 'validation_error'
      return { problem: isMalformed ? 'Write a whole name such as example.com.' : message, status }
    }
  }
}
