import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { readPlace, writePlace } from '../../kernel/cursor.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { type Attempt, answeredBody } from '../../kernel/idempotency.ts'
import { sha256 } from '../../lib/signature.ts'
import {
  type ChangeAnswer,
  type ChangeCaller,
  type ChangeInput,
  changeDomains,
} from '../../modules/holdings/change-domains.ts'
import {
  countHoldings,
  HOLDING_FILTERS,
  type HoldingQuery,
  listHoldings,
} from '../../modules/holdings/list-holdings.ts'
import { costOf, registrationPrice } from '../../modules/registry/price-book.ts'
import { parseInput } from '../input.ts'
import { Notice } from '../pages/parts.tsx'
import { spoken } from '../pages/spoken.ts'
import type { PostVisit, signedInPages, Visit } from '../pages/visit.ts'
import { applyChange } from '../public/apply-change.ts'
import { ACCOUNT, sendAccountPage } from './account-page.tsx'
import { actionOf, fieldsOf, paramsOf, problemsIn } from './actions.ts'
import { type Costs, Outcome, Review } from './change.tsx'
import { Domains } from './domains.tsx'

const PAGE = 50
const COUNTED = 1_000
/** What one change takes at most. */
const MOST = 1_000

/** A user's own domains: the list, a look at what a change would do, and the change. */
export function serveDomains(pages: ReturnType<typeof signedInPages>, house: House): void {
  const { db, secrets } = house

  pages.get(ACCOUNT, async (visit) => showList(visit))
  pages.formsOf(ACCOUNT, '/account/domains/review', '/account/domains/change')

  async function showList(visit: Visit, problem?: string): Promise<FastifyReply> {
    const query = queryOf(visit, visit.query.q, visit.query.filter)
    const bound = { list: 'holdings', ...query }
    const { cursor } = visit.query
    const place = cursor === undefined ? null : readPlace(secrets, cursor, bound)
    const [rows, count] = await Promise.all([
      listHoldings(db, visit.now, query, place, PAGE + 1),
      countHoldings(db, visit.now, query, COUNTED + 1),
    ])
    const shown = rows.slice(0, PAGE)
    const last = shown.at(-1)
    const offset = (place?.offset ?? 0) + shown.length
    const next =
      rows.length > PAGE && last ? writePlace(secrets, { key: [last.domain], offset }, bound) : null
    const total = count > COUNTED ? `${COUNTED.toLocaleString('en-US')}+` : String(count)
    const { q, filter } = query
    return sendAccountPage(
      visit,
      {
        title: 'Your domains',
        at: ACCOUNT,
        status: problem === undefined ? 200 : 400,
        notice: problem === undefined ? null : <Notice kind="error">{problem}</Notice>,
      },
      <Domains fields={{ q, filter, cursor }} rows={shown} total={total} next={next} />,
    )
  }

  pages.post('/account/domains/review', async (visit) => {
    const { form } = visit
    const action = actionOf(form.get('action'))
    if (!action) return showList(visit, 'Choose what to do.')
    const domains = await chosen(visit)
    if (domains.length === 0) return showList(visit, 'Choose at least one domain.')
    return review(visit, domains, action)
  })

  async function review(
    visit: PostVisit,
    domains: string[],
    action: NonNullable<ReturnType<typeof actionOf>>,
    refused?: Refusal,
  ): Promise<FastifyReply> {
    const fields = fieldsOf(visit.form)
    const asked = paramsOf(action, fields)
    const isTold = visit.form.has('key') || action.asks !== 'nameservers'
    let refusal = refused
    let preview: ChangeAnswer | null = null
    if (asked.params && isTold) {
      try {
        const input = inputOf({ op: action.op, domains, params: asked.params, dry_run: true })
        const answer = await applyChange(house, callerOf(visit), input, null)
        preview = JSON.parse(answer.body) as ChangeAnswer
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refusal ??= error
      }
    }
    const costs = await costsOf(preview, asked.params?.years)
    const problems = { ...asked.problems, ...(refusal && problemsIn(refusal, fields)) }
    const isMarked = Object.keys(problems).length > 0
    const said = isMarked ? 'Something is not right yet. See below.' : refusal && spoken(refusal)
    return sendAccountPage(
      visit,
      {
        title: action.label,
        at: ACCOUNT,
        status: refusal?.status ?? (isMarked ? 400 : 200),
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

  pages.post('/account/domains/change', async (visit) => {
    const { form } = visit
    const action = actionOf(form.get('action'))
    const domains = form.getAll('domain')
    if (!action || domains.length === 0) return visit.goOn(ACCOUNT)
    const { params } = paramsOf(action, fieldsOf(form))
    const key = form.get('key') ?? ''
    if (!params || !/^[\w-]{8,64}$/.test(key)) return review(visit, domains, action)
    try {
      const input = inputOf({ op: action.op, domains, params })
      const fingerprint = sha256(form.toString())
      const attempt = { ...attemptOf(visit, key), fingerprint }
      const { body, isFinal } = await applyChange(house, callerOf(visit), input, attempt)
      // What is still under way is kept nowhere yet: sent again, this form asks how it stands.
      if (!isFinal) return showOutcome(visit, body)
      return visit.goOn(`/account/domains/changes/${key}`)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      return review(visit, domains, action, error)
    }
  })

  pages.get('/account/domains/changes/:key', async (visit) => {
    const body = await answeredBody(db, attemptOf(visit, visit.params.key ?? ''))
    if (body === null) throw notFound('change')
    return showOutcome(visit, body)
  })

  function showOutcome(visit: Visit, body: string): FastifyReply {
    const outcome = <Outcome answer={JSON.parse(body) as ChangeAnswer} />
    return sendAccountPage(visit, { title: 'Your change', at: ACCOUNT }, outcome)
  }

  /** What renewing each name that can be renewed would cost. */
  async function costsOf(preview: ChangeAnswer | null, years = 1): Promise<Costs> {
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
  async function chosen(visit: PostVisit): Promise<string[]> {
    const { form, now } = visit
    if (!form.has('all')) return [...new Set(form.getAll('domain'))].slice(0, MOST + 1)
    const query = queryOf(visit, form.get('q') ?? '', form.get('filter') ?? '')
    const rows = await listHoldings(db, now, query, null, MOST + 1)
    return rows.map(({ domain }) => domain)
  }

  function inputOf(input: object): ChangeInput {
    return parseInput(changeDomains, input)
  }
}

function callerOf({ session, request }: Visit): ChangeCaller {
  return { userId: session.user.id, requestId: request.id }
}

function attemptOf({ session }: Visit, key: string): Omit<Attempt, 'fingerprint'> {
  const subject = `page:${session.user.id}`
  return { subject, method: 'POST', path: '/account/domains/change', key }
}

function queryOf({ session }: Visit, q = '', filter = ''): HoldingQuery {
  return {
    userId: session.user.id,
    q,
    filter: HOLDING_FILTERS.find((known) => known === filter) ?? 'all',
  }
}
