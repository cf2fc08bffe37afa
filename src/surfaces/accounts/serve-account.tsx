import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { inTransaction } from '../../kernel/database/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { hashPassword, passwordField } from '../../modules/accounts/password.ts'
import {
  insertPersonalToken,
  labelField,
  listPersonalTokens,
  revokePersonalToken,
} from '../../modules/accounts/personal-token.ts'
import { endSession, listSessions } from '../../modules/accounts/session.ts'
import { setPassword } from '../../modules/accounts/user.ts'
import { listBuyersCases } from '../../modules/brokerage/list-buyers-cases.ts'
import { listRenewals } from '../../modules/holdings/list-renewals.ts'
import { listGrants, revokeGrants } from '../../modules/oauth/access.ts'
import { listPurchases } from '../../modules/orders/list-purchases.ts'
import { balancesOf } from '../../modules/partners/payee.ts'
import { activeMethod } from '../../modules/payments/payment-method.ts'
import { latestPayouts } from '../../modules/payouts/list-payouts.ts'
import { STRIPE_PAGES } from '../checkout/visit.tsx'
import { Copyable, Notice } from '../pages/parts.tsx'
import { spoken } from '../pages/spoken.ts'
import { attemptOf, type PostVisit, signedInPages, type Visit } from '../pages/visit.ts'
import { performWrite } from '../perform.ts'
import type { Web } from '../web.ts'
import { Access, type RefusedToken, Security } from './access.tsx'
import { sendAccountPage } from './account-page.tsx'
import {
  backFromProvider,
  PAYMENT_METHOD,
  PaymentMethods,
  removePaymentMethod,
  savePaymentMethod,
} from './payment-method.tsx'
import { Offers, Purchases, Renewals } from './purchases.tsx'
import { serveDomains } from './serve-domains.tsx'
import { checkPassword } from './sign-in.ts'

const PURCHASES = '/account/purchases'
const RENEWALS = '/account/renewals'
const OFFERS = '/account/offers'
const ACCESS = '/account/access'
const SECURITY = '/account/security'

