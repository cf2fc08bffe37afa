import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentProps } from 'preact'
import type { AppContext } from '../../core/context.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import { inTransaction } from '../../db/transaction.ts'
import { mailAddressTaken, sendConfirmation } from '../../domain/accounts/confirmation.ts'
import { sendPasswordLink } from '../../domain/accounts/forgotten-password.ts'
import { proveAddress } from '../../domain/accounts/mailed-link.ts'
import { hashPassword, passwordField } from '../../domain/accounts/password.ts'
import { revokePersonalTokens } from '../../domain/accounts/personal-token.ts'
import { endSession, openSession } from '../../domain/accounts/session.ts'
import {
  accountEmailField,
  insertUser,
  mustFindUser,
  noteNewAccess,
  setPassword,
  userByEmail,
} from '../../domain/accounts/user.ts'
import { givePromised } from '../../domain/domains/transfer-to-buyer.ts'
import { revokeGrants } from '../../domain/oauth/access.ts'
import { forgetCards } from '../../domain/payments/save-card.ts'
import { forgetStranger } from '../../domain/privacy/forget-stranger.ts'
import { appBehind } from '../../http/oauth/asking-app.ts'
import { pathOf, readForm } from '../../http/same-origin.ts'
import { readSession, setSessionCookie } from '../../http/session-cookie.ts'
import { addressOf, type Web } from '../../http/web.ts'
import { setFlash } from '../layout/flash.ts'
import { sendPage } from '../layout/frame.tsx'
import { serveConfirmEmail } from './confirm-email.tsx'
import {
  ForgotPasswordForm,
  LinkSpent,
  NewPasswordForm,
  SignInForm,
  SignUpForm,
  SPENT,
  withNext,
} from './forms.tsx'
import { serveAccountPages } from './serve-account.tsx'
import { serveSecondFactor } from './serve-second-factor.tsx'
import { checkPassword, countPassword } from './sign-in.ts'

/** Mails with links a minute, of one address. */
const MAILS_PER_MINUTE = 10

