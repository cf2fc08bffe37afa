import { nameText, parseDomainName } from 'domain-marketplace-domain-names'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict } from '../../core/errors.ts'
import { type IdempotentRequest, idempotencyKey } from '../../core/idempotency.ts'
import {
  findListing,
  findLiveListing,
  type Listing,
  listingStatus,
} from '../../domain/listings/listing.ts'
import { publicPrice } from '../../domain/listings/public-price.ts'
import { makeOfferOnPage } from '../../domain/offers/offer-pages.ts'
import { marketplaceIn } from '../../domain/partners/partner.ts'
import { parseInput } from '../../http/input.ts'
import { readSession } from '../../http/session-cookie.ts'
import { addressOf, type Web } from '../../http/web.ts'
import { sha256 } from '../../lib/signature.ts'
import { errorText, fieldText } from '../components/humanize.ts'
import { parseAmount } from '../components/money.ts'
import { setFlash } from '../layout/flash.ts'
import { sendPage } from '../layout/frame.tsx'
import type { OpenToAll } from '../layout/page-context.ts'
import { withoutPrice } from '../offers/read-move.ts'
import { NameOffer, type NameOfferFields, type NameOfferProblems } from './name-offer.tsx'
import { nameLink } from './names.tsx'

/** What the API calls the fields of the form. */
const FIELDS: Record<string, keyof NameOfferFields> = {
  amount_cents: 'amount',
  'buyer.email': 'email',
  'buyer.name': 'name',
  message: 'message',
}

interface Shown {
  fields?: NameOfferFields
  problems?: NameOfferProblems
  error?: ApiError
}

/** Offers for names that are for sale here; null for a name that is not, for which a broker can be asked. */
export function createNameOffer(app: AppContext, web: Web): OpenToAll {
  const { db, settings } = app

  return async (request, reply, form) => {
    const listing = await listingOf(request)
    if (!listing) return null
    const now = app.clock.now()
    if (listingStatus(listing, now) === 'sold') return null
    await web.countUnauthenticated(request, now)
    if (form) return await take(request, reply, listing, form)
    if (listing.offers === 'off') return reply.redirect(nameLink(listing.domain), 303)
    return await show(request, reply, listing)
  }

  async function listingOf(request: FastifyRequest): Promise<Listing | undefined> {
    const { name = '' } = request.params as Record<string, string>
    const domain = parseDomainName(name)?.domain
    if (domain === undefined) return undefined
    return (
      (await findLiveListing(db, domain)) ??
      (await findListing(db, marketplaceIn('sandbox'), domain))
    )
  }

  async function take(
    request: FastifyRequest,
    reply: FastifyReply,
    listing: Listing,
    form: URLSearchParams,
  ): Promise<FastifyReply> {
    const now = app.clock.now()
    const fields = fieldsOf(form)
    const amount = parseAmount(fields.amount, listing.currency)
    const input = (amount_cents: number) =>
      parseInput(makeOfferOnPage, {
        environment: listing.environment,
        domain: listing.domain,
        amount_cents,
        currency: listing.currency,
        buyer: { email: fields.email, name: fields.name || null },
        message: fields.message || null,
      })
    if (amount === null) {
      const problems = {
        ...othersIn(() => input(1)),
        amount: 'Write an amount such as 500 or 1,250.00.',
      }
      return await show(request, reply, listing, { fields, problems })
    }
    try {
      if (listing.offers === 'off') {
        throw conflict('offers_closed', `The seller takes no offers for ${listing.domain}.`)
      }
      const make = () =>
        web.execute(makeOfferOnPage, {
          caller: { kind: 'page', user: null, partner: null },
          now,
          requestId: request.id,
          idempotency: () => idempotencyOf(request, form),
          input: () => input(amount),
        })
      const { value } = await web.makeRow(request, 'offer', now, make, (made) => !made.replayed)
      setFlash(reply, settings.baseUrl, `We have sent the link to this page to ${fields.email}.`)
      return reply.redirect(value.url.slice(settings.baseUrl.length), 303)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error
      return await show(request, reply, listing, { fields, error })
    }
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    listing: Listing,
    { fields, problems, error }: Shown = {},
  ): Promise<FastifyReply> {
    const session = await readSession(request, app)
    const user = session?.user ?? null
    const caller = user
      ? ({ kind: 'user', subject: user.id, via: 'session' } as const)
      : ({ kind: 'anonymous', priced: settings.pagePrices === 'shown' } as const)
    const { price_cents } = publicPrice(caller, listing)
    const told = error && price_cents === null ? withoutPrice(error) : error
    const wrong = told ? problemsIn(told) : problems
    const empty = { email: user?.email ?? '', name: '', amount: '', message: '' }
    return sendPage(
      reply,
      {
        title: `Make an offer for ${nameText(listing.domain)}`,
        status: error?.status ?? (problems ? 400 : 200),
        hidden: true,
        viewer: user,
        at: 'Names',
      },
      <NameOffer
        listing={listing}
        priceCents={price_cents}
        fields={fields ?? empty}
        problems={wrong}
        rejected={told && Object.keys(wrong ?? {}).length === 0 ? errorText(told) : undefined}
      />,
    )
  }
}

function fieldsOf(form: URLSearchParams): NameOfferFields {
  return {
    email: form.get('email')?.trim() ?? '',
    name: form.get('name')?.trim() ?? '',
    amount: form.get('amount') ?? '',
    message: (form.get('message') ?? '').replace(/\r\n?/g, '\n').trim(),
  }
}

/** What is wrong, beside the field that it is about. */
function problemsIn({ issues, details, message }: ApiError): NameOfferProblems {
  const problems: NameOfferProblems = {}
  for (const issue of issues) {
    const field = FIELDS[issue.field]
    if (field) problems[field] ??= fieldText(issue)
  }
  const { field } = (details ?? {}) as { field?: string }
  if (field === 'amount_cents') problems.amount = message
  return problems
}

/** What is wrong beside the amount, so that every field is marked at once. */
function othersIn(parse: () => unknown): NameOfferProblems {
  try {
    parse()
    return {}
  } catch (error) {
    if (error instanceof ApiError) return problemsIn(error)
    throw error
  }
}

function idempotencyOf(request: FastifyRequest, form: URLSearchParams): IdempotentRequest | null {
  const key = idempotencyKey(form.get('once') ?? undefined)
  if (key === null) return null
  const subject = `page:${addressOf(request)}`
  return { subject, method: 'POST', path: request.url, key, fingerprint: sha256(form.toString()) }
}
