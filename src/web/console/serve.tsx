import type { FastifyInstance, FastifyReply } from 'fastify'
import { ENVIRONMENTS } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { ConfirmationNeeded } from '../../core/operator-access.ts'
import { operatorOf, type User } from '../../domain/accounts/user.ts'
import { readFields } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { addressOf } from '../components/list.tsx'
import { readForm } from '../components/operation-fields.tsx'
import { Notice } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import {
  type FormContext,
  idempotencyOf,
  type PageContext,
  signedInPages,
} from '../layout/page-context.ts'
import { MAX_FILE_BYTES, readUpload } from '../layout/upload.ts'
import type { ConsoleContext, ConsolePage } from './page.ts'
import { isOpen, navigation, PAGES } from './pages.ts'
import { SearchBox, search } from './search.tsx'

/** The operator console: whatever the admin API can do, for operators who have signed in. */
export function serveConsole(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const routes = signedInPages(fastify, app, web, assertOperator)

  for (const page of PAGES) {
    servePage(page, page.path)
    for (const each of page.below ?? []) servePage(each, page.path)
  }

  /** `at` is the path in the navigation that the page belongs to. */
  function servePage(page: ConsolePage, at: string): void {
    const { path, upload, files = {} } = page
    routes.get(path, async (context) => {
      const { user } = context.session
      const first = PAGES.find((each) => isOpen(each, user))
      // Whose role opens no overview begins where it opens something.
      if (page === PAGES[0] && first && first !== page) return context.goOn(first.path)
      return await show(page, at, consoleContext(context))
    })
    routes.post(path, async (form) => await orSayWhy(page, at, form, () => perform(page, at, form)))
    for (const [name, send] of Object.entries(files)) {
      routes.get(name, async (context) => await send(consoleContext(context)))
    }
    if (!upload) return
    routes.upload(`${path}/upload`, path, MAX_FILE_BYTES, async (context) =>
      orSayWhy(page, at, { ...context, form: new URLSearchParams() }, async () => {
        const file = await readUpload(context.request)
        try {
          return await upload(consoleContext(context), file)
        } finally {
          file.drain()
        }
      }),
    )
  }

  function consoleContext(page: PageContext): ConsoleContext {
    const environment = ENVIRONMENTS.find((known) => known === page.query.environment) ?? 'live'
    const kept = environment === 'live' ? {} : { environment }
    return {
      ...page,
      app,
      environment,
      base: '',
      kept,
      rejected: null,
      made: null,
      async read(operation, fields = {}) {
        const input = () => readFields(operation, fields)
        return (await web.execute(operation, { ...callOf(page), input })).value
      },
      async write(operation, input) {
        return (await web.execute(operation, { ...callOf(page), input })).value
      },
      href: (path, query = {}) => addressOf(path, { ...kept, ...query }),
    }
  }

  async function show(page: ConsolePage, at: string, context: ConsoleContext) {
    const { title, body, problem, environment } = await page.render(context)
    const { rejected, made, note } = context
    const error = rejected?.error ?? problem
    return sendPage(
      context.reply,
      {
        title,
        viewer: context.session.user,
        section: await navigation(context, at),
        environment,
        status: error?.status ?? 200,
        hidden: true,
        scripts: ['page'],
      },
      <>
        {isOpen(search, context.session.user) && <SearchBox page={context} />}
        {error && <Notice kind="error">{errorText(error)}</Notice>}
        {note !== null && !error && <Notice kind="good">{note}</Notice>}
        {made}
        {body}
      </>,
    )
  }

  /** What a form is rejected for is said on its page, which keeps what was typed. */
  async function orSayWhy(
    page: ConsolePage,
    at: string,
    sent: FormContext,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ConfirmationNeeded) throw error
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const does = sent.form.get('do') ?? ''
      const rejected = { does, error, form: sent.form }
      return await show(page, at, { ...consoleContext(sent), rejected })
    }
  }

  async function perform(page: ConsolePage, at: string, sent: FormContext): Promise<FastifyReply> {
    const { form, request, session } = sent
    const action = page.actions?.find(({ operation }) => operation.name === form.get('do'))
    if (!action) {
      throw new ApiError('not_found', 'This page no longer has that form. Reload the page.')
    }
    const { value: result } = await web.execute(action.operation, {
      ...callOf(sent),
      idempotency: () => idempotencyOf(sent, `console:${session.user.id}`),
      input: () => readForm(action.operation, form, action.emptied),
    })
    if (action.show) {
      return await show(page, at, { ...consoleContext(sent), made: action.show(result) })
    }
    return sent.goOn(action.to?.(result) ?? request.url, action.done?.(result))
  }
}

function assertOperator({ is_operator }: User): void {
  if (is_operator) return
  throw new ApiError('forbidden', 'Only operators can open these pages. Ask one for access.')
}

function callOf({ session, now, request }: PageContext) {
  const caller = { kind: 'operator', actor: operatorOf(session) } as const
  return { caller, now, requestId: request.id }
}