/** Sign-up, sign-in, sign-out and the reset of a password. */
export function serveAccounts(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { db, clock, settings } = app
  const { baseUrl } = settings
  const page = { config: { page: true as const } }
  const secondFactor = serveSecondFactor(fastify, app, web, enter)

  fastify.get<{ Querystring: { next?: string } }>('/sign-in', page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    const next = pathOf(request.query.next)
    if (await readSession(request, app)) return reply.redirect(next, 303)
    const asking = await appBehind(app, web, request, next)
    return sendPage(reply, { title: 'Sign in' }, <SignInForm next={next} app={asking} />)
  })

  fastify.post('/sign-in', page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    const form = readForm(request, baseUrl)
    const next = pathOf(form.get('next'))
    const [email, password] = [form.get('email') ?? '', form.get('password') ?? '']
    const user = await checkPassword(app, web, request, { email: email.trim(), password })
    if (user) {
      if (await secondFactor.askFor(reply, user.id, '/sign-in/second-factor', next)) return reply
      return await enter(request, reply, user.id, next)
    }
    return sendPage(
      reply,
      { title: 'Sign in', status: 401 },
      <SignInForm
        next={next}
        email={email}
        app={await appBehind(app, web, request, next)}
        problem="The address or the password is wrong."
      />,
    )
  })

  fastify.get<{ Querystring: { next?: string } }>('/sign-up', page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    const next = pathOf(request.query.next)
    const asking = await appBehind(app, web, request, next)
    return sendPage(reply, { title: 'Create an account' }, <SignUpForm next={next} app={asking} />)
  })

  fastify.post('/sign-up', page, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const form = readForm(request, baseUrl)
    const next = pathOf(form.get('next'))
    const given = form.get('email')?.trim() ?? ''
    const email = accountEmailField.safeParse(given)
    const password = passwordField.safeParse(form.get('password') ?? '')
    const again = async (
      status: number,
      wrong: Pick<ComponentProps<typeof SignUpForm>, 'problem' | 'problems'>,
    ) =>
      sendPage(
        reply,
        { title: 'Create an account', status },
        <SignUpForm
          next={next}
          email={given}
          app={await appBehind(app, web, request, next)}
          {...wrong}
        />,
      )
    if (!email.success || !password.success) {
      const problems = {
        ...(!email.success && { email: 'Enter an e-mail address such as you@example.com.' }),
        ...(!password.success && {
          password: `The password ${password.error.issues[0]?.message}.`,
        }),
      }
      return await again(400, { problems })
    }
    await countPassword(web, request, now)
    const passwordHash = await hashPassword(password.data, addressOf(request))
    const userId = await inTransaction(app, async (tx) => {
      if (await userByEmail(tx, email.data)) return null
      const user = await insertUser(tx, now, { email: email.data, passwordHash, confirmed: false })
      await sendConfirmation(tx, now, baseUrl, user)
      return user.id
    })
    const welcome = 'Welcome! Your account is ready.'
    if (userId !== null) return await enter(request, reply, userId, next, welcome)
    // It tells who has an account, so it is limited, and its owner hears of it.
    await limitMails(request)
    await inTransaction(app, (tx) => mailAddressTaken(tx, now, baseUrl, email.data))
    return await again(409, {
      problem: 'An account with this address exists. Sign in, or reset its password.',
    })
  })

  fastify.post('/sign-out', page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    readForm(request, baseUrl)
    const session = await readSession(request, app)
    if (session) await endSession(db, session.user.id, session.sessionId)
    setSessionCookie(reply, baseUrl, null)
    return reply.redirect('/sign-in', 303)
  })

  fastify.get('/sign-out', page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    return reply.redirect('/account', 303)
  })

  fastify.get<{ Querystring: { next?: string } }>(
    '/forgot-password',
    page,
    async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return sendPage(
        reply,
        { title: 'Reset your password' },
        <ForgotPasswordForm next={pathOf(request.query.next)} />,
      )
    },
  )

  fastify.post('/forgot-password', page, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const form = readForm(request, baseUrl)
    await limitMails(request)
    const next = pathOf(form.get('next'))
    // The same response whether or not there is an account.
    const user = await userByEmail(db, form.get('email')?.trim() ?? '')
    if (user && user.disabled_at === null) {
      const linkOf = (token: string) => withNext(`${baseUrl}/reset-password?token=${token}`, next)
      await inTransaction(app, (tx) => sendPasswordLink(tx, now, baseUrl, user.id, linkOf))
    }
    return sendPage(
      reply,
      { title: 'Check your e-mail' },
      <>
        <h1>Check your e-mail</h1>
        <p>
          If there is an account for this address, a link to reset its password is on its way. Of
          several the newest works.
        </p>
        <p class="aside">
          <a href={withNext('/sign-in', next)}>Back to sign-in</a>
        </p>
      </>,
    )
  })

  fastify.get<{ Querystring: { token?: string; next?: string } }>(
    '/reset-password',
    page,
    async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      const { token, next } = request.query
      const shown = (
        <NewPasswordForm token={typeof token === 'string' ? token : ''} next={pathOf(next)} />
      )
      return sendPage(reply, { title: 'Choose a new password', hidden: true }, shown)
    },
  )

  fastify.post('/reset-password', page, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const form = readForm(request, baseUrl)
    const token = form.get('token') ?? ''
    const next = pathOf(form.get('next'))
    const password = passwordField.safeParse(form.get('password') ?? '')
    if (!password.success) {
      return sendPage(
        reply,
        { title: 'Choose a new password', status: 400, hidden: true },
        <NewPasswordForm
          token={token}
          next={next}
          problem={`The password ${password.error.issues[0]?.message}.`}
        />,
      )
    }
    await countPassword(web, request, now)
    const passwordHash = await hashPassword(password.data, addressOf(request))
    const reset = await inTransaction(app, async (tx) => {
      const proof = await proveAddress(tx, now, token, 'reset_password')
      if (proof === null) return null
      await noteNewAccess(tx, now, proof.userId)
      await setPassword(tx, proof.userId, passwordHash)
      // Whoever had the account before may have left themselves a way in.
      await revokePersonalTokens(tx, proof.userId)
      await revokeGrants(tx, now, proof.userId)
      const cards = proof.isFirst ? await forgetStranger(tx, now, proof.userId) : []
      await givePromised(tx, now, await mustFindUser(tx, proof.userId))
      return { userId: proof.userId, cards }
    })
    if (reset === null) {
      return sendPage(reply, SPENT, <LinkSpent ask={withNext('/forgot-password', next)} />)
    }
    const { userId, cards } = reset
    await forgetCards(app, cards)
    if (await secondFactor.askFor(reply, userId, '/sign-in/second-factor', next)) return reply
    return await enter(request, reply, userId, next)
  })

  serveConfirmEmail(fastify, app, web)
  serveAccountPages(fastify, app, web)

  async function limitMails(request: FastifyRequest): Promise<void> {
    const now = clock.now()
    const subject = `mails:${addressOf(request)}`
    assertUnderLimit(await web.count({ subject, limit: MAILS_PER_MINUTE, now }), now)
  }

  /** A new session each time; the one that the browser had before ends. */
  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    userId: string,
    next: string,
    note?: string,
  ): Promise<FastifyReply> {
    const before = await readSession(request, app)
    if (before) await endSession(db, before.user.id, before.sessionId)
    const token = await openSession(db, clock.now(), userId, {
      userAgent: request.headers['user-agent'] ?? '',
      address: request.ip,
    })
    setSessionCookie(reply, baseUrl, token)
    if (note !== undefined) setFlash(reply, baseUrl, note)
    return reply.header('cache-control', 'no-store').redirect(next, 303)
  }
}
