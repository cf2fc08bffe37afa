import { listEndpoints, switchEndpoint } from '../../domain/events/operate-endpoints.ts'
import { shownCount } from '../../http/admin/overview.ts'
import { time } from '../components/columns.tsx'
import type { Column } from '../components/list.tsx'
import { At, Badge } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action } from './page.ts'
import { Do, Group, partnerColumn } from './parts.tsx'

type Endpoint = Awaited<ReturnType<typeof listEndpoints.handler>>['endpoints'][number]

export const switchDeliveries = action({
  operation: switchEndpoint,
  done: ({ active }) =>
    active
      ? 'Deliveries are switched on. The partner can replay the events that were dropped.'
      : 'Deliveries are switched off. Pending events are dropped.',
})

/** The webhook endpoints of all partners. */
export const webhooks = listPage({
  path: '/operator/webhooks',
  title: 'Webhooks',
  waiting: (counts) => counts.endpoints_off + counts.endpoints_failing,
  actions: [switchDeliveries],
  operation: listEndpoints,
  rows: 'endpoints',
  views: {
    '': { label: 'All', input: {} },
    failing: { label: 'Failing', input: { active: true, failing: true } },
    off: { label: 'Switched off', input: { active: false } },
  },
  empty: ['No endpoints', 'Partners register endpoints in their portal or through the API.'],
  columns: async (page, rows) => [await partnerColumn(page, rows), ...endpointColumns],
})

export const endpointColumns: Column<Endpoint>[] = [
  {
    label: 'URL',
    cell: ({ url, environment }) => (
      <Group>
        <code>{url}</code> {environment === 'sandbox' && <Badge text="sandbox" />}
      </Group>
    ),
  },
  { label: 'Status', cell: (endpoint) => <State endpoint={endpoint} /> },
  {
    label: 'Recent failures',
    align: 'end',
    cell: ({ recent_attempts, recent_failures }) =>
      recent_attempts === 0
        ? '–'
        : `${Math.round((100 * recent_failures) / recent_attempts)} % of ${recent_attempts}`,
  },
  { label: 'Pending', align: 'end', cell: ({ pending_count }) => shownCount(pending_count) },
  time('Last attempt', 'last_attempt_at', 'never'),
  {
    label: '',
    cell: ({ endpoint_id, active, url }) => (
      <Do
        does={switchEndpoint}
        fields={{ endpoint_id, to: active ? 'off' : 'on' }}
        label={active ? 'Switch off' : 'Switch on'}
        about={url}
        kind={active ? 'quiet' : 'main'}
        confirm={active ? 'Switch off deliveries? Pending events are dropped.' : undefined}
      />
    ),
  },
]

function State({ endpoint }: { endpoint: Endpoint }) {
  const { active, inactive_reason, failing_since } = endpoint
  if (!active) {
    return (
      <Group>
        <Badge tone="bad" text="off" /> <span class="soft">{inactive_reason}</span>
      </Group>
    )
  }
  if (failing_since === null) return <Badge tone="good" text="on" />
  return (
    <Group>
      <Badge tone="warn" text="failing" />
      <span class="soft">
        since <At at={failing_since} />
      </span>
    </Group>
  )
}
