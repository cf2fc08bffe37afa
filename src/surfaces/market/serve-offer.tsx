import type { FastifyInstance, FastifyReply } from 'fastify'
import { conflict, notFound, Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { Attempt } from '../../kernel/idempotency.ts'
import { nameText, parseDomainName } from '../../lib/domain-name.ts'
import { sha256 } from '../../lib/signature.ts'
import type { User } from '../../modules/accounts/user.ts'
import { countRunning, progressOf } from '../../modules/brokerage/list-buyers-cases.ts'
import { openCase } from '../../modules/brokerage/open-case.ts'
import { HOUSE_PARTNER } from '../../modules/partners/partner.ts'
import { registryName } from '../../modules/registry/tlds.ts'
import { parseInput } from '../input.ts'
import { sendPage } from '../pages/frame.tsx'
import { parseAmount } from '../pages/money.ts'
import { spoken } from '../pages/spoken.ts'
import { type PostVisit, signedInPages, type Visit } from '../pages/visit.ts'
import { performWrite } from '../perform.ts'
import type { Web } from '../web.ts'
import { askingOf } from './asking.ts'
import { nameLink } from './names.tsx'
import { Offer, type OfferFields, type OfferProblems } from './offer.tsx'

/** A case keeps others from asking for its name, so nobody may hold many. */
const MAX_RUNNING = 10
const PARTNER = { partnerId: HOUSE_PARTNER, environment: 'live' } as const

/** Having a broker ask for a name that is taken, for somebody whose address is confirmed. */
export function serveOffer(app: FastifyInstance, house: House, web: Web): void {
  const { db, settings } = house
  const pages = signedInPages(app, house, web)

  pages.get('/d/:name/offer', async (visit) => {
    const domain = domainOf(visit)
    const asking = await askingOf(db, domain)
    if (asking === 'for_sale' || asking === 'test') {
      return visit.reply.redirect(nameLink(domain), 303)
    }
    return show(visit, domain)
  })

  pages.post('/d/:name/offer', async (visit) => {
    const domain = domainOf(visit)
    const fields = fieldsOf(visit.form)
    const budget = parseAmount(fields.budget)
    const problems: OfferProblems = {
      ...(budget === null && { budget: 'Write an amount such as 500 or 1,250.00.' }),
      ...(fields.note.length > 2_000 && { note: 'Use 2,000 characters at most.' }),
    }
    if (Object.keys(problems).length > 0)
      return show(visit, domain, { fields, problems, status: 400 })
    try {
      const caseId = await open(visit, domain, fields, budget ?? 0)
      const url = await progressOf(house, caseId)
      return url === null
        ? visit.goOn('/account/offers', `A broker asks for ${domain}.`)
        : visit.goOn(url.slice(settings.baseUrl.length))
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      return show(visit, domain, { fields, refused: spoken(error), status: error.status })
    }
  })

  /** The case's id; the same one when the form comes twice. */
  async function open(
    { session, form, request, now }: PostVisit,
    domain: string,
    { tier, note }: OfferFields,
    budget: number,
  ): Promise<string> {
    const { user } = session
    if ((await askingOf(db, domain)) === 'test') {
      throw conflict(`${domain} is a name for tests, and nobody can be asked for it.`)
    }
    if (user.email_confirmed_at === null) {
      throw new Refusal('forbidden', 'Confirm your e-mail address first: we have sent you a link.')
    }
    const input = parseInput(openCase, {
      domain,
      tier,
      budget,
      buyer_email: user.email,
      note: note || null,
    })
    const prepared = await openCase.prepare?.({ db, now, house, partner: PARTNER }, input)
    const answer = await performWrite(
      house,
      { status: 201 },
      now,
      attemptOf(user),
      async (context) => {
        if ((await countRunning(context.tx, user.email)) >= MAX_RUNNING) {
          throw conflict(`You have ${MAX_RUNNING} offers running. Wait for one to end.`)
        }
        const opened = await openCase.handler({ ...context, partner: PARTNER, prepared }, input)
        return { case_id: opened.case_id }
      },
    )
    return (JSON.parse(answer.body) as { case_id: string }).case_id

    function attemptOf({ id }: User): Attempt | null {
      const key = form.get('key') ?? ''
      if (!/^[\w-]{8,64}$/.test(key)) return null
      const path = request.url
      const fingerprint = sha256(form.toString())
      return { subject: `page:${id}`, method: 'POST', path, key, fingerprint }
    }
  }

  function show(
    { reply, session }: Visit,
    domain: string,
    more: {
      fields?: OfferFields
      problems?: OfferProblems
      refused?: string
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
function domainOf({ params }: Visit): string {
  const name = parseDomainName(params.name ?? '')
  const registrable = name && registryName(name.domain).registrable
  if (!registrable || registrable !== params.name) throw notFound('name')
  return registrable
}
