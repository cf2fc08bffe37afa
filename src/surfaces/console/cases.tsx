import { CASE_STATUSES } from '../../modules/brokerage/case.ts'
import { listAllCases, showCase } from '../../modules/brokerage/operate-case.ts'
import { RUNNING } from '../../modules/brokerage/status.ts'
import { tellStep } from '../../modules/brokerage/story.ts'
import { partnerNames } from '../../modules/partners/partner.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { Name, RowName, RowText } from '../pages/name.tsx'
import { Badge, Day, Empty, Facts, Heading, Tabs } from '../pages/parts.tsx'
import { stateText } from '../pages/spoken.ts'
import { type CaseDetail, CaseWork } from './case-work.tsx'
import type { Desk, Look } from './desk.tsx'
import { Amount, At, EnvironmentTabs, Kept, PartnerLink, Status } from './parts.tsx'

const PATH = '/operator/cases'
const IN_COLUMN = 20

type Summary = Awaited<ReturnType<typeof listAllCases.handler>>['cases'][number]

/** The brokerage board: running cases by how far they are; all of them as a list; each on its own page. */
export function casePages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { environment, query } = look
    const { assignee } = query
    const columns = await Promise.all(
      RUNNING.map(async (status) => {
        const filters = { environment, status, assignee, limit: IN_COLUMN }
        return { status, ...(await look.read(listAllCases, filters)) }
      }),
    )
    return {
      title: 'Brokerage',
      at: PATH,
      body: (
        <>
          <Heading title="Brokerage" />
          <EnvironmentTabs look={look} path={PATH} />
          <Views look={look} at={look.href(PATH, { assignee })} />
          <div class="board">
            {columns.map(({ status, cases, next_cursor }) => (
              <section aria-labelledby={`column-${status}`}>
                <h2 id={`column-${status}`}>
                  {stateText(status)} <span class="count">{cases.length}</span>
                </h2>
                {cases.length === 0 && <p class="soft">None.</p>}
                {cases.map((row) => (
                  <Card look={look} row={row} />
                ))}
                {next_cursor !== null && (
                  <a href={look.href(`${PATH}/list`, { status, assignee })}>All of them</a>
                )}
              </section>
            ))}
          </div>
        </>
      ),
    }
  })

  desk.page(`${PATH}/list`, async (look) => {
    const { environment, query } = look
    const { status, domain, assignee, cursor } = query
    const { cases, next_cursor } = await look.read(listAllCases, {
      environment,
      status,
      domain,
      assignee,
      cursor,
    })
    const path = `${PATH}/list`
    const isSet = [status, domain, assignee].some((filter) => filter !== undefined)
    return {
      title: 'Brokerage cases',
      at: PATH,
      body: (
        <>
          <Heading title="Brokerage" />
          <EnvironmentTabs look={look} path={path} />
          <Views look={look} at={look.href(path)} />
          <Filters path={look.href(path)} isSet={isSet}>
            <Kept look={look} />
            <Field label="Domain" name="domain" type="search" value={domain} />
            <Select
              label="Status"
              name="status"
              value={status}
              options={[
                ['', 'Any'],
                ...CASE_STATUSES.map((each): [string, string] => [each, stateText(each)]),
              ]}
            />
            <Field label="Broker" name="assignee" value={assignee} />
          </Filters>
          <Table
            caption="Brokerage cases"
            rows={cases}
            columns={[
              {
                label: 'Domain',
                cell: ({ case_id, domain }) => (
                  <a href={look.href(`${PATH}/${case_id}`)}>
                    <RowName domain={domain} />
                  </a>
                ),
              },
              { label: 'Status', cell: ({ status }) => <Status text={status} /> },
              { label: 'Broker', cell: ({ assignee }) => assignee ?? '–' },
              { label: 'Buyer', cell: ({ buyer_email }) => <RowText text={buyer_email} /> },
              {
                label: 'Budget',
                align: 'end',
                cell: ({ budget, currency }) => <Amount cents={budget} currency={currency} />,
              },
              {
                label: 'Price',
                align: 'end',
                cell: ({ price_cents, currency }) => (
                  <Amount cents={price_cents} currency={currency} />
                ),
              },
              { label: 'Opened', cell: ({ created_at }) => <At at={created_at} /> },
            ]}
            empty={
              <Empty title={isSet ? 'No case fits' : 'No case has been opened'}>
                Partners open them for names that are not for sale.
              </Empty>
            }
          />
          <Pager path={path} query={query} next={next_cursor} />
        </>
      ),
    }
  })

  desk.page(`${PATH}/:case_id`, async (look) => {
    const row = await look.read(showCase, { case_id: look.params.case_id })
    const names = await partnerNames(look.house.db, [row.partner_id])
    return {
      title: row.domain,
      at: PATH,
      body: <CasePage look={look} row={row} names={names} />,
    }
  })
}

