import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { readPlace, writePlace } from '../../core/cursor.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { type IdempotentRequest, storedBody } from '../../core/idempotency.ts'
import { openStored } from '../../core/write.ts'
import { changeDomains } from '../../domain/domains/change-domains.ts'
import type { ChangeOutput } from '../../domain/domains/change-outcome.ts'
import {
  countOwnedDomains,
  listOwnedDomains,
  OWNED_DOMAIN_FILTERS,
  type OwnedDomainQuery,
} from '../../domain/domains/list-owned-domains.ts'
import { costOf, registrationPrice } from '../../domain/registry/price-book.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { sha256 } from '../../lib/signature.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import type { FormContext, PageContext, signedInPages } from '../layout/page-context.ts'
import { ACCOUNT, sendAccountPage } from './account-page.tsx'
import { actionOf, fieldsOf, paramsOf, problemsIn } from './actions.ts'
import { type Costs, Outcome, Review } from './change.tsx'
import { Domains } from './domains.tsx'

const PAGE = 50
const COUNTED = 1_000
/** What one change takes at most. */
const MOST = 1_000

/** A user's own domains: the list, a look at what a change would do, and the change. */
export function serveDomains(
  pages: ReturnType<typeof signedInPages>,
  app: AppContext,
  web: Web,
): void {
  const { db, secrets } = app

  pages.get(ACCOUNT, async (page) => showList(page))
  pages.formsOf(ACCOUNT, '/account/domains/review', '/account/domains/change')

  async function showList(page: PageContext, problem?: string): Promise<FastifyReply> {
    const query = queryOf(page, page.query.q, page.query.filter)
    const bound = { list: 'holdings', ...query }
    const { cursor } = page.query
    const place = cursor === undefined ? null : readPlace(secrets, cursor, bound)
    const [rows, count] = await Promise.all([
      listOwnedDomains(db, page.now, query, place, PAGE + 1),
      countOwnedDomains(db, page.now, query, COUNTED + 1),
    ])
    const shown = rows.slice(0, PAGE)
    const last = shown.at(-1)
    const offset = (place?.offset ?? 0) + shown.length
    const next =
      rows.length > PAGE && last ? writePlace(secrets, { key: [last.domain], offset }, bound) : null
    const total = count > COUNTED ? `${COUNTED.toLocaleString('en-US')}+` : String(count)
    const { q, filter } = query
    return sendAccountPage(
      page,
      {
        title: 'Your domains',
        at: ACCOUNT,
        status: problem === undefined ? 200 : 400,
        notice: problem === undefined ? null : <Notice kind="error">{problem}</Notice>,
      },
      <Domains
        fields={{ q, filter, cursor }}
        rows={shown}
        total={total}
        next={next}
        baseUrl={app.settings.baseUrl}
      />,
    )
  }

  pages.post('/account/domains/review', async (page) => {
    const { form } = page
    const action = actionOf(form.get('action'))
    if (!action) return showList(page, 'Choose what to do.')
    const domains = await chosen(page)
    if (domains.length === 0) return showList(page, 'Choose at least one domain.')
    return review(page, domains, action)
  })

  async function review(
    page: FormContext,
    domains: string[],
    action: NonNullable<ReturnType<typeof actionOf>>,
    rejected?: ApiError,
  ): Promise<FastifyReply> {
    const fields = fieldsOf(page.form)
    const asked = paramsOf(action, fields)
    const isTold = page.form.has('key') || action.asks !== 'nameservers'
    let problem = rejected
    let preview: ChangeOutput | null = null
    if (asked.params && isTold) {
      try {
        const input = { op: action.op, domains, params: asked.params, dry_run: true }
        preview = (await apply(page, input, null)).value
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        problem ??= error
      }
    }
    const costs = await costsOf(preview, asked.params?.years)
    const problems = { ...asked.problems, ...(problem && problemsIn(problem, fields)) }
    const isMarked = Object.keys(problems).length > 0
    const said = isMarked ? 'Something is not right yet. See below.' : problem && errorText(problem)
    return sendAccountPage(
      page,
      {
        title: action.label,
        at: ACCOUNT,
        status: problem?.status ?? (isMarked ? 400 : 200),
        notice: said === undefined ? null : <Notice kind="error">{said}</Notice>,
      },
      <Review
        action={action}
        domains={domains}
        fields={fields}
        problems={problems}
        preview={preview}
        costs={costs}
        formKey={randomUUID()}
      />,
    )
  }

  pages.post('/account/domains/change', async (page) => {
    const { form } = page
    const action = actionOf(form.get('action'))
    const domains = form.getAll('domain')
    if (!action || domains.length === 0) return page.goOn(ACCOUNT)
    const { params } = paramsOf(action, fieldsOf(form))
    const key = form.get('key') ?? ''
    if (!params || !/^[\w-]{8,64}$/.test(key)) return review(page, domains, action)
    try {
      const fingerprint = sha256(form.toString())
      const attempt = { ...idempotencyOf(page, key), fingerprint }
      const { value, isFinal } = await apply(page, { op: action.op, domains, params }, attempt)
      // What is still under way is kept nowhere yet: sent again, this form asks how it stands.
      if (!isFinal) return showOutcome(page, value)
      return page.goOn(`/account/domains/changes/${key}`)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return review(page, domains, action, error)
    }
  })

  pages.get('/account/domains/changes/:key', async (page) => {
    const body = await storedBody(db, idempotencyOf(page, page.params.key ?? ''))
    if (body === null) throw notFound('change')
    return showOutcome(page, JSON.parse(openStored(app, body)) as ChangeOutput)
  })

  async function apply(page: PageContext, input: object, idempotency: IdempotentRequest | null) {
    const { session, now, request } = page
    return await web.execute(changeDomains, {
      caller: { kind: 'user', subject: session.user.id, via: 'session' },
      now,
      requestId: request.id,
      idempotency: () => idempotency,
      input: () => parseInput(changeDomains, input),
    })
  }

  function showOutcome(page: PageContext, change: ChangeOutput): FastifyReply {
    const outcome = <Outcome result={change} />
    return sendAccountPage(page, { title: 'Your change', at: ACCOUNT }, outcome)
  }

  /** What renewing each name that can be renewed would cost. */
  async function costsOf(preview: ChangeOutput | null, years = 1): Promise<Costs> {
    const names = preview?.op === 'renew' ? preview.results.filter(({ error }) => !error) : []
    const costs = await Promise.all(
      names.map(async ({ domain }) => {
        const tld = domain.slice(domain.indexOf('.') + 1)
        const price = await registrationPrice(db, tld, 'renew')
        const cost = price && { price_cents: costOf(price, years), currency: price.currency }
        return cost ? [[domain, cost] as const] : []
      }),
    )
    return new Map(costs.flat())
  }

  /** The names that were ticked, or all that the list has. */
  async function chosen(page: FormContext): Promise<string[]> {
    const { form, now } = page
    if (!form.has('all')) return [...new Set(form.getAll('domain'))].slice(0, MOST + 1)
    const query = queryOf(page, form.get('q') ?? '', form.get('filter') ?? '')
    const rows = await listOwnedDomains(db, now, query, null, MOST + 1)
    return rows.map(({ domain }) => domain)
  }
}

function idempotencyOf(
  { session }: PageContext,
  key: string,
): Omit<IdempotentRequest, 'fingerprint'> {
  const subject = `page:${session.user.id}`
  return { subject, method: 'POST', path: '/account/domains/change', key }
}

function queryOf({ session }: PageContext, q = '', filter = ''): OwnedDomainQuery {
  return {
    userId: session.user.id,
    q,
    filter: OWNED_DOMAIN_FILTERS.find((known) => known === filter) ?? 'all',
  }
}
