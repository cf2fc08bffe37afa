import type { AppScope } from '../../core/caller.ts'
import type { listAppPurchases, listAppSpending } from '../../domain/agents/list-app-spending.ts'
import { ActionButton } from '../components/form.tsx'
import { type Column, Table } from '../components/list.tsx'
import { money } from '../components/money.ts'
import { RowName } from '../components/name.tsx'
import { Badge, Day, Empty, type Tone } from '../components/parts.tsx'

type App = Awaited<ReturnType<typeof listAppSpending>>[number]
type Purchase = Awaited<ReturnType<typeof listAppPurchases>>[number]

export interface AppsShown {
  grants: App[]
  purchases: Purchase[]
}

const MAY: Record<AppScope, string> = {
  'pricing:read': 'see prices',
  'orders:create': 'buy',
  'domains:manage': 'change domains',
}

const APPS: Column<App>[] = [
  {
    label: 'App',
    cell: ({ name, kind, client_id }) => (
      <>
        {name}
        {kind === 'document' && <small class="hint">{new URL(client_id).host}</small>}
      </>
    ),
  },
  {
    label: 'May',
    cell: ({ scope }) =>
      scope
        .split(' ')
        .map((one) => MAY[one as AppScope])
        .join(', '),
  },
  {
    label: 'Spent',
    cell: ({ mandate, spent_cents }) =>
      mandate ? (
        <>
          {money(spent_cents, mandate.currency)} of{' '}
          {money(mandate.max_total_cents, mandate.currency)}
          <small class="hint">
            at most {money(mandate.max_per_order_cents, mandate.currency)} each
          </small>
        </>
      ) : (
        '–'
      ),
  },
  { label: 'Buys until', cell: ({ mandate }) => <Day at={mandate?.expires_at ?? null} none="–" /> },
  { label: 'Since', cell: ({ created_at }) => <Day at={created_at} /> },
  { label: 'Last used', cell: ({ last_used_at }) => <Day at={last_used_at} none="never" /> },
  {
    label: '',
    cell: ({ id, name }) => (
      <ActionButton
        path="/account/apps/revoke"
        fields={{ id }}
        label="Remove"
        about={name}
        confirm={`Remove ${name}? It can see, buy and change nothing any more.`}
      />
    ),
  },
]

const STATES: Record<Purchase['status'], [tone: Tone, text: string]> = {
  processing: ['info', 'being paid'],
  failed: ['bad', 'not bought'],
  EXTERNALLY_PAID: ['info', 'paid'],
  PAID: ['info', 'paid'],
  TRANSFER_IN_PROGRESS: ['info', 'transfer under way'],
  TRANSFER_COMPLETED: ['good', 'delivered'],
  SETTLED: ['good', 'delivered'],
  REFUNDED: ['plain', 'refunded'],
  CANCELLED: ['plain', 'cancelled'],
}

const PURCHASES: Column<Purchase>[] = [
  { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
  { label: 'App', cell: ({ app_name }) => app_name },
  { label: 'Bought', cell: ({ created_at }) => <Day at={created_at} /> },
  {
    label: 'State',
    cell: ({ status, reason, public_id }) => (
      <>
        <Badge tone={STATES[status][0]} text={STATES[status][1]} />
        {public_id === null && reason !== null && <small class="hint">{reason}</small>}
      </>
    ),
  },
  {
    label: 'Paid',
    align: 'end',
    cell: ({ amount_cents, currency, status }) =>
      status === 'failed' ? '–' : money(amount_cents, currency),
  },
  {
    label: '',
    cell: ({ can_cancel, public_id, domain }) =>
      can_cancel && (
        <ActionButton
          path="/account/apps/cancel"
          fields={{ public_id: public_id ?? '' }}
          label="Cancel"
          about={`the purchase of ${domain}`}
          confirm={`Cancel the purchase of ${domain}? The money goes back to your card.`}
        />
      ),
  },
]

/** The apps that a user let in: what each may do and has spent, and one button that ends it. */
export function Apps({ grants, purchases }: AppsShown) {
  return (
    <>
      <h2>Apps with access</h2>
      <p class="soft">
        Each does what you allowed and nothing else. Remove one, and it ends at once: what it has
        bought stays bought.
      </p>
      <Table
        caption="Apps with access"
        columns={APPS}
        rows={grants}
        empty={
          <Empty title="None">
            <p>An app or agent asks you here when it wants to see prices or to buy for you.</p>
          </Empty>
        }
      />
      {purchases.length > 0 && (
        <>
          <h2>Bought by your apps</h2>
          <p class="soft">
            You can cancel a purchase until its transfer starts. What was cancelled still counts
            towards what its app may spend.
          </p>
          <Table
            caption="Bought by your apps"
            columns={PURCHASES}
            rows={purchases}
            empty={<Empty title="None" />}
          />
        </>
      )}
    </>
  )
}
