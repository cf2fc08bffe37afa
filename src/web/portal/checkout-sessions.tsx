import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { createCheckoutSession } from '../../domain/checkout/create-session.ts'
import { getCheckoutSession } from '../../domain/checkout/get-session.ts'
import { listSessions } from '../../domain/checkout/list-sessions.ts'
import { SESSION_STATUSES, sessionStatus } from '../../domain/checkout/session.ts'
import { Field, Once } from '../components/form.tsx'
import { toneOf } from '../components/humanize.ts'
import { amounts, Filters, Pager, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Name, RowName } from '../components/name.tsx'
import { Badge, Copyable, Empty, Facts, Heading, Id, Timestamp } from '../components/parts.tsx'
import { at } from './choices.ts'
import { DomainAndStatus } from './filter-fields.tsx'
import { domainOf, issueWith, oneOf, type Portal, type PortalContext } from './portal.tsx'

/** Links on which the marketplace collects for the partner. */
export function serveCheckoutSessions(portal: Portal): void {
  const { db } = portal.app
  portal.get('/checkout-sessions', (page) => showSessions(page))
  portal.get('/checkout-sessions/:id', showSession)
  portal.post(
    '/checkout-sessions',
    async (page) => {
      const { form, base } = page
      const { id } = await portal.perform(page, createCheckoutSession, {
        domain: form.get('domain')?.trim() ?? '',
        external_ref: form.get('external_ref')?.trim() ?? '',
      })
      return page.goOn(`${base}/checkout-sessions/${id}`, 'The link is ready to be sent.')
    },
    (page, problem) => showSessions(page, problem, page.form),
  )

  async function showSessions(
    page: PortalContext,
    rejected?: ApiError,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const { query, base, now, partner } = page
    const path = `${base}/checkout-sessions`
    const [found, wrong] = await portal.list(async () =>
      listSessions(db, partner, now, {
        domain: domainOf(query.domain),
        status: oneOf(SESSION_STATUSES, query.status),
        cursor: query.cursor,
        limit: 50,
      }),
    )
    const isFiltered = Boolean(query.domain ?? query.status)
    return portal.show(
      page,
      { title: 'Checkout links', at: '/checkout-sessions', problem: rejected ?? wrong },
      <>
        <Heading title="Checkout links" />
        <details open={form !== undefined}>
          <summary>Create a link</summary>
          <form method="post" action={path}>
            <Once />
            <Field
              label="Domain"
              name="domain"
              value={form?.get('domain') ?? ''}
              hint="Anyone who opens the link within seven days can buy it; you earn a commission."
              problem={issueWith(rejected, 'domain')}
              required
            />
            <Field
              label="Your reference"
              name="external_ref"
              value={form?.get('external_ref') ?? ''}
              problem={issueWith(rejected, 'external_ref')}
              maxlength={255}
            />
            <button type="submit">Create the link</button>
          </form>
        </details>
        <h2>Links</h2>
        <Filters path={path} isSet={isFiltered}>
          <DomainAndStatus query={query} statuses={SESSION_STATUSES} problem={wrong} />
        </Filters>
        <Table
          isMain
          caption="Checkout sessions, newest first"
          columns={[
            {
              label: 'Domain',
              cell: ({ id, domain }) => (
                <a href={`${path}/${id}`}>
                  <RowName domain={domain} />
                </a>
              ),
            },
            {
              label: 'Status',
              cell: (session) => {
                const status = sessionStatus(session, now)
                return <Badge tone={toneOf(status)} text={status} />
              },
            },
            amounts('Price', 'price_cents'),
            { label: 'Reference', cell: ({ external_ref }) => external_ref ?? '–' },
            { label: 'Made', cell: ({ created_at }) => <Timestamp at={created_at} /> },
            { label: 'Ends', cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
          ]}
          rows={found?.sessions}
          empty={
            isFiltered ? (
              <Empty title="No matching links">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No checkout links yet">
                Create one above, or with <code>POST /checkout-session</code>.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showSession(page: PortalContext): Promise<FastifyReply> {
    const session = await portal.read(page, getCheckoutSession, { id: page.params.id })
    return portal.show(
      page,
      { title: session.domain, at: '/checkout-sessions' },
      <>
        <Heading title={<Name domain={session.domain} />}>
          <Badge tone={toneOf(session.status)} text={session.status} />
        </Heading>
        {session.status === 'open' && <Copyable id="link" text={session.checkout_url} />}
        <section class="panel roomy">
          <Facts
            facts={[
              ['Session', <Id id={session.id} />],
              ['Price', amount(session.price_cents, session.currency)],
              ['Your reference', session.external_ref ?? '–'],
              ['Made', <Timestamp at={at(session.created_at)} />],
              ['Ends', <Timestamp at={at(session.expires_at)} />],
              [
                'Order',
                session.public_id === null ? (
                  'not paid yet'
                ) : (
                  <Id id={session.public_id} href={`${page.base}/orders/${session.public_id}`} />
                ),
              ],
            ]}
          />
        </section>
      </>,
    )
  }
}
