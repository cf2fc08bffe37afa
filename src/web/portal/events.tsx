import type { FastifyReply } from 'fastify'
import { browseEvents, type EventRow, findEvent } from '../../domain/events/browse-events.ts'
import { HISTORY_EVENTS, TEST_EVENT } from '../../domain/events/event-types.ts'
import { listDeliveries } from '../../domain/events/list-deliveries.ts'
import { Field, Select } from '../components/form.tsx'
import { Filters, Pager, Table } from '../components/list.tsx'
import { RowName } from '../components/name.tsx'
import { Copyable, Empty, Facts, Heading, Id, Timestamp } from '../components/parts.tsx'
import { AttemptTable } from './deliveries.tsx'
import { SpanFields } from './filter-fields.tsx'
import { oneOf, type Portal, type PortalContext, timestampOf } from './portal.tsx'

const TYPES = [...HISTORY_EVENTS, TEST_EVENT] as const

/** Attempts to deliver one event that its page shows. */
const SHOWN_ATTEMPTS = 100

/** Everything that happened, with the bodies that were sent. */
export function serveEvents(portal: Portal): void {
  const { db } = portal.app
  portal.get('/events', showEvents)
  portal.get('/events/:id', showEvent)

  async function showEvents(page: PortalContext): Promise<FastifyReply> {
    const { query, base, partner } = page
    const path = `${base}/events`
    const type = oneOf(TYPES, query.type)
    const [found, problem] = await portal.list(async () =>
      browseEvents(db, partner, {
        type,
        subject: query.subject,
        from: timestampOf('from', query.from),
        to: timestampOf('to', query.to),
        cursor: query.cursor,
        limit: 50,
      }),
    )
    const isFiltered = Boolean(query.type ?? query.subject ?? query.from ?? query.to)
    return portal.show(
      page,
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
          <SpanFields query={page.query} problem={problem} />
        </Filters>
        <Table
          isMain
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
            { label: 'Event', cell: ({ id }) => <Id id={id} /> },
            { label: 'At', cell: ({ created_at }) => <Timestamp at={created_at} /> },
          ]}
          rows={found?.events}
          empty={
            isFiltered ? (
              <Empty title="No matching events">Change the filter, or clear it.</Empty>
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

  async function showEvent(page: PortalContext): Promise<FastifyReply> {
    const { base, params, partner } = page
    const event = await findEvent(db, partner, params.id ?? '')
    const { deliveries } = await portal.read(page, listDeliveries, {
      event_id: event.id,
      limit: SHOWN_ATTEMPTS,
    })
    const about = aboutOf(event.data)
    return portal.show(
      page,
      { title: event.type, at: '/events' },
      <>
        <Heading title={event.type} />
        <section class="panel roomy">
          <Facts
            facts={[
              ['Event', <Id id={event.id} />],
              ['At', <Timestamp at={event.created_at} />],
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
