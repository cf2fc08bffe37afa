import type { FastifyReply } from 'fastify'
import { ERROR_STATUS, type ErrorCode } from '../../core/errors.ts'
import { findRequest, listRequests } from '../../domain/request-log/read-requests.ts'
import type { LoggedRequest } from '../../domain/request-log/request-log.ts'
import { PARTNER_OPERATIONS } from '../../http/partner/operations.ts'
import { baseOf } from '../../http/partner/serve.ts'
import { Select } from '../components/form.tsx'
import { Filters, Pager, Table } from '../components/list.tsx'
import {
  Badge,
  Copyable,
  Empty,
  Facts,
  Heading,
  Id,
  Notice,
  Timestamp,
  type Tone,
} from '../components/parts.tsx'
import { SpanFields } from './filter-fields.tsx'
import { oneOf, type Portal, type PortalContext, timestampOf } from './portal.tsx'

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[]
const ROUTES = [
  ...new Set(PARTNER_OPERATIONS.map((operation) => baseOf(operation) + operation.path)),
].toSorted()

/** Every request of the last days, and why it was rejected. */
export function serveRequests(portal: Portal): void {
  const { db, settings } = portal.app
  portal.get('/requests', showRequests)
  portal.get('/requests/:id', showRequest)

  async function showRequests(page: PortalContext): Promise<FastifyReply> {
    const { query, base, partner } = page
    const path = `${base}/requests`
    const filter = {
      outcome: oneOf(['rejected', 'successful'] as const, query.outcome),
      code: oneOf(CODES, query.code),
      route: oneOf(ROUTES, query.route),
      key_id: query.key_id,
    }
    const [found, problem] = await portal.list(async () =>
      listRequests(db, partner, {
        ...filter,
        from: timestampOf('from', query.from),
        to: timestampOf('to', query.to),
        cursor: query.cursor,
        limit: 50,
      }),
    )
    const { cursor: _, ...set } = query
    const isFiltered = Object.values(set).some(Boolean)
    return portal.show(
      page,
      { title: 'Request log', at: '/requests', problem },
      <>
        <Heading title="Request log" />
        <p class="lead">
          What was sent with your key ids in the last {settings.requestLogDays} days, up to a second
          ago.
        </p>
        <Filters path={path} isSet={isFiltered}>
          <Select
            label="Outcome"
            name="outcome"
            value={filter.outcome}
            options={[
              ['', 'Any'],
              ['rejected', 'rejected'],
              ['successful', 'successful'],
            ]}
          />
          <Select
            label="Reason"
            name="code"
            value={filter.code}
            options={[['', 'Any'], ...CODES.map((code): [string, string] => [code, code])]}
          />
          <Select
            label="Path"
            name="route"
            value={filter.route}
            options={[['', 'Any'], ...ROUTES.map((route): [string, string] => [route, route])]}
          />
          <SpanFields query={page.query} problem={problem} />
        </Filters>
        <Table
          isMain
          caption="Requests, newest first"
          columns={[
            {
              label: 'Request',
              cell: ({ id, method, target }) => (
                <a href={`${path}/${id}`}>
                  {method} <code>{target.replace(/^\/api\/partner(?:\/v1)?/, '')}</code>
                </a>
              ),
            },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOfStatus(status)} text={String(status)} />,
            },
            { label: 'Reason', cell: ({ code }) => (code === null ? '' : <code>{code}</code>) },
            {
              label: 'Took',
              align: 'end',
              cell: ({ duration_ms }) => `${duration_ms.toFixed(1)} ms`,
            },
            { label: 'At', cell: ({ at }) => <Timestamp at={at} /> },
          ]}
          rows={found?.requests}
          empty={
            isFiltered ? (
              <Empty title="No matching requests">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No requests yet">
                Send the first with a <a href={`${base}/credentials`}>credential</a>: it stands here
                a second later.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showRequest(page: PortalContext): Promise<FastifyReply> {
    const request = await findRequest(db, page.partner, page.params.id ?? '')
    return portal.show(
      page,
      { title: `${request.method} ${request.route ?? request.target}`, at: '/requests' },
      <>
        <Heading title={`${request.method} ${request.route ?? request.target}`}>
          <Badge tone={toneOfStatus(request.status)} text={String(request.status)} />
        </Heading>
        {request.code !== null && (
          <Notice kind="error">
            <strong>{request.code}</strong>: {request.message}
          </Notice>
        )}
        <section class="panel roomy">
          <Facts
            facts={[
              ['Request id', <Id id={request.id} />],
              ['Target', <code>{request.target}</code>],
              ['Key id', <Id id={request.key_id} />],
              ['Signature', request.authenticated ? 'right' : 'not shown to be yours'],
              ['From', <code>{request.address}</code>],
              ['Took', `${request.duration_ms.toFixed(1)} ms`],
              ['At', <Timestamp at={request.at} />],
            ]}
          />
        </section>
        {request.canonical_string !== null && <Explanation request={request} base={page.base} />}
      </>,
    )
  }
}

function Explanation({ request, base }: { request: LoggedRequest; base: string }) {
  return (
    <>
      <h2>Why the signature is wrong</h2>
      {request.likely_cause === null ? (
        <p>
          None of the common mistakes gives the signature that was sent. Compare what you signed
          with what the service saw, or the secret is another.
        </p>
      ) : (
        <p>
          <strong>{request.likely_cause}</strong>
        </p>
      )}
      <p class="soft">What should have been signed:</p>
      <Copyable id="canonical" text={request.canonical_string ?? ''} />
      <a class="button quiet" href={`${base}/signature?request=${request.id}`}>
        Compare with what you signed
      </a>
    </>
  )
}

function toneOfStatus(status: number): Tone {
  if (status < 300) return 'good'
  return status === 429 || status >= 500 ? 'warn' : 'bad'
}
