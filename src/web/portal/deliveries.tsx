import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { ApiError } from '../../core/errors.ts'
import { listDeliveries } from '../../domain/events/list-deliveries.ts'
import { resendDelivery } from '../../domain/events/resend-delivery.ts'
import { ActionButton, Field, Select } from '../components/form.tsx'
import { Filters, Pager, Table } from '../components/list.tsx'
import { Badge, Empty, Heading, Timestamp } from '../components/parts.tsx'
import { at } from './choices.ts'
import { oneOf, type Portal, type PortalContext } from './portal.tsx'

type Attempts = z.output<typeof listDeliveries.output>['deliveries']

/** What was tried to deliver in the last 30 days, and how it went. */
export function serveDeliveries(portal: Portal): void {
  portal.get('/deliveries', (page) => showDeliveries(page))
  portal.post(
    '/deliveries/:id/resend',
    async (page) => {
      const sent = await portal.perform(page, resendDelivery, {
        id: page.params.id,
      })
      return page.goOn(`${page.base}/events/${sent.event_id}`, 'The event is sent again.')
    },
    showDeliveries,
  )

  async function showDeliveries(page: PortalContext, rejected?: ApiError): Promise<FastifyReply> {
    const { query, base } = page
    const path = `${base}/deliveries`
    const result = oneOf(['delivered', 'failed'], query.result)
    const [found, wrong] = await portal.list(() =>
      portal.read(page, listDeliveries, {
        event_id: query.event_id,
        result,
        cursor: query.cursor,
        limit: 50,
      }),
    )
    const isFiltered = Boolean(query.event_id ?? query.result)
    return portal.show(
      page,
      { title: 'Deliveries', at: '/deliveries', problem: rejected ?? wrong },
      <>
        <Heading title="Deliveries" />
        <Filters path={path} isSet={isFiltered}>
          <Select
            label="Result"
            name="result"
            value={result}
            options={[
              ['', 'Any'],
              ['delivered', 'delivered'],
              ['failed', 'failed'],
            ]}
          />
          <Field label="Event" name="event_id" value={query.event_id} placeholder="evt_…" />
        </Filters>
        <AttemptTable
          attempts={found?.deliveries ?? []}
          base={base}
          empty={
            isFiltered ? (
              <Empty title="No matching attempts">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="Nothing sent yet">
                <a href={`${base}/webhook`}>Register an endpoint</a> and send it a test event.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }
}

export function AttemptTable({
  attempts,
  base,
  empty,
}: {
  attempts: Attempts
  base: string
  empty: Parameters<typeof Table>[0]['empty']
}) {
  return (
    <Table
      isMain
      caption="Attempts, newest first"
      columns={[
        {
          label: 'Event',
          cell: ({ event_id, type }) => <a href={`${base}/events/${event_id}`}>{type}</a>,
        },
        {
          label: 'Result',
          cell: ({ response_status, response_body, error }) => (
            <div>
              <Badge
                tone={error === null ? 'good' : 'bad'}
                text={response_status === null ? 'no response' : String(response_status)}
              />{' '}
              {response_status === null && <span class="soft">{error}</span>}
              {response_body !== null && (
                <details class="answer">
                  <summary>Response</summary>
                  <pre>
                    <code>{response_body}</code>
                  </pre>
                </details>
              )}
            </div>
          ),
        },
        { label: 'Attempt', align: 'end', cell: ({ attempt }) => attempt },
        { label: 'Took', align: 'end', cell: ({ duration_ms }) => `${duration_ms} ms` },
        { label: 'At', cell: (attempt) => <Timestamp at={at(attempt.at)} /> },
        {
          label: '',
          cell: ({ id }) => (
            <ActionButton path={`${base}/deliveries/${id}/resend`} label="Send again" about={id} />
          ),
        },
      ]}
      rows={attempts}
      empty={empty}
    />
  )
}
