import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { creditClick } from '../../domain/checkout/open-marketplace-session.ts'
import { applyOutcome, catchUp, PROVIDER_AWAY, startPayment } from '../../domain/checkout/pay.ts'
import {
  changeOpenSession,
  findByToken,
  partnersPage,
  type Session,
  sessionStatus,
} from '../../domain/checkout/session.ts'
import { taxOf } from '../../domain/checkout/tax-of.ts'
import { MARKETPLACE_PARTNER } from '../../domain/partners/partner.ts'
import { isUnderWay, type Payment } from '../../domain/payments/payment.ts'
import { readForm } from '../../http/same-origin.ts'
import type { Web } from '../../http/web.ts'
import { sendInvoice } from '../components/send-pdf.ts'
import { confirmsHere, countryOf, page, queryOf, returnUrl } from './checkout-page.tsx'
import { clickOf } from './click-cookie.ts'
import { Confirm } from './confirm.tsx'
import { demandsOf, type Problems, readCard, readDetails } from './details.ts'
import { detailsCookie, gaveDetails, markOfDetails } from './details-cookie.ts'
import { checkoutPath, Lander, PaymentForm } from './forms.tsx'
import { endOf } from './outcomes.tsx'
import { CHANGED, NOT_SENT, type PaymentResult, whyFailed } from './payment-result.ts'
import { createReaders } from './read.ts'

const REFRESH_SECONDS = 2

/** A request to a page of a checkout: its session, and the token that opened it. */
interface Checkout {
  request: FastifyRequest
  reply: FastifyReply
  session: Session
  token: string
}

