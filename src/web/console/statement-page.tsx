import { partnerNames } from '../../domain/partners/partner.ts'
import { showSettlement } from '../../domain/settlements/operate-settlements.ts'
import { receiveSettlement } from '../../domain/settlements/receive-payment.ts'
import { domain, status, time } from '../components/columns.tsx'
import { sendCsv } from '../components/csv.ts'
import { type Column, Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { At, Empty, Facts, Heading, Id, Status } from '../components/parts.tsx'
import { action, type ConsolePage } from './page.ts'
import { Form, PartnerLink } from './parts.tsx'

type Line = Awaited<ReturnType<typeof showSettlement.handler>>['lines'][number]

const PATH = '/operator/settlements/:id'

/** One statement with its lines. */
export const statementPage: ConsolePage = {
  path: PATH,
  title: 'Statement',
  actions: [
    action({
      operation: receiveSettlement,
      done: ({ received_cents, currency }) =>
        `Recorded. ${amount(received_cents, currency)} of this statement is paid.`,
    }),
  ],
  async render(page) {
    const statement = await page.read(showSettlement, { id: page.params.id })
    const { id, partner_id, currency } = statement
    const names = await partnerNames(page.app.db, [partner_id])
    const cents = <Key extends string>(
      label: string,
      key: Key,
    ): Column<Record<Key, number | null>> => ({
      label,
      align: 'end',
      cell: (line) => amount(line[key], currency),
    })
    return {
      title: 'Statement',
      environment: statement.environment,
      body: (
        <>
          <Heading title={`Statement of ${names.get(partner_id) ?? partner_id}`}>
            <Status text={statement.status} />
            <a class="button quiet" href={`/operator/settlements/${id}/lines.csv`}>
              Download CSV
            </a>
          </Heading>
          <div class="panel roomy">
            <Facts
              facts={[
                ['Statement', <Id id={id} />],
                ['Partner', <PartnerLink page={page} id={partner_id} names={names} />],
                ['From', <At at={statement.period_start} />],
                ['To', <At at={statement.period_end} none="still open" />],
                ['Sold', amount(statement.gross_sold_cents, currency)],
                ['Commission retained', amount(statement.commission_retained_cents, currency)],
                ['Refunded', amount(statement.refunded_cents, currency)],
                ['Owed', amount(statement.amount_owed_cents, currency)],
                ['Received', amount(statement.received_cents, currency)],
                ['Due', <At at={statement.due_at} />],
                ['Payment', <Status text={statement.payment_status} />],
              ]}
            />
          </div>
          {statement.status === 'closed' && (
            <Form
              page={page}
              does={receiveSettlement}
              given={{ id, currency }}
              collapsed="Record a payment of the partner"
              fields={{
                amount_cents: `Amount, ${currency}`,
                reference: {
                  label: 'Reference',
                  hint: 'What the bank calls it. Each counts once.',
                },
              }}
              submit="Record"
              kind="main"
            />
          )}
          <h2>Lines</h2>
          <Table
            caption="Lines of the statement"
            rows={statement.lines}
            columns={[
              domain(({ public_id }: Line) => page.href(`/operator/orders/${public_id}`)),
              status('Type', 'type'),
              time('Delivered', 'completed_at'),
              cents('Gross', 'gross_cents'),
              cents('Commission', 'commission_cents'),
              cents('Owed', 'owed_cents'),
            ]}
            empty={<Empty title="No deliveries or refunds" />}
          />
        </>
      ),
    }
  },
  files: {
    async [`${PATH}/lines.csv`](page) {
      const statement = await page.read(showSettlement, { id: page.params.id })
      return sendCsv(page.reply, `statement-${statement.id}`, showSettlement.csv?.(statement) ?? '')
    },
  },
}
