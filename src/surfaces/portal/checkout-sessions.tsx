import type { FastifyReply } from 'fastify'
import type { Refusal } from '../../kernel/errors.ts'
import { createCheckoutSession } from '../../modules/checkout/create-session.ts'
import { getCheckoutSession } from '../../modules/checkout/get-session.ts'
import { listSessions } from '../../modules/checkout/list-sessions.ts'
import { SESSION_STATUSES, sessionStatus } from '../../modules/checkout/session.ts'
import { Field, Once, Select } from '../pages/form.tsx'
import { amounts, Filters, Pager, Table } from '../pages/list.tsx'
import { amount } from '../pages/money.ts'
import { Name, RowName } from '../pages/name.tsx'
import { Badge, Copyable, Empty, Facts, Heading, Moment } from '../pages/parts.tsx'
import { toneOf } from '../pages/spoken.ts'
import { domainOf, issueWith, oneOf, type Portal, type PortalVisit } from './portal.tsx'
import { at, choices } from './words.ts'

/** Links on which the house collects for the partner. */
export function serveCheckoutSessions(portal: Portal): void {
  const { db } = portal.house
  portal.get('/checkout-sessions', (visit) => showSessions(visit))
  portal.get('/checkout-sessions/:id', showSession)
  portal.post(
    '/checkout-sessions',
    async (visit) => {
      const { form, base } = visit
      const { id } = await portal.perform(visit, createCheckoutSession, {
        domain: form.get('domain')?.trim() ?? '',
        external_ref: form.get('external_ref')?.trim() ?? '',
      })
      return visit.goOn(`${base}/checkout-sessions/${id}`, 'The link is ready to be sent.')
    },
    (visit, problem) => showSessions(visit, problem, visit.form),
  )

  async function showSessions(
    visit: PortalVisit,
    refused?: Refusal,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const { query, base, now, partner } = visit
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
      visit,
      { title: 'Checkout links', at: '/checkout-sessions', problem: refused ?? wrong },
      <>
        <Heading title="Checkout links" />
        <details open={form !== undefined}>
          <summary>Make a link</summary>
          <form method="post" action={path}>
            <Once />
            <Field
              label="Domain"
              name="domain"
              value={form?.get('domain') ?? ''}
              hint="Somebody who opens the link within seven days can buy it; you earn a commission."
              problem={issueWith(refused, 'domain')}
              required
            />
            <Field
              label="Your reference"
              name="external_ref"
              value={form?.get('external_ref') ?? ''}
              problem={issueWith(refused, 'external_ref')}
              maxlength={255}
            />
            <button type="submit">Make the link</button>
          </form>
        </details>
        <h2>Links</h2>
        <Filters path={path} isSet={isFiltered}>
          <Field label="Domain" name="domain" value={query.domain} />
          <Select
            label="Status"
            name="status"
            value={query.status}
            options={choices('Any', SESSION_STATUSES)}
          />
        </Filters>
        <Table
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
            { label: 'Made', cell: ({ created_at }) => <Moment at={created_at} /> },
            { label: 'Ends', cell: ({ expires_at }) => <Moment at={expires_at} /> },
          ]}
          rows={found?.sessions}
          empty={
            isFiltered ? (
              <Empty title="No link fits">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No checkout links yet">
                Make one above, or with <code>POST /checkout-session</code>.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showSession(visit: PortalVisit): Promise<FastifyReply> {
    const session = await portal.read(visit, getCheckoutSession, { id: visit.params.id })
    return portal.show(
      visit,
      { title: session.domain, at: '/checkout-sessions' },
      <>
        <Heading title={<Name domain={session.domain} />}>
          <Badge tone={toneOf(session.status)} text={session.status} />
        </Heading>
        {session.status === 'open' && <Copyable id="link" text={session.checkout_url} />}
        <section class="panel roomy">
          <Facts
            facts={[
              ['Session', <code>{session.id}</code>],
              ['Price', amount(session.price_cents, session.currency)],
              ['Your reference', session.external_ref ?? '–'],
              ['Made', <Moment at={at(session.created_at)} />],
              ['Ends', <Moment at={at(session.expires_at)} />],
              [
                'Order',
                session.public_id === null ? (
                  'not paid yet'
                ) : (
                  <a href={`${visit.base}/orders/${session.public_id}`}>{session.public_id}</a>
                ),
              ],
            ]}
          />
        </section>
      </>,
    )
  }
}
