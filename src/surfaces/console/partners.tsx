import { listUsers } from '../../modules/accounts/list-users.ts'
import { listEndpoints } from '../../modules/events/operate-endpoints.ts'
import { listCredentials } from '../../modules/partners/list-credentials.ts'
import { listLiveRequests } from '../../modules/partners/list-live-requests.ts'
import { listPartners } from '../../modules/partners/list-partners.ts'
import { showPartner } from '../../modules/partners/show-partner.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { RowText } from '../pages/name.tsx'
import { Badge, Empty, Heading } from '../pages/parts.tsx'
import type { Desk, Look } from './desk.tsx'
import { Account, NewCredential, NewPartner, type Partner, Terms } from './partner-forms.tsx'
import { At, Do, Group, Percent, Status } from './parts.tsx'
import { EndpointsTable } from './webhooks.tsx'

const PATH = '/operator/partners'

/** Partner accounts, each with its terms, credentials, people and receivers. */
export function partnerPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { q, status, live, cursor } = look.query
    const { partners, next_cursor } = await look.read(listPartners, { q, status, live, cursor })
    const isSet = [q, status, live].some((filter) => filter !== undefined)
    return {
      title: 'Partners',
      at: PATH,
      body: (
        <>
          <Heading title="Partners" />
          <Filters path={look.href(PATH)} isSet={isSet}>
            <Field label="Name or e-mail" name="q" type="search" value={q} />
            <Select
              label="Status"
              name="status"
              value={status}
              options={[
                ['', 'Any'],
                ['active', 'active'],
                ['suspended', 'suspended'],
              ]}
            />
            <Select
              label="Live"
              name="live"
              value={live}
              options={[
                ['', 'Any'],
                ['true', 'may sell for real'],
                ['false', 'sandbox only'],
              ]}
            />
          </Filters>
          <Table
            caption="Partners"
            rows={partners}
            columns={[
              {
                label: 'Name',
                cell: ({ partner_id, name }) => <a href={`${PATH}/${partner_id}`}>{name}</a>,
              },
              { label: 'E-mail', cell: ({ email }) => <RowText text={email} /> },
              { label: 'Status', cell: (partner) => <PartnerStatus partner={partner} /> },
              {
                label: 'Commission',
                align: 'end',
                cell: ({ user_id, partner_collected_bps }) =>
                  user_id === null ? <Percent bps={partner_collected_bps} /> : '–',
              },
              { label: 'Since', cell: ({ created_at }) => <At at={created_at} /> },
            ]}
            empty={
              <Empty title={isSet ? 'No partner fits' : 'No partner yet'}>
                They open accounts themselves at /partner, or you do it here.
              </Empty>
            }
          />
          <Pager path={PATH} query={look.query} next={next_cursor} />
          <NewPartner look={look} />
        </>
      ),
    }
  })

  desk.page(`${PATH}/:partner_id`, async (look) => {
    const { partner_id } = look.params
    const [partner, doors, requests] = await Promise.all([
      look.read(showPartner, { partner_id }),
      readDoors(look),
      look.read(listLiveRequests, { partner_id, limit: 1 }),
    ])
    const waiting = requests.live_requests.find(({ status }) => status === 'pending')
    return {
      title: partner.name,
      at: PATH,
      body: (
        <>
          <Heading title={partner.name}>
            <PartnerStatus partner={partner} />
          </Heading>
          {waiting && (
            <p class="notice warn" role="status">
              This partner asks for live access.{' '}
              <a href={look.href('/operator/live-requests')}>Decide</a>
            </p>
          )}
          <div class="columns">
            <Account look={look} partner={partner} />
            {partner.user_id === null && <Terms look={look} partner={partner} />}
          </div>
          {partner.user_id === null && <Doors look={look} partner={partner} {...doors} />}
        </>
      ),
    }
  })
}

async function readDoors(look: Look) {
  const { partner_id } = look.params
  const [{ credentials }, { users }, { endpoints }] = await Promise.all([
    look.read(listCredentials, { partner_id }),
    look.read(listUsers, { partner_id, limit: 20 }),
    look.read(listEndpoints, { partner_id }),
  ])
  return { credentials, users, endpoints }
}

/** The ways to us that a partner has, and we to them. Who is only paid for what they sold has none. */
function Doors({
  look,
  partner,
  credentials,
  users,
  endpoints,
}: { look: Look; partner: Partner } & Awaited<ReturnType<typeof readDoors>>) {
  return (
    <>
      <h2>Credentials</h2>
      <Table
        caption="Credentials"
        rows={credentials}
        columns={[
          { label: 'Key', cell: ({ key_id }) => <code>{key_id}</code> },
          { label: 'Environment', cell: ({ environment }) => environment },
          { label: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
          { label: 'Status', cell: ({ status }) => <Status text={status} /> },
          {
            label: 'Last used',
            cell: ({ last_used_at }) => <At at={last_used_at} none="never" />,
          },
          {
            label: 'Change',
            cell: ({ key_id, status }) =>
              status === 'active' && (
                <Group>
                  <Do
                    does="rotate_credential"
                    fields={{ key_id }}
                    label="Rotate"
                    about={key_id}
                    confirm="Give it a new secret? The old one works for another day."
                  />
                  <Do
                    does="revoke_credential"
                    fields={{ key_id }}
                    label="Revoke"
                    about={key_id}
                    kind="danger"
                    confirm="Revoke it for good? Its next request is refused."
                  />
                </Group>
              ),
          },
        ]}
        empty={<Empty title="No credential yet">Make one below, or let the partner do it.</Empty>}
      />
      <NewCredential look={look} partner={partner} />
      <h2>People</h2>
      <Table
        caption="Accounts linked to this partner"
        rows={users}
        columns={[
          {
            label: 'Account',
            cell: ({ user_id, email }) => (
              <a href={look.href(`/operator/users/${user_id}`)}>
                <RowText text={email} />
              </a>
            ),
          },
          {
            label: 'Status',
            cell: ({ disabled }) => <Status text={disabled ? 'disabled' : 'active'} />,
          },
          { label: 'Since', cell: ({ created_at }) => <At at={created_at} /> },
        ]}
        empty={<Empty title="Nobody is linked">Link somebody on the page of their account.</Empty>}
      />
      <h2>Webhook endpoints</h2>
      <EndpointsTable endpoints={endpoints} />
    </>
  )
}

function PartnerStatus({ partner: { user_id, status, live_approved_at } }: { partner: Partner }) {
  if (user_id !== null) return <Badge text="seller" />
  return (
    <Group>
      <Status text={status} />
      {live_approved_at === null ? (
        <Badge text="sandbox only" />
      ) : (
        <Badge tone="info" text="live" />
      )}
    </Group>
  )
}
