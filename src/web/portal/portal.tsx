import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Selectable } from 'kysely'
import type { VNode } from 'preact'
import type { z } from 'zod'
import {
  ENVIRONMENTS,
  type Environment,
  type Partner,
  type PartnerCaller,
} from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import type { Contract } from '../../core/contract.ts'
import { ApiError, conflict, invalid, notFound } from '../../core/errors.ts'
import { domainField, timestampField } from '../../core/fields.ts'
import type { PageWrite, PartnerRead, PartnerWrite } from '../../core/operation.ts'
import { ConfirmationNeeded } from '../../core/operator-access.ts'
import type { Schema } from '../../db/schema.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { errorText, fieldText } from '../components/humanize.ts'
import { Notice, Tabs } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import {
  type FormContext,
  idempotencyOf,
  type PageContext,
  signedInPages,
} from '../layout/page-context.ts'
import { sectionOf } from './section.ts'

type Account = Selectable<Schema['partners']>

/** Pages that say the same in both environments. */
const OF_BOTH = ['/live-access', '/members']

/** One request of a partner's user, in one of its environments. */
export interface PortalContext extends PageContext {
  partner: Partner
  account: Account
  environment: Environment
  /** `/partner/sandbox`, with no slash behind it. */
  base: string
}

export type PortalFormContext = PortalContext & FormContext

interface PageOptions {
  title: string
  /** Of the section's link that the page belongs to, behind the base: `/orders`. */
  at: string
  /** Why a form was rejected: said above the page, with its status. */
  problem?: ApiError | undefined
  status?: number
  /** Where else its forms may lead. */
  formTargets?: string[]
}

/** The portal's frame: who may see it, its navigation, and its only ways to read and to write. */
export type Portal = ReturnType<typeof createPortal>

export function createPortal(fastify: FastifyInstance, app: AppContext, web: Web) {
  const pages = signedInPages(fastify, app, web)

  /** Null: there is no partner yet, and the page that makes one is where it goes on. */
  async function enter<V extends PageContext>(page: V): Promise<(V & PortalContext) | null> {
    const environment = ENVIRONMENTS.find((known) => known === page.params.environment)
    if (!environment) throw notFound('page')
    const account = await accountOf(page.session.user.partner_id)
    return account ? enterAs(page, account, environment) : null
  }

  function enterAs<V extends PageContext>(
    page: V,
    account: Account,
    environment: Environment,
  ): V & PortalContext {
    const partner = { partnerId: account.id, environment }
    return { ...page, account, partner, environment, base: `/partner/${environment}` }
  }

  async function accountOf(partnerId: string | null): Promise<Account | undefined> {
    if (partnerId === null) return undefined
    return await app.db
      .selectFrom('partners')
      .selectAll()
      .where('id', '=', partnerId)
      .executeTakeFirst()
  }

  return {
    app,
    web,
    pages,
    accountOf,
    enterAs,

    /** A page below `/partner/{environment}`. */
    get(path: string, work: (page: PortalContext) => Promise<FastifyReply>): void {
      pages.get(`/partner/:environment${path}`, async (page) => {
        const entered = await enter(page)
        return entered ? await work(entered) : page.goOn('/partner')
      })
    },

    /** A form of such a page. What it is rejected for is shown by `again`, on the page that it came from. */
    post(
      path: string,
      work: (page: PortalFormContext) => Promise<FastifyReply>,
      again: (page: PortalFormContext, problem: ApiError) => Promise<FastifyReply>,
    ): void {
      // Opened anew after an error, the form's own path leads back to its page.
      const [page] = /^\/[a-z-]+/.exec(path) ?? []
      if (page !== path) {
        pages.get(`/partner/:environment${path}`, async ({ params, goOn }) =>
          goOn(`/partner/${encodeURIComponent(params.environment ?? '')}${page}`),
        )
      }
      pages.post(`/partner/:environment${path}`, async (page) => {
        const entered = await enter(page)
        if (!entered) return page.goOn('/partner')
        try {
          if (entered.account.status !== 'active') {
            throw new ApiError('partner_not_active', 'This partner account is suspended.')
          }
          return await work(entered)
        } catch (error) {
          if (error instanceof ConfirmationNeeded) throw error
          if (!(error instanceof ApiError) || error.status >= 500) throw error
          return await again(entered, error)
        }
      })
    },

    show(
      page: PortalContext,
      { title, at, problem, status, formTargets = [] }: PageOptions,
      body: VNode,
    ) {
      const { reply, session, environment, account, note } = page
      return sendPage(
        reply,
        {
          title,
          status: status ?? problem?.status ?? 200,
          viewer: session.user,
          section: sectionOf(page.base, account.name, environment, at),
          environment,
          hidden: true,
          formTargets,
          scripts: ['page'],
        },
        <>
          <Tabs
            label="Environment"
            at={inEnvironment(environment, at)}
            tabs={ENVIRONMENTS.map((each) => [
              inEnvironment(each, at),
              each === 'sandbox' ? 'Sandbox' : 'Live',
            ])}
          />
          {account.status !== 'active' && (
            <Notice kind="error">
              This account is suspended: its requests are rejected. Contact the operator.
            </Notice>
          )}
          {environment === 'live' && account.live_approved_at === null && !OF_BOTH.includes(at) && (
            <Notice kind="info">
              You have no live access yet, so there is nothing to see here.{' '}
              <a href="/partner/live-access">Ask for it</a>
            </Notice>
          )}
          {note !== null && <Notice kind="good">{note}</Notice>}
          {problem && <Notice kind="error">{errorText(problem)}</Notice>}
          {body}
        </>,
      )
    },

    /** What the API's operation returns to the partner. */
    async read<I extends z.ZodObject, O extends z.ZodType>(
      { partner, now, request }: PortalContext,
      operation: PartnerRead<I, O>,
      input: Typed<I>,
    ): Promise<z.output<O>> {
      const executed = await web.execute(operation, {
        caller: memberOf(partner),
        now,
        requestId: request.id,
        input: () => readTyped(operation, input),
      })
      return executed.value
    },

    /** The same for a list, whose filters anyone may have typed: a wrong one is said, and finds nothing. */
    async list<Result>(
      work: () => Promise<Result>,
    ): Promise<[Result | null, ApiError | undefined]> {
      try {
        return [await work(), undefined]
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 400) throw error
        return [null, error]
      }
    },

    /** Performs the API's operation for the partner, in its transaction; a form sent twice does it once. */
    async perform<I extends z.ZodObject, O extends z.ZodType>(
      page: PortalFormContext,
      operation: PartnerWrite<I, O>,
      input: Typed<I>,
    ): Promise<z.output<O>> {
      const { partner, account, environment, now, request } = page
      if (environment === 'live' && account.live_approved_at === null) {
        throw conflict('not_allowed_now', 'This needs live access: ask for it first.', {
          status: 'not_approved',
        })
      }
      const executed = await web.execute(operation, {
        caller: memberOf(partner),
        now,
        requestId: request.id,
        idempotency: () => idempotencyOf(page, `${partner.partnerId}:${environment}`),
        input: () => readTyped(operation, input),
      })
      return executed.value
    },

    /** Performs a write that only our own pages have, for the user who sent the form. */
    async write<I extends z.ZodObject, O extends z.ZodType>(
      visit: FormContext & { partner?: Partner },
      operation: PageWrite<I, O>,
      input: Typed<I>,
      /** Whose forms have a key of their own; null where what the form makes comes with it. */
      subject: string | null = null,
    ): Promise<z.output<O>> {
      const { session, partner = null, now, request } = visit
      const executed = await web.execute(operation, {
        caller: { kind: 'page', user: session.user, partner },
        now,
        requestId: request.id,
        idempotency: () => (subject === null ? null : idempotencyOf(visit, subject)),
        input: () => readTyped(operation, input),
      })
      return executed.value
    },
  }
}