function Views({ look, at }: { look: Look; at: string }) {
  const mine = look.session.user.email
  return (
    <Tabs
      label="Cases"
      at={at}
      tabs={[
        [look.href(PATH), 'Board'],
        [look.href(PATH, { assignee: mine }), 'Mine'],
        [look.href(`${PATH}/list`), 'All'],
      ]}
    />
  )
}

function Card({ look, row }: { look: Look; row: Summary }) {
  return (
    <a class="ticket" href={look.href(`${PATH}/${row.case_id}`)}>
      <strong>
        <RowName domain={row.domain} />
      </strong>
      <span>
        <Amount cents={row.price_cents ?? row.budget} currency={row.currency} />
      </span>
      <span class="soft">{row.assignee ?? 'nobody has it'}</span>
      <span class="soft">
        since <Day at={new Date(row.updated_at)} />
      </span>
    </a>
  )
}

function CasePage({
  look,
  row,
  names,
}: {
  look: Look
  row: CaseDetail
  names: ReadonlyMap<string, string>
}) {
  const { currency } = row
  return (
    <>
      <Heading title={<Name domain={row.domain} />}>
        <Status text={row.status} />
        {row.environment === 'sandbox' && <Badge text="sandbox" />}
      </Heading>
      <div class="columns">
        <section class="panel roomy">
          <h2>The case</h2>
          <Facts
            facts={[
              ['Case', <code>{row.case_id}</code>],
              ['Partner', <PartnerLink look={look} id={row.partner_id} names={names} />],
              ['Service', row.tier === 'managed' ? 'managed' : 'self-serve'],
              ['Broker', row.assignee ?? 'nobody yet'],
              ['Buyer', row.buyer_email],
              ['Budget', <Amount cents={row.budget} currency={currency} />],
              ['Agreed', <Amount cents={row.price_cents} currency={currency} />],
              ...(row.commission_cents === null
                ? []
                : [
                    ['Commission', <Amount cents={row.commission_cents} currency={currency} />] as [
                      string,
                      preact.VNode,
                    ],
                  ]),
              ['Note', row.note ?? '–'],
              [
                'Buyer’s page',
                row.progress_url === null ? 'no link' : <a href={row.progress_url}>open</a>,
              ],
              ['Opened', <At at={row.created_at} />],
            ]}
          />
          <p class="soft">
            <a href={look.href('/operator/audit', { subject: row.case_id })}>
              Who did what with it
            </a>
          </p>
        </section>
        <CaseWork look={look} row={row} />
      </div>
      <div class="columns">
        <section>
          <h2>What happened</h2>
          <ol class="history">
            {row.timeline.toReversed().map((step) => (
              <li>
                <At at={step.at} /> {asSeenByBrokers(tellStep(step, currency))}
                {step.note !== null && <p>{step.note}</p>}
              </li>
            ))}
          </ol>
        </section>
        <section>
          <h2>Notes of brokers</h2>
          {row.notes.length === 0 && (
            <p class="soft">None yet. Buyers and partners never see them.</p>
          )}
          <ol class="history">
            {row.notes.toReversed().map(({ text, created_at }) => (
              <li>
                <At at={created_at} />
                <p>{text}</p>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </>
  )
}

/** Steps are told to buyers, who read “you”. */
function asSeenByBrokers(text: string): string {
  return text
    .replace(/^You ended/, 'The buyer ended')
    .replace(/^You raised your/, 'The buyer raised the')
    .replace(/^You\b/, 'The buyer')
}
