import { nameText, parseDomainName } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict, notFound } from '../../core/errors.ts'
import type { IdempotentRequest } from '../../core/idempotency.ts'
import type { User } from '../../domain/accounts/user.ts'
import { askForDomain } from '../../domain/brokerage/ask-for-domain.ts'
import { progressOf } from '../../domain/brokerage/list-buyers-cases.ts'
import { registryName } from '../../domain/registry/tlds.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { sha256 } from '../../lib/signature.ts'
import { errorText } from '../components/humanize.ts'
import { parseAmount } from '../components/money.ts'
import { sendPage } from '../layout/frame.tsx'
import { type FormContext, type PageContext, signedInPages } from '../layout/page-context.ts'
import { brokerageOption } from './brokerage-option.ts'
import { nameLink } from './names.tsx'
import { Offer, type OfferFields, type OfferProblems } from './offer.tsx'
import { createNameOffer } from './serve-name-offer.tsx'

/** Having a broker ask for a name that is taken, for somebody whose address is confirmed. */
export function serveOffer(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { db, settings } = app
  const pages = signedInPages(fastify, app, web)
  // Of a name that is for sale here it is an offer to whoever sells it, and anybody's to make.
  const nameOffer = createNameOffer(app, web)

  pages.get(
    '/d/:name/offer',
    async (page) => {
      const domain = domainOf(page)
      const asking = await brokerageOption(db, domain)
      if (asking === 'for_sale' || asking === 'test') {
        return page.reply.redirect(nameLink(domain), 303)
      }
      return show(page, domain)
    },
    nameOffer,
  )

  pages.post(
    '/d/:name/offer',
    async (page) => {
      const domain = domainOf(page)
      const fields = fieldsOf(page.form)
      const budget = parseAmount(fields.budget, HOME_CURRENCY)
      const problems: OfferProblems = {
        ...(budget === null && { budget: 'Write an amount such as 500 or 1,250.00.' }),
        ...(fields.note.length > 2_000 && { note: 'Use 2,000 characters at most.' }),
      }
      if (Object.keys(problems).length > 0)
        return show(page, domain, { fields, problems, status: 400 })
      try {
        const caseId = await open(page, domain, fields, budget ?? 0)
        const url = await progressOf(app, caseId)
        return url === null
          ? page.goOn('/account/offers', `A broker asks for ${domain}.`)
          : page.goOn(url.slice(settings.baseUrl.length))
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        return show(page, domain, { fields, rejected: errorText(error), status: error.status })
      }
    },
    nameOffer,
  )

  /** The case's id; the same one when the form comes twice. */
  async function open(
    { session, form, request, now }: FormContext,
    domain: string,
    { tier, note }: OfferFields,
    budget: number,
  ): Promise<string> {
    const { user } = session
    if ((await brokerageOption(db, domain)) === 'test') {
      throw conflict(
        'not_applicable',
        `${domain} is a name for tests, and nobody can be asked for it.`,
      )
    }
    const { value } = await web.execute(askForDomain, {
      caller: { kind: 'page', user, partner: null },
      now,
      requestId: request.id,
      idempotency: () => idempotencyOf(user),
      input: () => parseInput(askForDomain, { domain, tier, budget, note: note || null }),
    })
    return value.case_id

    function idempotencyOf({ id }: User): IdempotentRequest | null {
      const key = form.get('key') ?? ''
      if (!/^[\w-]{8,64}$/.test(key)) return null
      const path = request.url
      const fingerprint = sha256(form.toString())
      return { subject: `page:${id}`, method: 'POST', path, key, fingerprint }
    }
  }

  function show(
    { reply, session }: PageContext,
    domain: string,
    more: {
      fields?: OfferFields
      problems?: OfferProblems
      rejected?: string
      status?: number
    } = {},
  ): FastifyReply {
    const { status = 200, ...shown } = more
    return sendPage(
      reply,
      {
        title: `Ask for ${nameText(domain)}`,
        status,
        hidden: true,
        viewer: session.user,
        at: 'Names',
      },
      <Offer domain={domain} user={session.user} {...shown} />,
    )
  }
}

function fieldsOf(form: URLSearchParams): OfferFields {
  return {
    tier: form.get('tier') === 'self_serve' ? 'self_serve' : 'managed',
    budget: form.get('budget') ?? '',
    note: form.get('note')?.trim() ?? '',
  }
}

/** What is brokered is what registries register. */
function domainOf({ params }: PageContext): string {
  const name = parseDomainName(params.name ?? '')
  const registrable = name && registryName(name.domain).registrable
  if (!registrable || registrable !== params.name) throw notFound('name')
  return registrable
}
