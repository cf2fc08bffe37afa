import { listUncapturedCharges, writeOffCharge } from '../../domain/domains/uncaptured-charges.ts'
import { id, text, time } from '../components/columns.tsx'
import { listPage } from './list-page.tsx'
import { action } from './page.ts'
import { Amount, Form } from './parts.tsx'

export const UNCAPTURED = '/operator/payments/uncaptured'

/** What was renewed and not paid for. */
export const uncapturedCharges = listPage({
  path: UNCAPTURED,
  title: 'Unpaid renewals',
  lead: 'A registrar renewed these domains, and the authorization of the card could not be captured.',
  actions: [action({ operation: writeOffCharge, done: () => 'The charge is written off.' })],
  operation: listUncapturedCharges,
  rows: 'charges',
  empty: ['No unpaid renewals', 'Renewals whose payment could not be captured appear here.'],
  columns: (page) => [
    id('Charge', 'charge_id'),
    id('User', 'user_id', (user) => page.href(`/operator/users/${user}`)),
    { label: 'Renewed', cell: ({ domains }) => domains.join(', ') },
    text('Reason', 'reason'),
    {
      label: 'Amount',
      align: 'end',
      cell: ({ amount_cents, currency }) => <Amount cents={amount_cents} currency={currency} />,
    },
    time('Failed', 'failed_at'),
    {
      label: 'Action',
      cell: ({ charge_id }) => (
        <Form
          page={page}
          does={writeOffCharge}
          given={{ charge_id }}
          collapsed="Write off"
          fields={{ reason: { label: 'Reason', required: true } }}
          submit="Write off"
          confirm="Is it paid another way, or given up?"
        />
      ),
    },
  ],
})
