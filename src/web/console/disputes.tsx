import { listDisputes } from '../../domain/checkout/operate-payments.ts'
import { id, money, status, time } from '../components/columns.tsx'
import { stateText } from '../components/humanize.ts'
import { Badge, Id } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'

/** Payments that cardholders ask their banks to take back. */
export const disputes = listPage({
  path: '/operator/disputes',
  title: 'Disputes',
  lead: 'Cardholders asked their banks to reverse these payments, in live and sandbox. Respond in the dashboard of the payment provider: the outcome appears here by itself.',
  waiting: (counts) => counts.disputes,
  operation: listDisputes,
  rows: 'disputes',
  filters: { status: 'Status' },
  empty: ['No disputes'],
  columns: (page) => [
    id('Dispute', 'provider_ref'),
    { label: 'Environment', cell: ({ environment }) => <Badge text={environment} /> },
    {
      label: 'Payment for',
      cell: ({ public_id, user_id }) => {
        if (public_id !== null) {
          return <Id id={public_id} href={page.href(`/operator/orders/${public_id}`)} />
        }
        if (user_id === null) return '–'
        return <a href={page.href(`/operator/users/${user_id}`)}>a user’s renewal</a>
      },
    },
    { label: 'Reason', cell: ({ reason }) => stateText(reason) },
    status('Status', 'status'),
    money('Amount', 'amount_cents'),
    time('Respond by', 'due_at'),
  ],
})
