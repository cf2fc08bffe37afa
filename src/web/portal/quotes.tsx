import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { listQuotes } from '../../domain/quotes/list-quotes.ts'
import { QUOTE_STATUSES, quoteStatus } from '../../domain/quotes/quote.ts'
import { releaseQuote } from '../../domain/quotes/release-quote.ts'
import { ActionButton } from '../components/form.tsx'
import { toneOf } from '../components/humanize.ts'
import { amounts, Filters, Pager, Table } from '../components/list.tsx'
import { RowName } from '../components/name.tsx'
import { Badge, Empty, Heading, IdBelow, Timestamp } from '../components/parts.tsx'
import { DomainAndStatus } from './filter-fields.tsx'
import { domainOf, oneOf, type Portal, type PortalContext } from './portal.tsx'

/** Firm prices and reservations, those that run and those that ran. */
export function serveQuotes(portal: Portal): void {
  const { db } = portal.app
  portal.get('/quotes', (page) => showQuotes(page))
  portal.post(
    '/quotes/:id/release',
    async (page) => {
      await portal.perform(page, releaseQuote, { quote_id: page.params.id })
      return page.goOn(
        `${page.base}/quotes`,
        'The quote is released. Others can reserve the name again.',
      )
    },
    showQuotes,
  )

  async function showQuotes(page: PortalContext, rejected?: ApiError): Promise<FastifyReply> {
    const { query, base, now, partner } = page
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
      page,
      { title: 'Quotes', at: '/quotes', problem: rejected ?? wrong },
      <>
        <Heading title="Quotes" />
        <Filters path={path} isSet={isFiltered}>
          <DomainAndStatus query={query} statuses={QUOTE_STATUSES} problem={wrong} />
        </Filters>
        <Table
          isMain
          caption="Quotes, newest first"
          columns={[
            {
              label: 'Domain',
              cell: ({ id, domain }) => (
                <>
                  <RowName domain={domain} />
                  <IdBelow id={id} />
                </>
              ),
            },
            {
              label: 'Status',
              cell: (quote) => {
                const status = quoteStatus(quote, now)
                return <Badge tone={toneOf(status)} text={status} />
              },
            },
            amounts('Price', 'price_cents'),
            { label: 'Taken', cell: ({ created_at }) => <Timestamp at={created_at} /> },
            { label: 'Ends', cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
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
              <Empty title="No matching quotes">Change the filter, or clear it.</Empty>
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
