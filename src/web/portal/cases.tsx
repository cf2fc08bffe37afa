import type { FastifyReply } from 'fastify'
import { CASE_STATUSES } from '../../domain/brokerage/case.ts'
import { getCase } from '../../domain/brokerage/get-case.ts'
import { listCases } from '../../domain/brokerage/list-cases.ts'
import { TIERS } from '../../domain/events/event-view.ts'
import { Select } from '../components/form.tsx'
import { stateText, toneOf } from '../components/humanize.ts'
import { amounts, Filters, Pager, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Name, RowName } from '../components/name.tsx'
import { Badge, Copyable, Empty, Facts, Heading, Id, Timestamp } from '../components/parts.tsx'
import { at, choices } from './choices.ts'
import { DomainAndStatus } from './filter-fields.tsx'
import type { Portal, PortalContext } from './portal.tsx'

/** What the marketplace's brokers do for the partner's users. */
export function serveCases(portal: Portal): void {
  portal.get('/cases', showCases)
  portal.get('/cases/:id', showCase)

  async function showCases(page: PortalContext): Promise<FastifyReply> {
    const { query, base } = page
    const { domain, status, tier, cursor } = query
    const path = `${base}/cases`
    const [found, problem] = await portal.list(() =>
      portal.read(page, listCases, { domain, status, tier, cursor, limit: 50 }),
    )
    const isFiltered = Boolean(domain ?? status ?? tier)
    return portal.show(
      page,
      { title: 'Cases', at: '/cases', problem },
      <>
        <Heading title="Brokerage cases">
          <a class="button" href={`${path}/new`}>
            Open a case
          </a>
        </Heading>
        <Filters path={path} isSet={isFiltered}>
          <DomainAndStatus query={query} statuses={CASE_STATUSES} problem={problem} />
          <Select label="Tier" name="tier" value={tier} options={choices('Any', TIERS)} />
        </Filters>
        <Table
          isMain
          caption="Cases, newest first"
          columns={[
            {
              label: 'Domain',
              cell: ({ case_id, domain }) => (
                <a href={`${path}/${case_id}`}>
                  <RowName domain={domain} />
                </a>
              ),
            },
            {
              label: 'Status',
              cell: ({ status }) => <Badge tone={toneOf(status)} text={status} />,
            },
            { label: 'Tier', cell: ({ tier }) => stateText(tier) },
            amounts('Budget', 'budget'),
            amounts('Price', 'price_cents'),
            amounts('Commission', 'commission_cents'),
            { label: 'Opened', cell: ({ created_at }) => <Timestamp at={at(created_at)} /> },
          ]}
          rows={found?.cases}
          empty={
            isFiltered ? (
              <Empty title="No matching cases">Change the filter, or clear it.</Empty>
            ) : (
              <Empty title="No cases yet">
                A broker asks the owner of a name that is not for sale:{' '}
                <a href={`${path}/new`}>open a case</a>, or <code>POST /brokerage</code>.
              </Empty>
            )
          }
        />
        <Pager path={path} query={query} next={found?.next_cursor ?? null} />
      </>,
    )
  }

  async function showCase(page: PortalContext): Promise<FastifyReply> {
    const found = await portal.read(page, getCase, {
      case_id: page.params.id,
    })
    const { currency } = found
    return portal.show(
      page,
      { title: found.domain, at: '/cases' },
      <>
        <Heading title={<Name domain={found.domain} />}>
          <Badge tone={toneOf(found.status)} text={found.status} />
        </Heading>
        <div class="columns">
          <section class="panel roomy">
            <Facts
              facts={[
                ['Case', <Id id={found.case_id} />],
                ['Tier', stateText(found.tier)],
                ['Buyer', found.buyer_email],
                ['Budget', amount(found.budget, currency)],
                ['Price', amount(found.price_cents, currency)],
                ['Your commission', amount(found.commission_cents, currency)],
              ]}
            />
            {found.note !== null && <q>{found.note}</q>}
            <p>
              <a href={`${page.base}/events?subject=${found.case_id}`}>Events of this case</a>
            </p>
          </section>
          <section>
            <h2 class="first">Timeline</h2>
            <ol class="history">
              {found.timeline.toReversed().map((step) => (
                <li>
                  <strong>{stateText(step.type)}</strong> {step.by !== null && `by the ${step.by}`}{' '}
                  {step.price_cents !== null && amount(step.price_cents, currency)}
                  {step.note !== null && <q>{step.note}</q>}
                  <Timestamp at={at(step.at)} />
                </li>
              ))}
            </ol>
          </section>
        </div>
        {found.progress_url !== null && (
          <>
            <h2>The buyer's page</h2>
            <p class="soft">Anyone with this link can see the case and act for the buyer.</p>
            <Copyable id="progress" text={found.progress_url} />
          </>
        )}
        {found.offers.length > 0 && (
          <>
            <h2>Offers</h2>
            <Table
              caption="Offers, newest first"
              columns={[
                { label: 'By', cell: ({ made_by }) => made_by },
                {
                  label: 'Price',
                  align: 'end',
                  cell: ({ price_cents }) => amount(price_cents, currency),
                },
                { label: 'Message', cell: ({ message }) => message ?? '–' },
                { label: 'Status', cell: ({ status }) => stateText(status) },
                { label: 'Made', cell: ({ created_at }) => <Timestamp at={at(created_at)} /> },
              ]}
              rows={found.offers.toReversed()}
              empty={null}
            />
          </>
        )}
      </>,
    )
  }
}
