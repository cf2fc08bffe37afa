import { listEndpoints } from '../../modules/events/operate-endpoints.ts'
import { partnerNames } from '../../modules/partners/partner.ts'
import { shownCount } from '../admin/overview.ts'
import { type Column, Pager, Table } from '../pages/list.tsx'
import { Badge, Empty, Heading, Tabs } from '../pages/parts.tsx'
import type { Desk } from './desk.tsx'
import { At, Do, EnvironmentTabs, Group, PartnerLink } from './parts.tsx'

const PATH = '/operator/webhooks'

type Endpoint = Awaited<ReturnType<typeof listEndpoints.handler>>['endpoints'][number]

/** How the receivers of partners do. */
export function webhookPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { environment, query } = look
    const { view, cursor } = query
    const filters = { environment, cursor, ...FILTERS[view ?? ''] }
    const { endpoints, next_cursor } = await look.read(listEndpoints, filters)
    const names = await partnerNames(
      look.house.db,
      endpoints.map(({ partner_id }) => partner_id),
    )
    const views: [string, string][] = [
      [look.href(PATH), 'All'],
      [look.href(PATH, { view: 'failing' }), 'Failing'],
      [look.href(PATH, { view: 'off' }), 'Switched off'],
    ]
    return {
      title: 'Webhooks',
      at: PATH,
      body: (
        <>
          <Heading title="Webhooks" />
          <EnvironmentTabs look={look} path={PATH} />
          <Tabs label="Endpoints" at={look.href(PATH, { view })} tabs={views} />
          <EndpointsTable
            endpoints={endpoints}
            before={[
              {
                label: 'Partner',
                cell: ({ partner_id }) => <PartnerLink look={look} id={partner_id} names={names} />,
              },
            ]}
          />
          <Pager path={PATH} query={query} next={next_cursor} />
        </>
      ),
    }
  })
}

const FILTERS: Record<string, object> = {
  failing: { active: true, failing: true },
  off: { active: false },
}

export function EndpointsTable({
  endpoints,
  before = [],
}: {
  endpoints: readonly Endpoint[]
  before?: readonly Column<Endpoint>[]
}) {
  return (
    <Table
      caption="Webhook endpoints"
      rows={endpoints}
      columns={[
        ...before,
        {
          label: 'Address',
          cell: ({ url, environment }) => (
            <Group>
              <code>{url}</code> {environment === 'sandbox' && <Badge text="sandbox" />}
            </Group>
          ),
        },
        { label: 'State', cell: (endpoint) => <State endpoint={endpoint} /> },
        {
          label: 'Failed lately',
          align: 'end',
          cell: ({ recent_attempts, recent_failures }) =>
            recent_attempts === 0
              ? '–'
              : `${Math.round((100 * recent_failures) / recent_attempts)} % of ${recent_attempts}`,
        },
        { label: 'Waiting', align: 'end', cell: ({ pending_count }) => shownCount(pending_count) },
        {
          label: 'Last try',
          cell: ({ last_attempt_at }) => <At at={last_attempt_at} none="never" />,
        },
        {
          label: 'Change',
          cell: ({ endpoint_id, active, url }) => (
            <Do
              does="switch_webhook_endpoint"
              fields={{ endpoint_id, to: active ? 'off' : 'on' }}
              label={active ? 'Switch off' : 'Switch on'}
              about={url}
              kind={active ? 'quiet' : 'main'}
              {...(active && { confirm: 'Switch it off? What waits is dropped.' })}
            />
          ),
        },
      ]}
      empty={<Empty title="No endpoint">Partners register them by their portal or the API.</Empty>}
    />
  )
}

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
