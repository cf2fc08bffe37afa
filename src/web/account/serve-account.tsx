import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import { hashPassword, passwordField } from '../../domain/accounts/password.ts'
import {
  createOwnToken,
  labelField,
  listPersonalTokens,
  revokePersonalToken,
  revokePersonalTokens,
} from '../../domain/accounts/personal-token.ts'
import { endSession, listSessions } from '../../domain/accounts/session.ts'
import { setPassword } from '../../domain/accounts/user.ts'
import { cancelPurchase } from '../../domain/agents/cancel-purchase.ts'
import { listAppPurchases, listAppSpending } from '../../domain/agents/list-app-spending.ts'
import { listRenewals } from '../../domain/domains/list-renewals.ts'
import { revokeGrants } from '../../domain/oauth/access.ts'
import { countWaitingOffers } from '../../domain/offers/offer-pages.ts'
import { balancesOf } from '../../domain/partners/seller-partner.ts'
import { activeMethod } from '../../domain/payments/payment-method.ts'
import { latestPayouts } from '../../domain/payouts/list-payouts.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { Copyable, Notice } from '../components/parts.tsx'
import {
  assertRecent,
  type FormContext,
  idempotencyOf,
  type PageContext,
  signedInPages,
} from '../layout/page-context.ts'
import { Access, LIFETIMES, type RejectedToken, Security } from './access.tsx'
import { sendAccountPage } from './account-page.tsx'
import { SECURITY } from './paths.ts'
import { servePayee } from './payee.tsx'
import {
  backFromProvider,
  type NotSaved,
  PAYMENT_METHOD,
  PaymentMethods,
  removePaymentMethod,
  savePaymentMethod,
} from './payment-method.tsx'
import { Renewals } from './purchases.tsx'
import { RENEWALS, serveConfirmations } from './renewal-page.tsx'
import { serveClaims } from './serve-claims.tsx'
import { serveDomain } from './serve-domain.tsx'
import { serveDomains } from './serve-domains.tsx'
import { type EmailProblems, serveEmail } from './serve-email.tsx'
import { serveOffers } from './serve-offers.tsx'
import { servePurchases } from './serve-purchases.tsx'
import { serveSales } from './serve-sales.tsx'
import { checkPassword } from './sign-in.ts'

const ACCESS = '/account/access'

