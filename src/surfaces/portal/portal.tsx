import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { z } from 'zod'
import { conflict, invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { domainField, momentField } from '../../kernel/fields.ts'
import type { House } from '../../kernel/house.ts'
import type { Attempt } from '../../kernel/idempotency.ts'
import {
  type Contract,
  ENVIRONMENTS,
  type Environment,
  type Partner,
  type PartnerRead,
  type PartnerWrite,
  type WriteContext,
} from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { parseInput } from '../input.ts'
import { sendPage } from '../pages/frame.tsx'
import { Notice, Tabs } from '../pages/parts.tsx'
import { besideField, issuesOf, spoken } from '../pages/spoken.ts'
import { attemptOf, type PostVisit, signedInPages, type Visit } from '../pages/visit.ts'
import { type How, performWrite } from '../perform.ts'
import type { Web } from '../web.ts'
import { sectionOf } from './section.ts'

type Account = Schema['partners']

/** Pages that say the same in both environments. */
const OF_BOTH = ['/live-access', '/members']

/** One request of a partner's user, in one of its environments. */
export interface PortalVisit extends Visit {
  partner: Partner
  account: Account
  environment: Environment
  /** `/partner/sandbox`, with no slash behind it. */
  base: string
}

export type PortalPost = PortalVisit & PostVisit

interface PageOptions {
  title: string
  /** Of the section's link that the page belongs to, behind the base: `/orders`. */
  at: string
  /** Why a form was refused: said above the page, with its status. */
  problem?: Refusal | undefined
  status?: number
}

/** The portal's frame: who may see it, its navigation, and its only ways to read and to write. */
export type Portal = ReturnType<typeof createPortal>

export function createPortal(app: FastifyInstance, house: House, web: Web) {
  const pages = signedInPages(app, house, web)

  /** Null: there is no partner yet, and the page that makes one is where it goes on. */
  async function enter<V extends Visit>(visit: V): Promise<(V & PortalVisit) | null> {
    const environment = ENVIRONMENTS.find((known) => known === visit.params.environment)
    if (!environment) throw notFound('page')
    const account = await accountOf(visit.session.user.partner_id)
    return account ? enterAs(visit, account, environment) : null
  }

  function enterAs<V extends Visit>(
    visit: V,
    account: Account,
    environment: Environment,
  ): V & PortalVisit {
    const partner = { partnerId: account.id, environment }
    return { ...visit, account, partner, environment, base: `/partner/${environment}` }
  }

  async function accountOf(partnerId: string | null): Promise<Account | undefined> {
    if (partnerId === null) return undefined
    return await house.db
      .selectFrom('partners')
      .selectAll()
      .where('id', '=', partnerId)
      .executeTakeFirst()
  }

  return {
    house,
    web,
    pages,
    accountOf,
    enterAs,

    /** A page below `/partner/{environment}`. */
    get(path: string, work: (visit: PortalVisit) => Promise<FastifyReply>): void {
      pages.get(`/partner/:environment${path}`, async (visit) => {
        const entered = await enter(visit)
        return entered ? await work(entered) : visit.goOn('/partner')
      })
    },

    /** A form of such a page. What it is refused for is shown by `again`, on the page that it came from. */
    post(
      path: string,
      work: (visit: PortalPost) => Promise<FastifyReply>,
      again: (visit: PortalPost, problem: Refusal) => Promise<FastifyReply>,
    ): void {
      // Opened anew after a refusal, the form's own path leads back to its page.
      const [page] = /^\/[a-z-]+/.exec(path) ?? []
      if (page !== path) {
        pages.get(`/partner/:environment${path}`, async ({ params, goOn }) =>
          goOn(`/partner/${params.environment}${page}`),
        )
      }
      pages.post(`/partner/:environment${path}`, async (visit) => {
        const entered = await enter(visit)
        if (!entered) return visit.goOn('/partner')
        try {
          if (entered.account.status !== 'active') {
            throw new Refusal('partner_not_active', 'This partner account is suspended.')
          }
          return await work(entered)
        } catch (error) {
          if (!(error instanceof Refusal) || error.status >= 500) throw error
          return await again(entered, error)
        }
      })
    },

    show(visit: PortalVisit, { title, at, problem, status }: PageOptions, body: VNode) {
      const { reply, session, environment, account, note } = visit
      return sendPage(
        reply,
        {
          title,
          status: status ?? problem?.status ?? 200,
          viewer: session.user,
          section: sectionOf(visit.base, account.name, environment, at),
          hidden: true,
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
              This account is suspended: its calls are refused. Write to the operator.
            </Notice>
          )}
          {environment === 'live' && account.live_approved_at === null && !OF_BOTH.includes(at) && (
            <Notice kind="info">
              You have no live access yet, so there is nothing to see here.{' '}
              <a href="/partner/live-access">Ask for it</a>
            </Notice>
          )}
          {note !== null && <Notice kind="good">{note}</Notice>}
          {problem && <Notice kind="error">{spoken(problem)}</Notice>}
          {body}
        </>,
      )
    },

    /** What the API's operation answers to the partner. */
    async read<I extends z.ZodObject, O extends z.ZodType>(
      { partner, now }: PortalVisit,
      operation: PartnerRead<I, O>,
      input: Typed<I>,
    ): Promise<z.output<O>> {
      await operation.refuseCaller?.(house.db, partner)
      const parsed = readTyped(operation, input)
      return await operation.handler({ db: house.db, now, house, partner }, parsed)
    },

    /** The same for a list, whose filters anyone may have typed: a wrong one is said, and finds nothing. */
    async list<Answer>(work: () => Promise<Answer>): Promise<[Answer | null, Refusal | undefined]> {
      try {
        return [await work(), undefined]
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 400) throw error
        return [null, error]
      }
    },

    /** Performs the API's operation for the partner, in its transaction; a form sent twice does it once. */
    async perform<I extends z.ZodObject, O extends z.ZodType>(
      visit: PortalPost,
      operation: PartnerWrite<I, O>,
      input: Typed<I>,
    ): Promise<z.output<O>> {
      const { partner, account, environment, now } = visit
      if (environment === 'live' && account.live_approved_at === null) {
        throw conflict('This needs live access: ask for it first.')
      }
      await operation.refuseCaller?.(house.db, partner)
      const parsed = readTyped(operation, input)
      const prepared = await operation.prepare?.({ db: house.db, now, house, partner }, parsed)
      return await write(
        now,
        (context) => operation.handler({ ...context, partner, prepared }, parsed),
        attemptOf(visit, `${partner.partnerId}:${environment}`),
        { by: { partner, operation } },
      )
    },

    /** Runs a module's write in its transaction. */
    write,
  }

  async function write<Answer>(
    now: Date,
    work: (context: WriteContext) => Promise<Answer>,
    attempt: Attempt | null = null,
    how: How = {},
  ): Promise<Answer> {
    const { body } = await performWrite(house, { status: 200 }, now, attempt, work, how)
    return JSON.parse(body) as Answer
  }
}

/** The same page in an environment, or its overview where only one of them has the page. */
function inEnvironment(environment: Environment, at: string): string {
  return `/partner/${environment}${['/sandbox', '/live-access'].includes(at) ? '' : at}`
}

/** An operation's fields as somebody typed them: what they hold is still to be checked. */
type Typed<I extends z.ZodObject> = { [Field in keyof z.input<I>]?: unknown }

/** A form's empty fields are absent ones. */
function readTyped<I extends z.ZodObject>(operation: Contract<I>, input: Typed<I>): z.output<I> {
  const given = Object.entries(input).filter(([, value]) => value !== '' && value !== undefined)
  return parseInput(operation, Object.fromEntries(given))
}

/** What is wrong with a field, to stand beside it. */
export function issueWith(problem: Refusal | undefined, field: string): string | undefined {
  const found = problem && issuesOf(problem).find((issue) => issue.field === field)
  return found && besideField(found.issue)
}

/** A filter's domain as the database has it. */
export function domainOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : read(domainField, 'domain', text)
}

/** One end of a filter's window. */
export function momentOf(field: 'from' | 'to', text: string | undefined): Date | undefined {
  return text === undefined ? undefined : read(momentField, field, text)
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
