import type { FastifyReply } from 'fastify'
import { browseEvents, type EventRow, findEvent } from '../../modules/events/browse-events.ts'
import { listDeliveries } from '../../modules/events/list-deliveries.ts'
import { HISTORY_EVENTS, TEST_EVENT } from '../../modules/events/tables.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { RowName } from '../pages/name.tsx'
import { Copyable, Empty, Facts, Heading, Moment } from '../pages/parts.tsx'
import { AttemptTable } from './deliveries.tsx'
import { momentOf, oneOf, type Portal, type PortalVisit } from './portal.tsx'
import { SpanFields } from './span-fields.tsx'

const TYPES = [...HISTORY_EVENTS, TEST_EVENT] as const

/** Attempts to deliver one event that its page shows. */
const SHOWN_ATTEMPTS = 100

/** Everything that happened, with the bodies that were sent. */
export function serveEvents(portal: Portal): void {
  const { db } = portal.house
  portal.get('/events', showEvents)
  portal.get('/events/:id', showEvent)

  async function showEvents(visit: PortalVisit): Promise<FastifyReply> {
    const { query, base, partner } = visit
    const path = `${base}/events`
    const type = oneOf(TYPES, query.type)
    const [found, problem] = await portal.list(async () =>
      browseEvents(db, partner, {
        type,
        subject: query.subject,
        from: momentOf('from', query.from),
        to: momentOf('to', query.to),
        cursor: query.cursor,
        limit: 50,
      }),
    )
    const isFiltered = Boolean(query.type ?? query.subject ?? query.from ?? query.to)
    return portal.show(
      visit,
      { title: 'Events', at: '/events', problem },
      <>
        <Heading title="Events" />
        <Filters path={path} isSet={isFiltered}>
          <Select
            label="Type"
            name="type"
            value={type}
            options={[['', 'Any'], ...TYPES.map((each): [string, string] => [each, each])]}
          />
          <Field
            label="Order or case"
            name="subject"
            value={query.subject}
            placeholder="ord_… or case_…"
          />
          <SpanFields query={visit.query} problem={problem} />
        </Filters>
        <Table
          caption="Events, newest first"
          columns={[
            { label: 'Type', cell: ({ id, type }) => <a href={`${path}/${id}`}>{type}</a> },
            {
              label: 'About',
              cell: ({ data }) => {
                const about = aboutOf(data)
                return about ? <RowName domain={about.domain} /> : '–'
              },
            },
            { label: 'Event', cell: ({ id }) => <code>{id}</code> },
            { label: 'At', cell: ({ created_at }) => <Moment at={created_at} /> },
          ]}
          rows={found?.events}
          empty={
            isFiltered ? (
              <Empty title="No event fits">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No events yet">
                The first comes with the first order; a <a href={`${base}/webhook`}>test event</a>{' '}
                comes at once.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showEvent(visit: PortalVisit): Promise<FastifyReply> {
    const { base, params, partner } = visit
    const event = await findEvent(db, partner, params.id ?? '')
    const { deliveries } = await portal.read(visit, listDeliveries, {
      event_id: event.id,
      limit: SHOWN_ATTEMPTS,
    })
    const about = aboutOf(event.data)
    return portal.show(
      visit,
      { title: event.type, at: '/events' },
      <>
        <Heading title={event.type} />
        <section class="panel roomy">
          <Facts
            facts={[
              ['Event', <code>{event.id}</code>],
              ['At', <Moment at={event.created_at} />],
              [
                'About',
                about === null ? (
                  '–'
                ) : (
                  <a href={`${base}/${about.path}`}>
                    <RowName domain={about.domain} />
                  </a>
                ),
              ],
            ]}
          />
        </section>
        <h2>Body</h2>
        <Copyable id="body" text={bodyOf(event)} />
        <h2>Attempts to deliver it</h2>
        <AttemptTable
          attempts={deliveries}
          base={base}
          empty={
            <Empty title="It was not sent">
              No endpoint was on when it happened, or it was longer ago than 30 days. A{' '}
              <a href={`${base}/webhook#replays`}>replay</a> sends it again.
            </Empty>
          }
        />
      </>,
    )
  }
}

/** What a delivery carries, laid out to be read. */
function bodyOf({ id, type, created_at, partner_id, data }: EventRow): string {
  return JSON.stringify(
    { id, type, created_at: created_at.toISOString(), partner_id, data },
    null,
    2,
  )
}

function aboutOf(data: EventRow['data']): { domain: string; path: string } | null {
  if ('order' in data) {
    return { domain: data.order.domain, path: `orders/${data.order.public_id}` }
  }
  return 'case' in data ? { domain: data.case.domain, path: `cases/${data.case.case_id}` } : null
}