/** The pages on which buyers pay. They are known by their signed token alone, and need no script. */
export function serveCheckout(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { clock, settings } = app
  const read = createReaders(app)

  route('GET', '/checkout', showCheckout)
  route('POST', '/checkout/details', takeDetails)
  route('GET', '/checkout/payment', (page) => showPayment(page))
  route('POST', '/checkout/payment', takePayment)
  route('GET', '/checkout/confirm', showConfirm)
  route('POST', '/checkout/confirm', takeConfirm)
  route('GET', '/checkout/invoice', async ({ request, reply, session }) =>
    sendInvoice(
      reply,
      gaveDetails(app, request, session) ? await read.invoices(session) : [],
      queryOf(request).get('number'),
    ),
  )
  route('POST', '/checkout/cancel', cancel)
  // Where a rejected form leaves its sender: opened anew, it is the page with the form.
  route('GET', '/checkout/details', async ({ reply, token }) => back(reply, token))
  route('GET', '/checkout/cancel', async ({ reply, token }) => back(reply, token))

  function route(
    method: 'GET' | 'POST',
    url: string,
    handler: (page: Checkout) => Promise<FastifyReply>,
  ): void {
    fastify.route({
      method,
      url,
      config: { page: true, operation: `page ${url}` },
      handler: async (request, reply) => {
        await web.countUnauthenticated(request, clock.now())
        const token = queryOf(request).get('pt') ?? ''
        const session = await findByToken(app, token)
        if (!session) {
          throw new ApiError(
            'not_found',
            'This checkout link is not complete, or not one of ours. Please open it again as you got it.',
          )
        }
        return await handler({ request, reply, session, token })
      },
    })
  }

  /** One address shows how the checkout stands: what is for sale, that it is paid, or why it is not. */
  async function showCheckout(page: Checkout): Promise<FastifyReply> {
    const { request, reply } = page
    const session = await comeBack(page)
    const onward = partnersPage(session)
    const paymentId = queryOf(request).get('payment')
    if (onward && (await read.isBoughtBy(session, paymentId))) return reply.redirect(onward, 303)
    if (await showEnd({ ...page, session })) return reply
    // The link may have gone through several hands: what one of them filled in is for nobody else to read.
    const known = (gaveDetails(app, request, session) && session.registrant) || session.buyer
    const values: Record<string, string> = {}
    for (const [name, value] of Object.entries(known)) if (value) values[name] = value
    const allowed = demandsOf(session).countries.map(({ code }) => code)
    // What no option stands for, such as a partner's UK, would leave the first country of all selected.
    const guesses = [values.country, session.buyer.country, countryOf(request), 'US']
    values.country = guesses.find((guess) => guess && allowed.includes(guess)) ?? allowed[0] ?? ''
    const { method, account } = session.delivery ?? (await read.standardDelivery(session))
    values.delivery_method = method
    // Like the details: an account that somebody else filled in is not shown.
    values.delivery_account = (known !== session.buyer && account) || ''
    return showLander({ ...page, session }, values)
  }

  function showLander(ctx: Checkout, values: Record<string, string>, problems: Problems = {}) {
    const { reply, session, token } = ctx
    return page(
      app,
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
        rules={app.tax}
        takesCards={app.payments.of(session.environment)?.takesCards ?? false}
      />,
    )
  }

  async function comeBack({ request, session }: Checkout): Promise<Session> {
    const paymentId = queryOf(request).get('payment')
    if (session.status !== 'open' || paymentId === null) return session
    const payment = await read.lastPayment(session)
    if (payment?.id !== paymentId || confirmsHere(app, payment)) return session
    if (payment.status !== 'action_required' && payment.status !== 'processing') return session
    await catchUp(app, payment)
    return (await read.session(session)) ?? session
  }

  /** Sends the page of a checkout that needs nothing more of the buyer; false while it does. */
  async function showEnd({ request, reply, session, token }: Checkout): Promise<boolean> {
    const isTheirs = gaveDetails(app, request, session)
    const end = await endOf(read, { session, token, isTheirs }, clock.now())
    if (!end) return false
    if (end.isWaiting) reply.header('refresh', String(REFRESH_SECONDS))
    await page(app, reply, session, end.title, end.status, end.body)
    return true
  }

  async function takeDetails(page: Checkout): Promise<FastifyReply> {
    const { request, reply, session, token } = page
    const form = readForm(request, settings.baseUrl)
    if (await isClosed(page)) return back(reply, token)
    const details = readDetails(form, demandsOf(session))
    if ('problems' in details) return showLander(page, Object.fromEntries(form), details.problems)
    await changeOpenSession(app, session, clock.now(), details)
    const changed = (await read.session(session)) ?? session
    reply.header('set-cookie', detailsCookie(app, changed))
    await credit(page)
    return reply.redirect(checkoutPath(token, '/payment'), 303)
  }

  async function showPayment(
    ctx: Checkout,
    response: PaymentResult = NOT_SENT,
  ): Promise<FastifyReply> {
    const { request, reply, session, token } = ctx
    const provider = app.payments.of(session.environment)
    if (!provider || !session.registrant || (await isClosed(ctx))) return back(reply, token)
    const payment = await read.lastPayment(session)
    return page(
      app,
      reply,
      session,
      `Pay for ${nameText(session.domain)}`,
      response.status,
      <PaymentForm
        session={session}
        tax={taxOf(app, session)}
        token={token}
        details={markOfDetails(app, session)}
        isTheirs={gaveDetails(app, request, session)}
        provider={provider}
        card={response.card}
        problems={response.problems}
        rejected={
          response.rejected ??
          (Object.keys(response.problems).length > 0 ? null : whyFailed(payment))
        }
      />,
    )
  }

  async function takePayment(page: Checkout): Promise<FastifyReply> {
    const { request, reply, session: asked, token } = page
    const form = readForm(request, settings.baseUrl)
    const provider = app.payments.of(asked.environment)
    if (!provider || !asked.registrant || (await isClosed(page))) return back(reply, token)
    const { card, problems } = provider.asksForCard
      ? readCard(form, clock.now())
      : { card: null, problems: {} }
    if (Object.keys(problems).length > 0) {
      return await showPayment(page, { card, problems, status: 400 })
    }
    const seen = form.get('details')
    if (seen !== null && seen !== markOfDetails(app, asked)) {
      return await showPayment(page, { card, problems, status: 409, rejected: CHANGED })
    }
    const session = { ...asked, ...(await credit(page)) }
    const outcome = await startPayment(app, provider, session, card, {
      returnUrl: (paymentId) => returnUrl(app, provider, token, paymentId),
      cancelUrl: `${settings.baseUrl}${checkoutPath(token, '/payment')}`,
    })
    if (!outcome) return back(reply, token)
    if (outcome.kind === 'failed') {
      const isAway = outcome.reason === PROVIDER_AWAY
      if (isAway) reply.header('retry-after', '60')
      const status = isAway ? 503 : 402
      return await showPayment({ ...page, session }, { card, problems: {}, status })
    }
    if (outcome.kind === 'action_required') return reply.redirect(outcome.url, 303)
    // The invoice is for the one who pays, also in another browser than the one with the details.
    if (outcome.kind === 'succeeded') reply.header('set-cookie', detailsCookie(app, session))
    return await finish(reply, session, token)
  }

  async function showConfirm({ request, reply, session, token }: Checkout): Promise<FastifyReply> {
    const payment = await paymentAsking(session, queryOf(request).get('payment'))
    if (!payment) return back(reply, token)
    return page(
      app,
      reply,
      session,
      'Confirm the payment',
      200,
      <Confirm session={session} token={token} payment={payment} />,
    )
  }

  async function takeConfirm({ request, reply, session, token }: Checkout): Promise<FastifyReply> {
    const form = readForm(request, settings.baseUrl)
    const payment = await paymentAsking(session, form.get('payment'))
    if (!payment) return back(reply, token)
    if (form.get('answer') === 'refuse') {
      const reason = 'The payment was not confirmed.'
      await applyOutcome(app, payment.id, { kind: 'failed', ref: payment.provider_ref, reason })
      return reply.redirect(checkoutPath(token, '/payment'), 303)
    }
    await applyOutcome(app, payment.id, await app.payments.byId(payment.provider).lookUp(payment))
    return await finish(reply, session, token)
  }

  async function paymentAsking(session: Session, id: string | null): Promise<Payment | null> {
    const payment = await read.lastPayment(session)
    if (payment?.id !== id || payment.status !== 'action_required') return null
    return confirmsHere(app, payment) ? payment : null
  }

  async function cancel(page: Checkout): Promise<FastifyReply> {
    const { request, reply, session, token } = page
    readForm(request, settings.baseUrl)
    if (await isClosed(page)) return back(reply, token)
    const cancelled = await changeOpenSession(app, session, clock.now(), { status: 'cancelled' })
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
    const onward = partnersPage((await read.session(session)) ?? session)
    return onward === null ? back(reply, token) : reply.redirect(onward, 303)
  }

  function back(reply: FastifyReply, token: string): FastifyReply {
    return reply.redirect(checkoutPath(token), 303)
  }

  /** Whether its forms take nothing more, for now or for good. */
  async function isClosed({ session }: Checkout): Promise<boolean> {
    const now = clock.now()
    if (sessionStatus(session, now) !== 'open' || (await read.unavailable(session, now)))
      return true
    const payment = await read.lastPayment(session)
    return payment !== undefined && isUnderWay(payment, now)
  }

  /** Of the marketplace's own sessions: whose link came last, asked again before they are paid. */
  async function credit({ request, session }: Checkout) {
    const now = clock.now()
    const isOurs = session.partner_id === MARKETPLACE_PARTNER
    const click = isOurs ? clickOf(app, session.environment, request, now) : null
    return click ? await creditClick(app, session, now, click) : {}
  }
}
