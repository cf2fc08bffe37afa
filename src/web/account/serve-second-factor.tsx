import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { toDataURL } from 'qrcode'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  addPasskey,
  authenticationOptions,
  registrationOptions,
  usePasskey,
} from '../../domain/accounts/passkey.ts'
import { beginCheck, endCheck, findCheck } from '../../domain/accounts/presence-check.ts'
import {
  appBeingSetUp,
  beginApp,
  confirmApp,
  listFactors,
  type NewApp,
  newRecoveryCodes,
  recoveryCodesLeft,
  removeFactor,
  useAnyCode,
} from '../../domain/accounts/second-factor.ts'
import { confirmSession } from '../../domain/accounts/session.ts'
import type { User } from '../../domain/accounts/user.ts'
import { pathOf, readForm } from '../../http/same-origin.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import { assertRecent, type PageContext, signedInPages } from '../layout/page-context.ts'
import { sendAccountPage } from './account-page.tsx'
import {
  AskForFactor,
  AskForPassword,
  RecoveryCodes,
  SECOND_FACTOR,
  SecondFactors,
  SetUpApp,
} from './second-factor.tsx'
import { checkPassword } from './sign-in.ts'

/** Wrong codes a minute for one account, wherever they come from: a code has a million values. */
const TRIES_PER_MINUTE = 5
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
  const { db, clock, settings, secrets } = app
  const site = { baseUrl: settings.baseUrl, name: settings.platform.name ?? 'Domain Marketplace' }
  const pages = signedInPages(fastify, app, web)

  /** The page that asks for a factor of the user; null where the account has none. */
  async function askFor(
    reply: FastifyReply,
    userId: string,
    path: string,
    next: string,
    problem?: string,
  ): Promise<FastifyReply | null> {
    const factors = await listFactors(db, userId)
    if (factors.length === 0) return null
    const passkey = await authenticationOptions(site, factors)
    const check = await beginCheck(db, clock.now(), userId, passkey?.challenge ?? '')
    return sendPage(
      reply,
      {
        title: 'Confirm that it is you',
        status: problem === undefined ? 200 : 401,
        hidden: true,
        scripts: ['passkey'],
      },
      <AskForFactor path={path} check={check} next={next} passkey={passkey} problem={problem} />,
    )
  }

  /** Whose second factor the form brings; or the account that it does not fit. */
  async function readFactor(
    form: URLSearchParams,
    now: Date,
  ): Promise<{ userId: string; fits: boolean } | null> {
    const token = form.get('check') ?? ''
    const check = await findCheck(db, now, token)
    if (!check) return null
    const { userId, challenge } = check
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
    return { userId, fits }
  }

  fastify.post('/sign-in/second-factor', { config: { page: true } }, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const form = readForm(request, settings.baseUrl)
    const next = pathOf(form.get('next'))
    const found = await readFactor(form, now)
    if (!found) return reply.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303)
    if (found.fits) return await enter(request, reply, found.userId, next)
    return (
      (await askFor(reply, found.userId, '/sign-in/second-factor', next, WRONG)) ??
      reply.redirect('/sign-in', 303)
    )
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
    const asked = await askFor(reply, session.user.id, '/confirm', next, problem)
    if (asked) return asked
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

  pages.formsOf(
    SECOND_FACTOR,
    ...['app', 'app/confirm', 'passkey', 'remove', 'codes'].map(
      (form) => `${SECOND_FACTOR}/${form}`,
    ),
  )
  pages.get(SECOND_FACTOR, async (page) => {
    assertRecent(page)
    return await showFactors(page)
  })

  pages.post(`${SECOND_FACTOR}/app`, async (page) => {
    assertRecent(page)
    const { user } = page.session
    const made = await inTransaction(app, (tx) =>
      beginApp({ tx, now: page.now, secrets }, user, site.name),
    )
    return await showSetUp(page, made)
  })

  pages.post(`${SECOND_FACTOR}/app/confirm`, async (page) => {
    assertRecent(page)
    const { form, now } = page
    const { user } = page.session
    const factorId = form.get('factor_id') ?? ''
    await countTry(user, now)
    try {
      await inTransaction(app, (tx) =>
        confirmApp({ tx, now, secrets }, user, factorId, form.get('code') ?? ''),
      )
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'validation_error') throw error
      const made = await inTransaction(app, (tx) =>
        appBeingSetUp({ tx, secrets }, user, factorId, site.name),
      )
      return await showSetUp(page, made, 'That is not the code that the app shows now.')
    }
    return await afterAdding(page)
  })

  pages.post(`${SECOND_FACTOR}/passkey`, async (page) => {
    assertRecent(page)
    const { form, now } = page
    const { user } = page.session
    const token = form.get('check') ?? ''
    try {
      await inTransaction(app, async (tx) => {
        const check = await findCheck(tx, now, token)
        if (check?.userId !== user.id || !(await endCheck(tx, token))) {
          throw new ApiError('not_found', 'This page was open for too long. Try again.')
        }
        const given = {
          response: form.get('response') ?? '',
          label: form.get('label')?.trim() ?? '',
        }
        await addPasskey(tx, now, site, user, { ...given, challenge: check.challenge })
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const notice = <Notice kind="error">{errorText(error)}</Notice>
      return await showFactors(page, { notice, status: error.status })
    }
    return await afterAdding(page)
  })

  pages.post(`${SECOND_FACTOR}/remove`, async (page) => {
    assertRecent(page)
    const { form, now, session, goOn } = page
    const factorId = form.get('factor_id') ?? ''
    await inTransaction(app, (tx) => removeFactor(tx, now, session.user, factorId))
    return goOn(SECOND_FACTOR, 'Removed. It does not let anybody in any more.')
  })

  pages.post(`${SECOND_FACTOR}/codes`, async (page) => {
    assertRecent(page)
    const { user } = page.session
    const codes = await inTransaction(app, (tx) => newRecoveryCodes(tx, user.id))
    return await showFactors(page, { notice: <RecoveryCodes codes={codes} /> })
  })

  async function countTry(user: User, now: Date): Promise<void> {
    const subject = `second_factor:${user.id}`
    assertUnderLimit(await web.count({ subject, limit: TRIES_PER_MINUTE, now }), now)
  }

  /** With the first factor come the codes for when it is lost. */
  async function afterAdding(page: PageContext): Promise<FastifyReply> {
    const { user } = page.session
    const added = <Notice kind="good">Added. You are asked for it from the next sign-in on.</Notice>
    if ((await recoveryCodesLeft(db, user.id)) > 0)
      return await showFactors(page, { notice: added })
    const codes = await inTransaction(app, (tx) => newRecoveryCodes(tx, user.id))
    const notice = (
      <>
        {added}
        <RecoveryCodes codes={codes} />
      </>
    )
    return await showFactors(page, { notice })
  }

  async function showFactors(
    page: PageContext,
    { notice = null, status = 200 }: { notice?: VNode | null; status?: number } = {},
  ): Promise<FastifyReply> {
    const { user } = page.session
    const factors = await listFactors(db, user.id)
    const passkey = await registrationOptions(site, user, factors)
    const check = await beginCheck(db, page.now, user.id, passkey.challenge)
    return sendAccountPage(
      page,
      { title: 'Second factor', at: SECOND_FACTOR, status, notice, scripts: ['passkey'] },
      <SecondFactors
        factors={factors}
        codesLeft={await recoveryCodesLeft(db, user.id)}
        passkey={passkey}
        check={check}
      />,
    )
  }

  async function showSetUp(
    page: PageContext,
    { factorId, secret, uri }: NewApp,
    problem?: string,
  ): Promise<FastifyReply> {
    return sendAccountPage(
      page,
      { title: 'Add an authenticator app', at: SECOND_FACTOR, status: problem ? 400 : 200 },
      <SetUpApp
        factorId={factorId}
        secret={secret}
        picture={await toDataURL(uri, { width: 220, margin: 1 })}
        problem={problem}
      />,
    )
  }

  return { askFor }
}
