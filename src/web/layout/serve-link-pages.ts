import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { readForm } from '../../http/same-origin.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { setFlash, takeFlash } from './flash.ts'

/** What a page says of the form that led to it. */
export interface Message {
  kind: 'error' | 'good'
  status: number
  text: string
}

/** A form that was rejected, so that nothing has to be typed again. */
export interface Sent {
  act: string
  form: URLSearchParams
}

interface LinkPages {
  /** What the token of the link follows. */
  path: string
  operation: string
  /** Rejects a token that is not ours. */
  find(token: string): Promise<unknown>
  /** Does what a form asks for, and resolves to what is said of it. */
  perform(call: FormCall, token: string, sent: Sent): Promise<string>
  /** Whether the page itself tells of an error, beside the form. */
  tells(error: ApiError): boolean
  show(reply: FastifyReply, token: string, message?: Message, sent?: Sent): Promise<FastifyReply>
}

interface FormCall {
  caller: { kind: 'page'; user: null; partner: null }
  now: Date
  requestId: string
}

type Params = { token: string; act: string }

/** A page that anyone who has its mailed link sees and acts on, without a login. */
export function serveLinkPages(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  { path, operation, find, perform, tells, show }: LinkPages,
): void {
  const { baseUrl } = app.settings
  const config = { page: true, operation } as const

  fastify.get<{ Params: Params }>(`${path}/:token`, { config }, async (request, reply) => {
    await web.countUnauthenticated(request, app.clock.now())
    const text = takeFlash(request, reply, baseUrl)
    const message = text === null ? undefined : ({ kind: 'good', status: 200, text } as const)
    return show(reply, request.params.token, message)
  })

  // Where a rejected form leaves its sender: opened anew, it is the page.
  fastify.get<{ Params: Params }>(`${path}/:token/:act`, { config }, async (request, reply) => {
    await web.countUnauthenticated(request, app.clock.now())
    await find(request.params.token)
    return reply.redirect(`${path}/${request.params.token}`, 303)
  })

  fastify.post<{ Params: Params }>(
    `${path}/:token/:act`,
    { config: { ...config, operation: `${operation}_act` } },
    async (request, reply) => {
      const now = app.clock.now()
      await web.countUnauthenticated(request, now)
      const { token, act } = request.params
      const form = readForm(request, baseUrl)
      try {
        const caller = { kind: 'page', user: null, partner: null } as const
        const call = { caller, now, requestId: request.id }
        setFlash(reply, baseUrl, await perform(call, token, { act, form }))
        return reply.redirect(`${path}/${token}`, 303)
      } catch (error) {
        if (!(error instanceof ApiError) || !tells(error)) throw error
        const message = { kind: 'error', status: error.status, text: errorText(error) } as const
        return await show(reply, token, message, { act, form })
      }
    },
  )
}
