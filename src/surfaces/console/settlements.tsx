import { partnerNames } from '../../modules/partners/partner.ts'
import {
  listAllSettlements,
  previewSettlementRun,
  showSettlement,
} from '../../modules/settlements/operate-settlements.ts'
import { sendCsv } from '../pages/csv.ts'
import { type Column, Pager, Table } from '../pages/list.tsx'
import { RowName } from '../pages/name.tsx'
import { Empty, Facts, Heading, Stats } from '../pages/parts.tsx'
import type { Desk, Look } from './desk.tsx'
import { Amount, At, EnvironmentTabs, Form, PartnerLink, Status } from './parts.tsx'

type Statement = Awaited<ReturnType<typeof listAllSettlements.handler>>['settlements'][number]
type Names = ReadonlyMap<string, string>

const PATH = '/operator/settlements'

/** Settlement runs, with what they would close before they do, and every statement. */
export function settlementPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { environment, query } = look
    const [preview, closed] = await Promise.all([
      look.read(previewSettlementRun, { environment }),
      look.read(listAllSettlements, { environment, status: 'closed', cursor: query.cursor }),
    ])
    const statements = [...preview.settlements, ...closed.settlements]
    const ids = statements.map(({ partner_id }) => partner_id)
    const names = await partnerNames(look.house.db, ids)
    return {
      title: 'Settlements',
      at: PATH,
      body: (
        <>
          <Heading title="Settlements" />
          <EnvironmentTabs look={look} path={PATH} />
          <Preview look={look} preview={preview} names={names} />
          <h2>Closed statements</h2>
          <Table
            caption="Closed statements"
            rows={closed.settlements}
            columns={columns(look, names)}
            empty={
              <Empty title="No statement is closed yet">
                A run closes the periods in which something was delivered.
              </Empty>
            }
          />
          <Pager path={PATH} query={query} next={closed.next_cursor} />
        </>
      ),
    }
  })

  desk.page(`${PATH}/:id`, async (look) => {
    const statement = await look.read(showSettlement, { id: look.params.id })
    const names = await partnerNames(look.house.db, [statement.partner_id])
    const { currency } = statement
    return {
      title: 'Statement',
      at: PATH,
      body: (
        <>
          <Heading
            title={`Statement of ${names.get(statement.partner_id) ?? statement.partner_id}`}
          >
            <Status text={statement.status} />
            <a class="button quiet" href={`${PATH}/${statement.id}/lines.csv`}>
              Lines as CSV
            </a>
          </Heading>
          <div class="panel roomy">
            <Facts
              facts={[
                ['Statement', <code>{statement.id}</code>],
                ['Partner', <PartnerLink look={look} id={statement.partner_id} names={names} />],
                ['From', <At at={statement.period_start} />],
                ['To', <At at={statement.period_end} none="still open" />],
                ['Sold', <Amount cents={statement.gross_sold_cents} currency={currency} />],
                [
                  'Commission kept',
                  <Amount cents={statement.commission_retained_cents} currency={currency} />,
                ],
                ['Taken back', <Amount cents={statement.refunded_cents} currency={currency} />],
                ['Owed', <Amount cents={statement.amount_owed_cents} currency={currency} />],
              ]}
            />
          </div>
          <h2>Lines</h2>
          <Table
            caption="Lines of the statement"
            rows={statement.lines}
            columns={[
              {
                label: 'Domain',
                cell: ({ public_id, domain }) => (
                  <a href={look.href(`/operator/orders/${public_id}`)}>
                    <RowName domain={domain} />
                  </a>
                ),
              },
              { label: 'Type', cell: ({ type }) => <Status text={type} /> },
              { label: 'Delivered', cell: ({ completed_at }) => <At at={completed_at} /> },
              {
                label: 'Gross',
                align: 'end',
                cell: ({ gross_cents }) => <Amount cents={gross_cents} currency={currency} />,
              },
              {
                label: 'Commission',
                align: 'end',
                cell: ({ commission_cents }) => (
                  <Amount cents={commission_cents} currency={currency} />
                ),
              },
              {
                label: 'Owed',
                align: 'end',
                cell: ({ owed_cents }) => <Amount cents={owed_cents} currency={currency} />,
              },
            ]}
            empty={<Empty title="Nothing was delivered or taken back" />}
          />
        </>
      ),
    }
  })

  desk.file(`${PATH}/:id/lines.csv`, async (look) => {
    const statement = await look.read(showSettlement, { id: look.params.id })
    return sendCsv(look.reply, `statement-${statement.id}`, showSettlement.csv?.(statement) ?? '')
  })
}

function Preview({
  look,
  preview,
  names,
}: {
  look: Look
  preview: Awaited<ReturnType<typeof previewSettlementRun.handler>>
  names: Names
}) {
  const { settlements, order_count } = preview
  const owed = settlements.reduce((sum, { amount_owed_cents }) => sum + amount_owed_cents, 0)
  if (settlements.length === 0) {
    return (
      <div class="panel">
        <Empty title="Nothing to close">
          No period has a delivery or a refund in it. A run would change nothing.
        </Empty>
      </div>
    )
  }
  const currencies = [...new Set(settlements.map(({ currency }) => currency))]
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">A run now would close</h2>
      <Stats
        stats={[
          { label: 'Statements', value: settlements.length.toLocaleString('en-US') },
          { label: 'Orders settled', value: order_count.toLocaleString('en-US') },
          ...currencies.map((currency) => ({
            label: 'Owed to the house',
            value: (
              <Amount
                cents={settlements
                  .filter((each) => each.currency === currency)
                  .reduce((sum, { amount_owed_cents }) => sum + amount_owed_cents, 0)}
                currency={currency}
              />
            ),
          })),
        ]}
      />
      <Table
        caption="Statements that a run would close"
        rows={settlements}
        columns={columns(look, names)}
        empty={null}
      />
      <Form
        does="run_settlement"
        fields={{
          environment: look.environment,
          expected_order_count: String(order_count),
          expected_owed_cents: String(owed),
        }}
        confirm={`Close ${settlements.length} statements? A closed statement stays as it is.`}
      >
        <button type="submit" class="main">
          Close{' '}
          {settlements.length === 1 ? 'this statement' : `these ${settlements.length} statements`}
        </button>
        <p class="soft">
          A closed statement stays as it is. Should something change before you press, nothing is
          closed and you see the new preview.
        </p>
      </Form>
    </section>
  )
}

function columns(look: Look, names: Names): Column<Statement>[] {
  return [
    {
      label: 'Partner',
      cell: ({ partner_id }) => <PartnerLink look={look} id={partner_id} names={names} />,
    },
    {
      label: 'Period',
      cell: ({ id, period_start, period_end }) => (
        <a href={look.href(`${PATH}/${id}`)}>
          {period_start.slice(0, 10)} – {period_end?.slice(0, 10) ?? 'now'}
        </a>
      ),
    },
    { label: 'Sales', align: 'end', cell: ({ order_count }) => order_count },
    {
      label: 'Sold',
      align: 'end',
      cell: ({ gross_sold_cents, currency }) => (
        <Amount cents={gross_sold_cents} currency={currency} />
      ),
    },
    {
      label: 'Commission',
      align: 'end',
      cell: ({ commission_retained_cents, currency }) => (
        <Amount cents={commission_retained_cents} currency={currency} />
      ),
    },
    {
      label: 'Owed',
      align: 'end',
      cell: ({ amount_owed_cents, currency }) => (
        <Amount cents={amount_owed_cents} currency={currency} />
      ),
    },
  ]
}