/** What a person sees and changes of their own account. */
export function serveAccountPages(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { db, settings } = app
  const pages = signedInPages(
    fastify,
    app,
    web,
    () => {},
    ({ id }, now) => countWaitingOffers(db, id, now),
  )
  serveDomains(pages, app, web)
  serveDomain(pages, app, web)
  serveClaims(pages, app, web)
  serveOffers(pages, app, web)
  servePurchases(pages, app)
  serveSales(pages, app, web)
  serveConfirmations(pages, app)
  servePayee(pages, app, web)
  serveEmail(pages, app, web, showSecurity)
  pages.formsOf(PAYMENT_METHOD, `${PAYMENT_METHOD}/remove`)
  const APPS = ['/account/apps/revoke', '/account/apps/cancel']
  pages.formsOf(ACCESS, '/account/tokens', '/account/tokens/revoke', ...APPS)
  pages.formsOf(SECURITY, '/account/password', '/account/sessions/end')

  pages.get(RENEWALS, async (page) => {
    const { cursor } = page.query
    const found = await listRenewals(db, page.session.user.id, cursor)
    return sendAccountPage(
      page,
      { title: 'Renewals', at: RENEWALS },
      <Renewals path={RENEWALS} rows={found.rows} cursor={cursor} next={found.next_cursor} />,
    )
  })

  pages.get(PAYMENT_METHOD, async (page) => showPayment(page))
  pages.get(`${PAYMENT_METHOD}/saved`, async ({ session, query, goOn }) => {
    await backFromProvider(app, query.id, session)
    return goOn(PAYMENT_METHOD)
  })
  pages.post(PAYMENT_METHOD, async (page) => {
    const saved = await savePaymentMethod(app, page.session, page.form)
    if (saved.kind === 'elsewhere') return page.reply.redirect(saved.url, 303)
    if (saved.kind !== 'good') return showPayment(page, saved)
    return page.goOn(PAYMENT_METHOD, saved.text)
  })
  pages.post(`${PAYMENT_METHOD}/remove`, async ({ session, goOn }) => {
    await removePaymentMethod(app, session)
    return goOn(PAYMENT_METHOD, 'The card is removed. It pays for nothing any more.')
  })

  async function showPayment(page: PageContext, wrong?: NotSaved): Promise<FastifyReply> {
    const { id } = page.session.user
    const provider = app.payments.of('live')
    const [method, balances, payouts] = await Promise.all([
      activeMethod(db, id, settings.paymentProvider),
      balancesOf(db, id),
      latestPayouts(db, id),
    ])
    return sendAccountPage(
      page,
      {
        title: 'Payment and payouts',
        at: PAYMENT_METHOD,
        status: wrong ? 400 : 200,
        notice: wrong?.kind === 'error' ? <Notice kind="error">{wrong.text}</Notice> : null,
        formTargets: [...(provider?.pageOrigins ?? [])],
      },
      <PaymentMethods
        method={method}
        asksForCard={provider?.asksForCard ?? null}
        balances={balances}
        payouts={payouts}
        card={wrong?.kind === 'problems' ? wrong : undefined}
      />,
    )
  }

  pages.get(ACCESS, async (page) => showAccess(page))
  pages.post('/account/tokens', async (page) => {
    assertRecent(page)
    const label = page.form.get('label')?.trim() || 'Unnamed'
    const checked = labelField.safeParse(label)
    if (!checked.success) {
      const problem = `It ${checked.error.issues[0]?.message}.`
      return showAccess(page, { status: 400, rejected: { label, problem } })
    }
    try {
      const token = await makeToken(page, label)
      const notice = (
        <>
          <Notice kind="good">Your new token, shown this once:</Notice>
          <Copyable id="token" text={token} />
        </>
      )
      return await showAccess(page, { notice })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const notice = <Notice kind="error">{errorText(error)}</Notice>
      return showAccess(page, { notice, status: error.status, rejected: { label } })
    }
  })
  pages.post('/account/tokens/revoke', async ({ session, form, goOn }) => {
    await revokePersonalToken(db, session.user.id, form.get('id') ?? '')
    return goOn(ACCESS, 'The token no longer works.')
  })
  pages.post('/account/apps/revoke', async ({ session, form, now, goOn }) => {
    await revokeGrants(db, now, session.user.id, form.get('id') ?? '')
    return goOn(ACCESS, 'The app no longer has access.')
  })
  pages.post('/account/apps/cancel', async (page) => {
    const { session, form, now, request } = page
    try {
      const { value } = await web.execute(cancelPurchase, {
        caller: { kind: 'page', user: session.user, partner: null },
        now,
        requestId: request.id,
        input: () => ({ public_id: form.get('public_id') ?? '' }),
      })
      return page.goOn(
        ACCESS,
        `The purchase of ${value.domain} is cancelled. Your money goes back.`,
      )
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const notice = <Notice kind="error">{errorText(error)}</Notice>
      return showAccess(page, { notice, status: error.status })
    }
  })

  pages.get(SECURITY, async (page) => showSecurity(page))

  pages.post('/account/sessions/end', async ({ session, form, goOn }) => {
    await endSession(db, session.user.id, form.get('id') ?? '')
    return goOn(SECURITY, 'The session has ended.')
  })
  pages.post('/account/password', async (page) => {
    const { request, session, form } = page
    const { email, id } = session.user
    const current = { email, password: form.get('current') ?? '' }
    if (!(await checkPassword(app, web, request, current))) {
      return showSecurity(page, { current: 'This is not your current password.' })
    }
    const next = passwordField.safeParse(form.get('password') ?? '')
    if (!next.success) {
      return showSecurity(page, { password: `It ${next.error.issues[0]?.message}.` })
    }
    const hash = await hashPassword(next.data)
    const keepsTokens = form.get('keep_tokens') === 'true'
    await inTransaction(app, async (tx) => {
      await setPassword(tx, id, hash, session.sessionId)
      if (keepsTokens) return
      await revokePersonalTokens(tx, id)
      await revokeGrants(tx, page.now, id)
    })
    return page.goOn(
      SECURITY,
      keepsTokens
        ? 'Your password is changed; other sessions have ended.'
        : 'Your password is changed; other sessions, all tokens and all apps have ended.',
    )
  })

  async function makeToken(page: FormContext, label: string): Promise<string> {
    const { session, now, request } = page
    const { value } = await web.execute(createOwnToken, {
      caller: { kind: 'page', user: session.user, partner: null },
      now,
      requestId: request.id,
      idempotency: () => idempotencyOf(page, `account:${session.user.id}`),
      input: () => ({
        label,
        manage: page.form.get('read_only') !== 'true',
        days: LIFETIMES.find((days) => String(days) === page.form.get('days')) ?? 90,
      }),
    })
    return value.token
  }

  async function showAccess(
    page: PageContext,
    {
      notice = null,
      status = 200,
      rejected,
    }: { notice?: VNode | null; status?: number; rejected?: RejectedToken } = {},
  ): Promise<FastifyReply> {
    const { user } = page.session
    const [grants, purchases, tokens] = await Promise.all([
      listAppSpending(db, user.id),
      listAppPurchases(db, user.id),
      listPersonalTokens(db, user.id),
    ])
    return sendAccountPage(
      page,
      { title: 'Apps and tokens', at: ACCESS, status, notice },
      <Access apps={{ grants, purchases }} tokens={tokens} rejected={rejected} />,
    )
  }

  async function showSecurity(
    page: PageContext,
    problems: { current?: string; password?: string } & EmailProblems = {},
  ): Promise<FastifyReply> {
    const { user, sessionId } = page.session
    const sessions = await listSessions(db, page.now, user.id)
    const status = Object.keys(problems).length > 0 ? 400 : 200
    return sendAccountPage(
      page,
      { title: 'Address, password and sessions', at: SECURITY, status },
      <Security user={user} sessions={sessions} current={sessionId} problems={problems} />,
    )
  }
}