/** What a person sees and changes of their own account. */
export function serveAccountPages(app: FastifyInstance, house: House, web: Web): void {
  const { db, settings } = house
  const pages = signedInPages(app, house, web)
  serveDomains(pages, house)
  pages.formsOf(PAYMENT_METHOD, `${PAYMENT_METHOD}/remove`)
  pages.formsOf(ACCESS, '/account/tokens', '/account/tokens/revoke', '/account/apps/revoke')
  pages.formsOf(SECURITY, '/account/password', '/account/sessions/end')

  pages.get(PURCHASES, async (visit) => {
    const { cursor } = visit.query
    const email = confirmedEmail(visit)
    const found = email === null ? NOTHING : await listPurchases(db, email, cursor)
    return sendAccountPage(
      visit,
      { title: 'Purchases', at: PURCHASES },
      <Purchases path={PURCHASES} rows={found.rows} cursor={cursor} next={found.next_cursor} />,
    )
  })

  pages.get(RENEWALS, async (visit) => {
    const { cursor } = visit.query
    const found = await listRenewals(db, visit.session.user.id, cursor)
    return sendAccountPage(
      visit,
      { title: 'Renewals', at: RENEWALS },
      <Renewals path={RENEWALS} rows={found.rows} cursor={cursor} next={found.next_cursor} />,
    )
  })

  pages.get(OFFERS, async (visit) => {
    const { cursor } = visit.query
    const email = confirmedEmail(visit)
    const found = email === null ? NO_ITEMS : await listBuyersCases(house, email, cursor)
    return sendAccountPage(
      visit,
      { title: 'Offers', at: OFFERS },
      <Offers path={OFFERS} rows={found.items} cursor={cursor} next={found.next_cursor} />,
    )
  })

  pages.get(PAYMENT_METHOD, async (visit) => showPayment(visit))

  pages.get(`${PAYMENT_METHOD}/saved`, async ({ session, query, goOn }) => {
    await backFromProvider(house, query.id, session)
    return goOn(PAYMENT_METHOD)
  })
  pages.post(PAYMENT_METHOD, async (visit) => {
    const saved = await savePaymentMethod(house, visit.session, visit.form)
    if (saved.kind === 'elsewhere') return visit.reply.redirect(saved.url, 303)
    if (saved.kind === 'error') return showPayment(visit, saved.text)
    return visit.goOn(PAYMENT_METHOD, saved.text)
  })
  pages.post(`${PAYMENT_METHOD}/remove`, async ({ session, goOn }) => {
    await removePaymentMethod(house, session)
    return goOn(PAYMENT_METHOD, 'No card pays for renewals any more.')
  })

  async function showPayment(visit: Visit, problem?: string): Promise<FastifyReply> {
    const { id } = visit.session.user
    const [method, balances, payouts] = await Promise.all([
      activeMethod(db, id, settings.paymentProvider),
      balancesOf(db, id),
      latestPayouts(db, id),
    ])
    return sendAccountPage(
      visit,
      {
        title: 'Payment and payouts',
        at: PAYMENT_METHOD,
        status: problem === undefined ? 200 : 400,
        notice: problem === undefined ? null : <Notice kind="error">{problem}</Notice>,
        formTargets: [STRIPE_PAGES],
      },
      <PaymentMethods
        method={method}
        asksForCard={house.payments.of('live')?.asksForCard ?? null}
        balances={balances}
        payouts={payouts}
      />,
    )
  }

  pages.get(ACCESS, async (visit) => showAccess(visit))

  pages.post('/account/tokens', async (visit) => {
    const label = visit.form.get('label')?.trim() || 'Unnamed'
    const checked = labelField.safeParse(label)
    if (!checked.success) {
      const problem = `It ${checked.error.issues[0]?.message}.`
      return showAccess(visit, { status: 400, refused: { label, problem } })
    }
    try {
      const token = await makeToken(visit, label)
      const notice = (
        <>
          <Notice kind="good">Your new token, shown this once:</Notice>
          <Copyable id="token" text={token} />
        </>
      )
      return await showAccess(visit, { notice })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const notice = <Notice kind="error">{spoken(error)}</Notice>
      return showAccess(visit, { notice, status: error.status, refused: { label } })
    }
  })
  pages.post('/account/tokens/revoke', async ({ session, form, goOn }) => {
    await revokePersonalToken(db, session.user.id, form.get('id') ?? '')
    return goOn(ACCESS, 'The token no longer works.')
  })
  pages.post('/account/apps/revoke', async ({ session, form, now, goOn }) => {
    await revokeGrants(db, now, session.user.id, form.get('id') ?? '')
    return goOn(ACCESS, 'The app is out.')
  })

  pages.get(SECURITY, async (visit) => showSecurity(visit))

  pages.post('/account/sessions/end', async ({ session, form, goOn }) => {
    await endSession(db, session.user.id, form.get('id') ?? '')
    return goOn(SECURITY, 'The session has ended.')
  })
  pages.post('/account/password', async (visit) => {
    const { request, session, form } = visit
    const { email, id } = session.user
    const current = { email, password: form.get('current') ?? '' }
    if (!(await checkPassword(house, web, request, current))) {
      return showSecurity(visit, { current: 'That is not your present password.' })
    }
    const next = passwordField.safeParse(form.get('password') ?? '')
    if (!next.success) {
      return showSecurity(visit, { password: `It ${next.error.issues[0]?.message}.` })
    }
    const hash = await hashPassword(next.data)
    await inTransaction(house, (tx) => setPassword(tx, id, hash, session.sessionId))
    return visit.goOn(SECURITY, 'Your password is changed; other sessions have ended.')
  })

  async function makeToken(visit: PostVisit, label: string): Promise<string> {
    const { user } = visit.session
    const { body } = await performWrite(
      house,
      { status: 200 },
      visit.now,
      attemptOf(visit, `account:${user.id}`),
      ({ tx, now }) => insertPersonalToken(tx, now, user.id, label),
      { sealed: true },
    )
    return (JSON.parse(body) as { token: string }).token
  }

  async function showAccess(
    visit: Visit,
    {
      notice = null,
      status = 200,
      refused,
    }: { notice?: VNode | null; status?: number; refused?: RefusedToken } = {},
  ): Promise<FastifyReply> {
    const { user } = visit.session
    const [grants, tokens] = await Promise.all([
      listGrants(db, user.id),
      listPersonalTokens(db, user.id),
    ])
    return sendAccountPage(
      visit,
      { title: 'Apps and tokens', at: ACCESS, status, notice },
      <Access grants={grants} tokens={tokens} refused={refused} />,
    )
  }

  async function showSecurity(
    visit: Visit,
    problems: { current?: string; password?: string } = {},
  ): Promise<FastifyReply> {
    const { user, sessionId } = visit.session
    const sessions = await listSessions(db, visit.now, user.id)
    const status = Object.keys(problems).length > 0 ? 400 : 200
    return sendAccountPage(
      visit,
      { title: 'Password and sessions', at: SECURITY, status },
      <Security sessions={sessions} current={sessionId} problems={problems} />,
    )
  }
}

const NOTHING = { rows: [], next_cursor: null }
const NO_ITEMS = { items: [], next_cursor: null }

/** What was written to an address is shown to whoever has shown that it is theirs. */
function confirmedEmail({ session: { user } }: Visit): string | null {
  return user.email_confirmed_at === null ? null : user.email
}
