import type { FastifyReply } from 'fastify'
import type { Refusal } from '../../kernel/errors.ts'
import { listQuotes } from '../../modules/quotes/list-quotes.ts'
import { QUOTE_STATUSES, quoteStatus } from '../../modules/quotes/quote.ts'
import { releaseQuote } from '../../modules/quotes/release-quote.ts'
import { ActionButton, Field, Select } from '../pages/form.tsx'
import { amounts, Filters, Pager, Table } from '../pages/list.tsx'
import { RowName } from '../pages/name.tsx'
import { Badge, Empty, Heading, Moment } from '../pages/parts.tsx'
import { toneOf } from '../pages/spoken.ts'
import { domainOf, oneOf, type Portal, type PortalVisit } from './portal.tsx'
import { choices } from './words.ts'

/** Firm prices and reservations, those that run and those that ran. */
export function serveQuotes(portal: Portal): void {
  const { db } = portal.house
  portal.get('/quotes', (visit) => showQuotes(visit))
  portal.post(
    '/quotes/:id/release',
    async (visit) => {
      await portal.perform(visit, releaseQuote, { quote_id: visit.params.id })
      return visit.goOn(`${visit.base}/quotes`, 'The name is free for others again.')
    },
    showQuotes,
  )

  async function showQuotes(visit: PortalVisit, refused?: Refusal): Promise<FastifyReply> {
    const { query, base, now, partner } = visit
    const path = `${base}/quotes`
    const [found, wrong] = await portal.list(async () =>
      listQuotes(db, partner, now, {
        domain: domainOf(query.domain),
        status: oneOf(QUOTE_STATUSES, query.status),
        cursor: query.cursor,
        limit: 50,
      }),
    )
    const isFiltered = Boolean(query.domain ?? query.status)
    return portal.show(
      visit,
      { title: 'Quotes', at: '/quotes', problem: refused ?? wrong },
      <>
        <Heading title="Quotes" />
        <Filters path={path} isSet={isFiltered}>
          <Field label="Domain" name="domain" value={query.domain} />
          <Select
            label="Status"
            name="status"
            value={query.status}
            options={choices('Any', QUOTE_STATUSES)}
          />
        </Filters>
        <Table
          caption="Quotes, newest first"
          columns={[
            { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
            {
              label: 'Status',
              cell: (quote) => {
                const status = quoteStatus(quote, now)
                return <Badge tone={toneOf(status)} text={status} />
              },
            },
            amounts('Price', 'price_cents'),
            { label: 'Taken', cell: ({ created_at }) => <Moment at={created_at} /> },
            { label: 'Ends', cell: ({ expires_at }) => <Moment at={expires_at} /> },
            { label: 'Quote', cell: ({ id }) => <code>{id}</code> },
            {
              label: '',
              cell: (quote) =>
                quoteStatus(quote, now) === 'active' ? (
                  <ActionButton
                    path={`${path}/${quote.id}/release`}
                    label="Release"
                    about={quote.domain}
                  />
                ) : null,
            },
          ]}
          rows={found?.quotes}
          empty={
            isFiltered ? (
              <Empty title="No quote fits">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No quotes yet">
                <code>POST /quotes</code> reserves a name at a firm price for ten minutes.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }
}
