import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { z } from 'zod'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { type AdminRead, ENVIRONMENTS, type Environment } from '../../kernel/operation.ts'
import type { User } from '../../modules/accounts/user.ts'
import { act, operatorOf } from '../admin/act.ts'
import { readFields } from '../input.ts'
import { sendPage } from '../pages/frame.tsx'
import { addressOf } from '../pages/list.tsx'
import { Notice } from '../pages/parts.tsx'
import { spoken } from '../pages/spoken.ts'
import { attemptOf, type PostVisit, signedInPages, type Visit } from '../pages/visit.ts'
import type { Web } from '../web.ts'
import { ACTIONS, inputOf } from './actions.tsx'
import { navigation } from './navigation.ts'
import { MAX_FILE_BYTES, readUpload, type Upload } from './upload.ts'

/** A form that was refused, shown again with what was wrong. */
interface Refused {
  /** The name of the operation. */
  does: string
  refusal: Refusal
  form: URLSearchParams
}

/** One look of an operator at one page. */
export interface Look extends Visit {
  house: House
  /** Which environment the page is about. */
  environment: Environment
  refused: Refused | null
  /** What the page's form has made, where it is to be seen this once. */
  made: VNode | null
  /** Asks an operation of the admin API. */
  read<I extends z.ZodObject, O extends z.ZodType>(
    operation: AdminRead<I, O>,
    fields?: Record<string, unknown>,
  ): Promise<z.output<O>>
  /** A path of the console, in the same environment. */
  href(path: string, query?: Record<string, string | undefined>): string
}

interface Shown {
  title: string
  /** The path in the navigation that the page belongs to. */
  at: string
  body: VNode
  /** Beside the script of all pages. */
  scripts?: string[]
}

type Render = (look: Look) => Promise<Shown>

export interface Desk {
  house: House
  /** A page, and the forms on it: each names its operation and goes to the page's own address. */
  page(path: string, render: Render): void
  /** Where a page's form with a file goes; what is refused is told on the page. */
  upload(
    path: string,
    render: Render,
    work: (look: Look, upload: Upload) => Promise<FastifyReply>,
  ): void
  /** What is taken away as a file. */
  file(path: string, work: (look: Look) => Promise<FastifyReply>): void
}

function refuseOthers({ is_operator }: User): void {
  if (is_operator) return
  throw new Refusal('forbidden', 'These pages are for operators. One of them can make you one.')
}

export function openDesk(app: FastifyInstance, house: House, web: Web): Desk {
  const pages = signedInPages(app, house, web, refuseOthers)

  function look(visit: Visit): Look {
    const environment = ENVIRONMENTS.find((known) => known === visit.query.environment) ?? 'live'
    const kept = environment === 'live' ? {} : { environment }
    return {
      ...visit,
      house,
      environment,
      refused: null,
      made: null,
      read: (operation, fields = {}) =>
        operation.handler({ db: house.db, now: visit.now, house }, readFields(operation, fields)),
      href: (path, query = {}) => addressOf(path, { ...kept, ...query }),
    }
  }

  async function show(seen: Look, { title, at, body, scripts = [] }: Shown): Promise<FastifyReply> {
    const { refused, made, note } = seen
    return sendPage(
      seen.reply,
      {
        title,
        viewer: seen.session.user,
        section: await navigation(seen, at),
        status: refused?.refusal.status ?? 200,
        hidden: true,
        scripts: ['page', ...scripts],
      },
      <>
        {refused && <Notice kind="error">{spoken(refused.refusal)}</Notice>}
        {note !== null && refused === null && <Notice kind="good">{note}</Notice>}
        {made}
        {body}
      </>,
    )
  }

  async function perform(visit: PostVisit, render: Render): Promise<FastifyReply> {
    const { form, request, session } = visit
    const does = form.get('do') ?? ''
    const action = ACTIONS.get(does)
    if (!action)
      throw new Refusal('not_found', 'There is no such form any more: open the page anew.')
    try {
      const origin = { actor: operatorOf(session.user), requestId: request.id }
      const attempt = attemptOf(visit, `console:${session.user.id}`)
      const { body } = await act(
        house,
        web,
        action.operation,
        inputOf(action, form),
        origin,
        attempt,
      )
      const answer: unknown = JSON.parse(body)
      if (action.show) {
        const seen = { ...look(visit), made: action.show(answer) }
        return await show(seen, await render(seen))
      }
      const here = form.get('back') ?? request.url
      const next = action.to?.(answer) ?? (here.startsWith('/operator') ? here : '/operator')
      return visit.goOn(next, action.done(answer))
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      const seen = { ...look(visit), refused: { does, refusal: error, form } }
      return await show(seen, await render(seen))
    }
  }

  return {
    house,
    page(path, render) {
      pages.get(path, async (visit) => {
        const seen = look(visit)
        return await show(seen, await render(seen))
      })
      pages.post(path, (visit) => perform(visit, render))
    },
    upload(path, render, work) {
      pages.upload(path, MAX_FILE_BYTES, async (visit) => {
        const seen = look(visit)
        try {
          const upload = await readUpload(visit.request)
          try {
            return await work(seen, upload)
          } finally {
            upload.drain()
          }
        } catch (error) {
          if (!(error instanceof Refusal) || error.status >= 500) throw error
          const form = new URLSearchParams()
          const refused = { ...seen, refused: { does: path, refusal: error, form } }
          return await show(refused, await render(refused))
        }
      })
    },
    file: (path, work) => pages.get(path, (visit) => work(look(visit))),
  }
}
