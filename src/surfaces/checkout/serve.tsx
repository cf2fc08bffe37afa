import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { nameText } from '../../lib/domain-name.ts'
import { creditClick } from '../../modules/checkout/open-house-session.ts'
import { catchUp, startPayment, takeOutcome } from '../../modules/checkout/pay.ts'
import {
  changeOpenSession,
  findByToken,
  type Session,
  sessionStatus,
} from '../../modules/checkout/session.ts'
import { HOUSE_PARTNER } from '../../modules/partners/partner.ts'
import { isUnderWay, type Payment } from '../../modules/payments/payment.ts'
import type { Card, PaymentProvider } from '../../modules/payments/provider.ts'
import { readForm } from '../pages/same-origin.ts'
import type { Web } from '../web.ts'
import { clickOf } from './click-cookie.ts'
import { demandsOf, type Problems, readCard, readDetails } from './details.ts'
import { detailsCookie, gaveDetails, markOfDetails } from './details-cookie.ts'
import { Confirm, checkoutPath, Lander, PaymentForm } from './forms.tsx'
import { endOf } from './outcomes.tsx'
import { createReaders } from './read.ts'
import { countryOf, page, providerOf, queryOf } from './visit.tsx'

const LOOK_AGAIN_SECONDS = 2

/** A request to a page of a checkout: its session, and the token that opened it. */
interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
  token: string
}

