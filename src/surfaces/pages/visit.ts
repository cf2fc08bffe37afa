import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import { type Attempt, idempotencyKey } from '../../kernel/idempotency.ts'
import { refuseOverLimit } from '../../kernel/rate-limits.ts'
import { sha256 } from '../../lib/signature.ts'
import type { SignedIn } from '../../modules/accounts/session.ts'
import type { User } from '../../modules/accounts/user.ts'
import { readSession } from '../accounts/cookie.ts'
import type { Web } from '../web.ts'
import { leaveNote, takeNote } from './note.ts'
import { type Query, queryOf } from './query.ts'
import { readForm, refuseForeignForm } from './same-origin.ts'

/** Pages and forms a minute, of one user. */
const PER_MINUTE = 600

/** One request of a signed-in user for a page. */
export interface Visit {
  request: FastifyRequest
  reply: FastifyReply
  session: SignedIn
  query: Query
  params: Record<string, string>
  now: Date
  /** What the form before has done, said on this page and no other; null when there is nothing to say. */
  note: string | null
  /** Answers a form: on to a page, which says once what has happened. */
  goOn(path: string, note?: string): FastifyReply
}

/** One form that a signed-in user sent from one of our pages. */
export interface PostVisit extends Visit {
  form: URLSearchParams
}

/**
 * Routes of pages for users who have signed in; others are asked to, and come back. `admits` throws what a
 * user is told who may not see them.
 */
export function signedInPages(
  app: FastifyInstance,
  house: House,
  web: Web,
  admits: (user: User) => void = () => {},
) {
  const { settings, clock } = house
  const config = { config: { page: true as const } }

  async function visit(request: FastifyRequest, reply: FastifyReply): Promise<Visit | null> {
    const now = clock.now()
    const session = await readSession(request, house)
    if (!session) {
      await web.countUnauthenticated(request, now)
      const next = request.method === 'GET' ? `?next=${encodeURIComponent(request.url)}` : ''
      reply.redirect(`/sign-in${next}`, 303)
      return null
    }
    const subject = `pages:${session.user.id}`
    refuseOverLimit(await web.count({ subject, limit: PER_MINUTE, now }), now)
    admits(session.user)
    const query = queryOf(request)
    return {
      request,
      reply,
      session,
      query,
      params: request.params as Record<string, string>,
      now,
      note: takeNote(request, reply, settings.baseUrl),
      goOn(next, text) {
        if (text !== undefined) leaveNote(reply, settings.baseUrl, text)
        return reply.redirect(next, 303)
      },
    }
  }

  return {
    get(path: string, work: (visit: Visit) => Promise<FastifyReply>): void {
      app.get(path, config, async (request, reply) => {
        const seen = await visit(request, reply)
        return seen === null ? reply : await work(seen)
      })
    },
    /** The page of forms that go elsewhere: it is what their paths show to whoever opens them after a refusal. */
    formsOf(page: string, ...paths: string[]): void {
      for (const path of paths) this.get(path, async ({ goOn }) => goOn(page))
    },
    post(path: string, work: (visit: PostVisit) => Promise<FastifyReply>): void {
      app.post(path, config, async (request, reply) => {
        const form = readForm(request, settings.baseUrl)
        const seen = await visit(request, reply)
        return seen === null ? reply : await work({ ...seen, form })
      })
    },
    /** A form with a file, whose body the work reads: nobody else's is taken in. */
    upload(path: string, bodyLimit: number, work: (visit: Visit) => Promise<FastifyReply>): void {
      app.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('multipart/form-data', (_request, payload, done) =>
          done(null, payload),
        )
        const options = { bodyLimit, config: { page: true as const, isPatient: true as const } }
        scope.post(path, options, async (request, reply) => {
          refuseForeignForm(request, settings.baseUrl)
          const seen = await visit(request, reply)
          return seen === null ? reply : await work(seen)
        })
      })
    },
  }
}

/** A form that is sent twice has one key, and is done once for its subject. */
export function attemptOf({ form, request }: PostVisit, subject: string): Attempt | null {
  const key = idempotencyKey(form.get('once') ?? undefined)
  const fingerprint = sha256(form.toString())
  return key === null ? null : { subject, method: 'POST', path: request.url, key, fingerprint }
}
