import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { type IdempotentRequest, idempotencyKey } from '../../core/idempotency.ts'
import { ConfirmationNeeded, RECENT_MS } from '../../core/operator-access.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import type { SignedIn } from '../../domain/accounts/session.ts'
import type { User } from '../../domain/accounts/user.ts'
import { assertOwnForm, readForm } from '../../http/same-origin.ts'
import { readSession } from '../../http/session-cookie.ts'
import type { Web } from '../../http/web.ts'
import { after } from '../../lib/clock.ts'
import { sha256 } from '../../lib/signature.ts'
import { setFlash, takeFlash } from './flash.ts'
import { type Query, queryOf } from './query.ts'

/** Pages and forms a minute, of one user. */
const PER_MINUTE = 600

/** One request of a signed-in user for a page. */
export interface PageContext {
  request: FastifyRequest
  reply: FastifyReply
  session: SignedIn
  query: Query
  params: Record<string, string>
  now: Date
  /** What the form before has done, said on this page and no other; null when there is nothing to say. */
  note: string | null
  /** How many offers wait for the user to respond, where the page says so. */
  offersWaiting: number
  /** Responds to a form: on to a page, which says once what has happened. */
  goOn(path: string, note?: string): FastifyReply
}

/** One form that a signed-in user sent from one of our pages. */
export interface FormContext extends PageContext {
  form: URLSearchParams
}

/** Responds to whoever asks, signed in or not, where the page is for everybody; null where it is not. */
export type OpenToAll = (
  request: FastifyRequest,
  reply: FastifyReply,
  form?: URLSearchParams,
) => Promise<FastifyReply | null>

/**
 * Routes of pages for users who have signed in; others are asked to, and come back. `admits` throws what a
 * user is told who may not see them.
 */
export function signedInPages(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  admits: (user: User) => void = () => {},
  countOffers: (user: User, now: Date) => Promise<number> = () => Promise.resolve(0),
) {
  const { settings, clock } = app
  const config = { config: { page: true as const } }

  async function openPage(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PageContext | null> {
    const now = clock.now()
    const session = await readSession(request, app)
    if (!session) {
      await web.countUnauthenticated(request, now)
      const next = request.method === 'GET' ? `?next=${encodeURIComponent(request.url)}` : ''
      reply.redirect(`/sign-in${next}`, 303)
      return null
    }
    const subject = `pages:${session.user.id}`
    assertUnderLimit(await web.count({ subject, limit: PER_MINUTE, now }), now)
    admits(session.user)
    const query = queryOf(request)
    return {
      request,
      reply,
      session,
      query,
      params: request.params as Record<string, string>,
      now,
      offersWaiting: await countOffers(session.user, now),
      note: takeFlash(request, reply, settings.baseUrl),
      goOn(next, text) {
        if (text !== undefined) setFlash(reply, settings.baseUrl, text)
        return reply.redirect(next, 303)
      },
    }
  }

  return {
    get(
      path: string,
      work: (page: PageContext) => Promise<FastifyReply>,
      open: OpenToAll = () => Promise.resolve(null),
    ): void {
      fastify.get(path, config, async (request, reply) => {
        const shown = await open(request, reply)
        if (shown) return shown
        const page = await openPage(request, reply)
        return page === null ? reply : await orConfirm(page, request.url, () => work(page))
      })
    },
    /** The page of forms that go elsewhere: it is what their paths show to whoever opens them after an error. */
    formsOf(page: string, ...paths: string[]): void {
      for (const path of paths) this.get(path, async ({ goOn }) => goOn(page))
    },
    post(
      path: string,
      work: (page: FormContext) => Promise<FastifyReply>,
      open: OpenToAll = () => Promise.resolve(null),
    ): void {
      fastify.post(path, config, async (request, reply) => {
        const form = readForm(request, settings.baseUrl)
        const shown = await open(request, reply, form)
        if (shown) return shown
        const page = await openPage(request, reply)
        if (page === null) return reply
        // Opened anew, a form's own path leads back to its page.
        return await orConfirm(page, request.url, () => work({ ...page, form }))
      })
    },
    /** A form with a file, whose body the work reads: nobody else's is taken in. `shownAt` is the path of its page. */
    upload(
      path: string,
      shownAt: string,
      bodyLimit: number,
      work: (page: PageContext) => Promise<FastifyReply>,
    ): void {
      fastify.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('multipart/form-data', (_request, payload, done) =>
          done(null, payload),
        )
        const options = { bodyLimit, config: { page: true as const, isPatient: true as const } }
        scope.post(path, options, async (request, reply) => {
          assertOwnForm(request, settings.baseUrl)
          const page = await openPage(request, reply)
          return page === null ? reply : await orConfirm(page, shownAt, () => work(page))
        })
      })
    },
  }
}

/** Throws where the user has to show again that it is them; the page comes back to where they were. */
export function assertRecent({ session: { presence }, now }: PageContext): void {
  if (presence.confirmedAt < after(now, -RECENT_MS)) throw new ConfirmationNeeded()
}

/** The same where having signed in is not enough: a second step is asked for in any case. */
export function assertSecondStep(page: PageContext): void {
  assertRecent(page)
  const { confirmedAt, since } = page.session.presence
  if (confirmedAt <= since) throw new ConfirmationNeeded()
}

async function orConfirm(
  page: PageContext,
  path: string,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfirmationNeeded)) throw error
    return page.reply.redirect(`/confirm?next=${encodeURIComponent(path)}`, 303)
  }
}

/** A form that is sent twice has one key, and is done once for its subject. */
export function idempotencyOf(
  { form, request }: FormContext,
  subject: string,
): IdempotentRequest | null {
  const key = idempotencyKey(form.get('once') ?? undefined)
  const fingerprint = sha256(form.toString())
  return key === null ? null : { subject, method: 'POST', path: request.url, key, fingerprint }
}
