import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import { inTransaction } from '../../db/transaction.ts'
import { authenticationOptions, usePasskey } from '../../domain/accounts/passkey.ts'
import { beginCheck, endCheck, findCheck } from '../../domain/accounts/presence-check.ts'
import { listFactors, useAnyCode } from '../../domain/accounts/second-factor.ts'
import { confirmSession } from '../../domain/accounts/session.ts'
import { pathOf, readForm } from '../../http/same-origin.ts'
import type { Web } from '../../http/web.ts'
import { sendPage } from '../layout/frame.tsx'
import { type PageContext, signedInPages } from '../layout/page-context.ts'
import { AskForFactor, AskForPassword } from './second-factor.tsx'
import { serveFactors, TRIES_PER_MINUTE } from './serve-factors.tsx'
import { checkPassword } from './sign-in.ts'

const WRONG = 'That code is wrong, or was used before.'

/** Lets the user of a sign-in in. */
type Enter = (
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
  next: string,
) => Promise<FastifyReply>

/** Asks for a second factor where an account has one: at sign-in, and before what matters. */
export function serveSecondFactor(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  enter: Enter,
) {
  const { db, clock, settings, secrets, brand } = app
  const site = { baseUrl: settings.baseUrl, name: brand.name }
  const pages = signedInPages(fastify, app, web)

  /**
   * Sends the page that asks for a factor of the user; false where the account has none. Once more after a `wrong` one, it
   * is open no longer than the first.
   */
  async function askFor(
    reply: FastifyReply,
    userId: string,
    path: string,
    next: string,
    wrong?: { problem: string; expiresAt?: Date },
  ): Promise<boolean> {
    const factors = await listFactors(db, userId)
    if (factors.length === 0) return false
    const passkey = await authenticationOptions(site, factors)
    const check = await beginCheck(
      db,
      clock.now(),
      userId,
      passkey?.challenge ?? '',
      wrong?.expiresAt,
    )
    // Not returned: a reply that is waited for is over.
    sendPage(
      reply,
      {
        title: 'Confirm that it is you',
        status: wrong ? 401 : 200,
        hidden: true,
        scripts: ['passkey'],
      },
      <AskForFactor
        path={path}
        check={check}
        next={next}
        passkey={passkey}
        problem={wrong?.problem}
      />,
    )
    return true
  }

  /** Whose second factor the form brings; or the account that it does not fit. */
  async function readFactor(
    form: URLSearchParams,
    now: Date,
  ): Promise<{ userId: string; fits: boolean; expiresAt: Date } | null> {
    const token = form.get('check') ?? ''
    const check = await findCheck(db, now, token)
    if (!check) return null
    const { userId, challenge, expiresAt } = check
    const subject = `second_factor:${userId}`
    assertUnderLimit(await web.count({ subject, limit: TRIES_PER_MINUTE, now }), now)
    const response = form.get('response') ?? ''
    const fits = await inTransaction(app, async (tx) => {
      if (!(await endCheck(tx, token))) return false
      if (response !== '') {
        return await usePasskey(tx, now, site, userId, { challenge, response })
      }
      return await useAnyCode({ tx, now, secrets }, userId, form.get('code') ?? '')
    })
    return { userId, fits, expiresAt }
  }

  fastify.post('/sign-in/second-factor', { config: { page: true } }, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const form = readForm(request, settings.baseUrl)
    const next = pathOf(form.get('next'))
    const found = await readFactor(form, now)
    if (!found) return reply.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303)
    if (found.fits) return await enter(request, reply, found.userId, next)
    const wrong = { problem: WRONG, expiresAt: found.expiresAt }
    if (await askFor(reply, found.userId, '/sign-in/second-factor', next, wrong)) return reply
    return reply.redirect('/sign-in', 303)
  })
  fastify.get('/sign-in/second-factor', { config: { page: true } }, async (_request, reply) =>
    reply.redirect('/sign-in', 303),
  )

  pages.get('/confirm', (page) => showConfirm(page, pathOf(page.query.next)))

  pages.post('/confirm', async (page) => {
    const { form, session, now, request } = page
    const next = pathOf(form.get('next'))
    const { id, email } = session.user
    if (session.presence.hasSecondFactor) {
      const found = await readFactor(form, now)
      if (!found?.fits || found.userId !== id) return await showConfirm(page, next, WRONG)
    } else if (
      !(await checkPassword(app, web, request, { email, password: form.get('password') ?? '' }))
    ) {
      return await showConfirm(page, next, 'That is not your password.')
    }
    await confirmSession(db, now, session.sessionId)
    return page.goOn(next)
  })

  async function showConfirm(
    { session, reply }: PageContext,
    next: string,
    problem?: string,
  ): Promise<FastifyReply> {
    const wrong = problem === undefined ? undefined : { problem }
    if (await askFor(reply, session.user.id, '/confirm', next, wrong)) return reply
    return sendPage(
      reply,
      {
        title: 'Confirm that it is you',
        status: problem === undefined ? 200 : 401,
        hidden: true,
        viewer: session.user,
      },
      <AskForPassword next={next} problem={problem} />,
    )
  }

  serveFactors(pages, app, web, site)
  return { askFor }
}