/** A member may do whatever the partner may. */
function memberOf(partner: Partner): PartnerCaller {
  return { kind: 'partner', partner, credential: null }
}

/** The same page in an environment, or its overview where only one of them has the page. */
function inEnvironment(environment: Environment, at: string): string {
  return `/partner/${environment}${['/sandbox', '/live-access'].includes(at) ? '' : at}`
}

/** An operation's fields as somebody typed them: what they hold is still to be checked. */
type Typed<I extends z.ZodObject> = { [Field in keyof z.input<I>]?: unknown }

/** A form's empty fields are absent ones. */
function readTyped<I extends z.ZodObject>(
  operation: Pick<Contract<I>, 'input'>,
  input: Typed<I>,
): z.output<I> {
  const given = Object.entries(input).filter(([, value]) => value !== '' && value !== undefined)
  return parseInput(operation, Object.fromEntries(given))
}

/** What is wrong with a field, to stand beside it. */
export function issueWith(problem: ApiError | undefined, field: string): string | undefined {
  const found = problem?.issues.find((issue) => issue.field === field)
  return found && fieldText(found)
}

/** A filter's domain as the database has it. */
export function domainOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : read(domainField, 'domain', text)
}

/** One end of a filter's window. */
export function timestampOf(field: 'from' | 'to', text: string | undefined): Date | undefined {
  return text === undefined ? undefined : read(timestampField, field, text)
}

/** One of a filter's choices. */
export function oneOf<Choice extends string>(
  choices: readonly Choice[],
  text: string | undefined,
): Choice | undefined {
  return choices.find((choice) => choice === text)
}

function read<Output>(type: z.ZodType<Output>, field: string, text: string): Output {
  const result = type.safeParse(text)
  if (result.success) return result.data
  throw invalid({ field, issue: result.error.issues[0]?.message ?? 'is not valid' })
}