/** The pages on which buyers pay. They are known by their signed token alone, and need no script. */
export function serveCheckout(app: FastifyInstance, house: House, web: Web): void {
  const { clock, settings } = house
  const read = createReaders(house.db)

  route('GET', '/checkout', showCheckout)
  route('POST', '/checkout/details', takeDetails)
  route('GET', '/checkout/payment', (visit) => showPayment(visit))
  route('POST', '/checkout/payment', takePayment)
  route('GET', '/checkout/confirm', showConfirm)
  route('POST', '/checkout/confirm', takeConfirm)
  route('POST', '/checkout/cancel', cancel)
  // Where a refused form leaves its sender: opened anew, it is the page with the form.
  route('GET', '/checkout/details', async ({ reply, token }) => back(reply, token))
  route('GET', '/checkout/cancel', async ({ reply, token }) => back(reply, token))

  function route(
    method: 'GET' | 'POST',
    url: string,
    handler: (visit: Visit) => Promise<FastifyReply>,
  ): void {
    app.route({
      method,
      url,
      config: { page: true, operation: `page ${url}` },
      handler: async (request, reply) => {
        await web.countUnauthenticated(request, clock.now())
        const token = queryOf(request).get('pt') ?? ''
        const session = await findByToken(house, token)
        if (!session) {
          throw new Refusal(
            'not_found',
            'This checkout link is not complete, or not one of ours. Please open it again as you got it.',
          )
        }
        return await handler({ request, reply, session, token })
      },
    })
  }

  /** One address shows how the checkout stands: what is for sale, that it is paid, or why it is not. */
  async function showCheckout(visit: Visit): Promise<FastifyReply> {
    const { request, reply } = visit
    const session = await comeBack(visit)
    if (await showEnd({ ...visit, session })) return reply
    // The link may have gone through several hands: what one of them filled in is for nobody else to read.
    const known = (gaveDetails(house, request, session) && session.registrant) || session.buyer
    const values: Record<string, string> = {}
    for (const [name, value] of Object.entries(known)) if (value) values[name] = value
    const allowed = demandsOf(session).countries.map(({ code }) => code)
    // What no option stands for, such as a partner's UK, would leave the first country of all selected.
    const guesses = [values.country, session.buyer.country, countryOf(request), 'US']
    values.country = guesses.find((guess) => guess && allowed.includes(guess)) ?? allowed[0] ?? ''
    return showLander({ ...visit, session }, values)
  }

  function showLander(visit: Visit, values: Record<string, string>, problems: Problems = {}) {
    const { reply, session, token } = visit
    return page(
      house,
      reply,
      session,
      nameText(session.domain),
      Object.keys(problems).length > 0 ? 400 : 200,
      <Lander
        session={session}
        token={token}
        demands={demandsOf(session)}
        values={values}
        problems={problems}
      />,
    )
  }

  async function comeBack({ request, session }: Visit): Promise<Session> {
    const paymentId = queryOf(request).get('payment')
    if (session.status !== 'open' || paymentId === null) return session
    const payment = await read.lastPayment(session)
    if (payment?.id !== paymentId || payment.provider === 'test') return session
    if (payment.status !== 'action_required' && payment.status !== 'processing') return session
    await catchUp(house, payment)
    return (await read.session(session)) ?? session
  }

  /** Sends the page of a checkout that needs nothing more of the buyer; false while it does. */
  async function showEnd({ reply, session }: Visit): Promise<boolean> {
    const end = await endOf(read, session, clock.now())
    if (!end) return false
    if (end.isWaiting) reply.header('refresh', String(LOOK_AGAIN_SECONDS))
    page(house, reply, session, end.title, end.status, end.body)
    return true
  }

  async function takeDetails(visit: Visit): Promise<FastifyReply> {
    const { request, reply, session, token } = visit
    const form = readForm(request, settings.baseUrl)
    if (await isClosed(visit)) return back(reply, token)
    const result = readDetails(form, demandsOf(session))
    if ('problems' in result) return showLander(visit, Object.fromEntries(form), result.problems)
    const { registrant } = result
    await changeOpenSession(house, session, clock.now(), { registrant })
    const changed = (await read.session(session)) ?? session
    reply.header('set-cookie', detailsCookie(house, changed))
    await credit(visit)
    return reply.redirect(checkoutPath(token, '/payment'), 303)
  }

  async function showPayment(
    visit: Visit,
    answer: PaymentAnswer = NO_ANSWER,
  ): Promise<FastifyReply> {
    const { request, reply, session, token } = visit
    if (session.registrant === null || (await isClosed(visit))) return back(reply, token)
    const payment = await read.lastPayment(session)
    const declined =
      payment?.status === 'failed'
        ? `${payment.reason} Nothing was charged. Try again, or use another card.`
        : null
    return page(
      house,
      reply,
      session,
      `Pay for ${nameText(session.domain)}`,
      answer.status,
      <PaymentForm
        session={session}
        token={token}
        details={markOfDetails(house, session)}
        isTheirs={gaveDetails(house, request, session)}
        asksForCard={providerOf(house, session).asksForCard}
        card={answer.card}
        problems={answer.problems}
        refused={answer.refused ?? (Object.keys(answer.problems).length > 0 ? null : declined)}
      />,
    )
  }

  async function takePayment(visit: Visit): Promise<FastifyReply> {
    const { request, reply, token } = visit
    const form = readForm(request, settings.baseUrl)
    if (visit.session.registrant === null || (await isClosed(visit))) return back(reply, token)
    const provider = providerOf(house, visit.session)
    const { card, problems } = provider.asksForCard
      ? readCard(form, clock.now())
      : { card: null, problems: {} }
    if (Object.keys(problems).length > 0) {
      return await showPayment(visit, { card, problems, status: 400 })
    }
    const seen = form.get('details')
    if (seen !== null && seen !== markOfDetails(house, visit.session)) {
      return await showPayment(visit, { card, problems, status: 409, refused: CHANGED })
    }
    const session = { ...visit.session, ...(await credit(visit)) }
    const outcome = await startPayment(house, provider, session, card, {
      returnUrl: (paymentId) => pageUrl(provider, token, paymentId),
      cancelUrl: `${settings.baseUrl}${checkoutPath(token, '/payment')}`,
    })
    if (!outcome) return back(reply, token)
    if (outcome.kind === 'failed') {
      return await showPayment({ ...visit, session }, { card, problems: {}, status: 402 })
    }
    if (outcome.kind === 'action_required') return reply.redirect(outcome.url, 303)
    return await finish(reply, session, token)
  }

  /** Where a provider sends the buyer next: the test provider's bank is a page of our own. */
  function pageUrl(provider: PaymentProvider, token: string, paymentId: string): string {
    const step = provider.name === 'test' ? '/confirm' : ''
    const path = `${checkoutPath(token, step)}&payment=${paymentId}`
    return provider.name === 'test' ? path : `${settings.baseUrl}${path}`
  }

  async function showConfirm({ request, reply, session, token }: Visit): Promise<FastifyReply> {
    const payment = await paymentAsking(session, queryOf(request).get('payment'))
    if (!payment) return back(reply, token)
    return page(
      house,
      reply,
      session,
      'Confirm the payment',
      200,
      <Confirm session={session} token={token} paymentId={payment.id} />,
    )
  }

  async function takeConfirm({ request, reply, session, token }: Visit): Promise<FastifyReply> {
    const form = readForm(request, settings.baseUrl)
    const payment = await paymentAsking(session, form.get('payment'))
    if (!payment) return back(reply, token)
    if (form.get('answer') === 'refuse') {
      const reason = 'The payment was not confirmed.'
      await takeOutcome(house, payment.id, { kind: 'failed', ref: payment.provider_ref, reason })
      return reply.redirect(checkoutPath(token, '/payment'), 303)
    }
    await takeOutcome(house, payment.id, await house.payments.byName('test').lookUp(payment))
    return await finish(reply, session, token)
  }

  async function paymentAsking(session: Session, id: string | null): Promise<Payment | null> {
    const payment = await read.lastPayment(session)
    const isIt = payment?.id === id && payment?.provider === 'test'
    return payment && isIt && payment.status === 'action_required' ? payment : null
  }

  async function cancel(visit: Visit): Promise<FastifyReply> {
    const { request, reply, session, token } = visit
    readForm(request, settings.baseUrl)
    if (await isClosed(visit)) return back(reply, token)
    const cancelled = await changeOpenSession(house, session, clock.now(), { status: 'cancelled' })
    return !cancelled || session.cancel_url === null
      ? back(reply, token)
      : reply.redirect(session.cancel_url, 303)
  }

  /** After paying: to the partner's page if there is one, else to the receipt. */
  async function finish(
    reply: FastifyReply,
    session: Session,
    token: string,
  ): Promise<FastifyReply> {
    const paid = await read.session(session)
    if (paid?.status !== 'paid' || !paid.return_url) return back(reply, token)
    const url = new URL(paid.return_url)
    url.searchParams.set('checkout_session_id', paid.id)
    url.searchParams.set('public_id', paid.public_id ?? '')
    return reply.redirect(url.href, 303)
  }

  function back(reply: FastifyReply, token: string): FastifyReply {
    return reply.redirect(checkoutPath(token), 303)
  }

  /** Whether its forms take nothing more, for now or for good. */
  async function isClosed({ session }: Visit): Promise<boolean> {
    const now = clock.now()
    if (sessionStatus(session, now) !== 'open' || (await read.taken(session, now))) return true
    const payment = await read.lastPayment(session)
    return payment !== undefined && isUnderWay(payment, now)
  }

  /** Of the house's own sessions: whose link came last, asked again before they are paid. */
  async function credit({ request, session }: Visit) {
    const now = clock.now()
    const isOurs = session.partner_id === HOUSE_PARTNER
    const click = isOurs ? clickOf(house, session.environment, request, now) : null
    return click ? await creditClick(house, session, now, click) : {}
  }
}

interface PaymentAnswer {
  card: Card | null
  problems: Problems
  status: number
  /** Why nothing was charged, where no field is at fault. */
  refused?: string
}

const NO_ANSWER: PaymentAnswer = { card: null, problems: {}, status: 200 }
const CHANGED =
  'Who the domain is registered to was changed meanwhile. Nothing was charged. ' +
  'Please look at the details again before you pay.'
