import type { ComponentChildren } from 'preact'
import { SCOPES } from '../../core/caller.ts'
import { listUsers } from '../../domain/accounts/list-users.ts'
import { listEndpoints } from '../../domain/events/operate-endpoints.ts'
import { createCredential } from '../../domain/partners/create-credential.ts'
import { listCredentials } from '../../domain/partners/list-credentials.ts'
import { listLiveRequests } from '../../domain/partners/list-live-requests.ts'
import { revokeCredential } from '../../domain/partners/revoke-credential.ts'
import { rotateCredential } from '../../domain/partners/rotate-credential.ts'
import { setPartnerBrand } from '../../domain/partners/set-partner-brand.ts'
import { setPartnerStatus } from '../../domain/partners/set-partner-status.ts'
import { setPartnerTerms } from '../../domain/partners/set-partner-terms.ts'
import { showPartner } from '../../domain/partners/show-partner.ts'
import { withdrawLive } from '../../domain/partners/withdraw-live.ts'
import { id, link, status, text, time } from '../components/columns.tsx'
import { Table } from '../components/list.tsx'
import { RowText } from '../components/name.tsx'
import { At, Badge, Empty, Facts, Heading, Id, Notice, Status } from '../components/parts.tsx'
import { action, type ConsoleContext, type ConsolePage } from './page.ts'
import { Look, Terms } from './partner-terms.tsx'
import { Do, Form, Group, secretOnce } from './parts.tsx'
import { endpointColumns, switchDeliveries } from './webhooks.tsx'

type Member = Awaited<ReturnType<typeof listUsers.handler>>['users'][number]
type Partner = Awaited<ReturnType<typeof showPartner.handler>>

/** One partner account: its terms, credentials, members and webhook endpoints. */
export const partnerPage: ConsolePage = {
  path: '/operator/partners/:partner_id',
  title: 'Partner',
  actions: [
    action({
      operation: setPartnerStatus,
      done: ({ name, status }) => `${name} is now ${status}.`,
    }),
    action({
      operation: setPartnerTerms,
      done: ({ name }) => `Terms of ${name} saved. They apply to new sales.`,
      emptied: ['credit_limit_cents', 'orders_per_hour'],
    }),
    action({
      operation: setPartnerBrand,
      done: ({ name }) => `Checkout brand of ${name} saved.`,
    }),
    action({
      operation: createCredential,
      show: ({ key_id, secret }) => secretOnce(`Credential ${key_id} created.`, key_id, secret),
    }),
    action({
      operation: rotateCredential,
      show: ({ key_id, secret }) =>
        secretOnce(
          `${key_id} has a new secret. The old one works for another day.`,
          key_id,
          secret,
        ),
    }),
    action({
      operation: withdrawLive,
      done: ({ name, revoked }) =>
        `Live access of ${name} withdrawn; ${revoked} live credentials are revoked.`,
    }),
    action({ operation: revokeCredential, done: ({ key_id }) => `${key_id} revoked.` }),
    switchDeliveries,
  ],
  async render(page) {
    const { partner_id } = page.params
    const [partner, access, { live_requests }] = await Promise.all([
      page.read(showPartner, { partner_id }),
      readAccess(page),
      page.read(listLiveRequests, { partner_id, limit: 1 }),
    ])
    // A seller is only paid for what they sold: they have no terms, credentials or endpoints.
    const isSeller = partner.user_id !== null
    return {
      title: partner.name,
      body: (
        <>
          <Heading title={partner.name}>
            <PartnerStatus partner={partner} />
          </Heading>
          {live_requests.some(({ status }) => status === 'pending') && (
            <Notice kind="warn">
              This partner asks for live access.{' '}
              <a href={page.href('/operator/live-requests')}>Review the request</a>
            </Notice>
          )}
          <div class="columns">
            <div>
              <Account page={page} partner={partner} />
              {!isSeller && <Look page={page} partner={partner} />}
            </div>
            {!isSeller && <Terms page={page} partner={partner} />}
          </div>
          {!isSeller && <Access page={page} partner={partner} {...access} />}
        </>
      ),
    }
  },
}

async function readAccess(page: ConsoleContext) {
  const { partner_id } = page.params
  const [{ credentials }, { users }, { endpoints }] = await Promise.all([
    page.read(listCredentials, { partner_id }),
    page.read(listUsers, { partner_id, limit: 20 }),
    page.read(listEndpoints, { partner_id }),
  ])
  return { credentials, users, endpoints }
}

export function PartnerStatus({
  partner: { user_id, status, live_approved_at },
}: {
  partner: Partner
}) {
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

function Account({ page, partner }: { page: ConsoleContext; partner: Partner }) {
  const { partner_id, user_id, status, affiliate_id } = partner
  const isActive = status === 'active'
  const own: [string, ComponentChildren][] =
    user_id === null
      ? [
          ['Affiliate', affiliate_id === null ? 'no' : <Id id={affiliate_id} />],
          ['Live since', <At at={partner.live_approved_at} none="not approved" />],
        ]
      : [['Seller', <a href={page.href(`/operator/users/${user_id}`)}>account</a>]]
  return (
    <section class="panel roomy">
      <h2>Account</h2>
      <Facts
        facts={[
          ['Partner', <Id id={partner_id} />],
          ['E-mail', partner.email],
          ...own,
          ['Created', <At at={partner.created_at} />],
          [
            'More',
            <>
              <a href={page.href('/operator/orders', { partner_id })}>orders</a>,{' '}
              <a href={page.href('/operator/payouts', { partner_id })}>payouts</a>,{' '}
              <a href={page.href('/operator/audit', { subject: partner_id })}>audit log</a>
            </>,
          ],
        ]}
      />
      {partner.live_approved_at !== null && user_id === null && (
        <Form
          page={page}
          does={withdrawLive}
          given={{ partner_id }}
          collapsed="Withdraw live access"
          fields={{ reason: { label: 'Reason', hint: 'Sent to the partner.' } }}
          submit="Withdraw"
          kind="danger"
          confirm="Withdraw live access? All live credentials are revoked."
        />
      )}
      {user_id === null && (
        <Do
          does={setPartnerStatus}
          fields={{ partner_id, status: isActive ? 'suspended' : 'active' }}
          label={isActive ? 'Suspend' : 'Reactivate'}
          kind={isActive ? 'danger' : 'main'}
          confirm={
            isActive
              ? `Suspend ${partner.name}? Its requests are rejected at once, its links stop selling, and its balance is held.`
              : undefined
          }
        />
      )}
    </section>
  )
}

function Access({
  page,
  partner,
  credentials,
  users,
  endpoints,
}: { page: ConsoleContext; partner: Partner } & Awaited<ReturnType<typeof readAccess>>) {
  return (
    <>
      <h2>Credentials</h2>
      <Table
        caption="Credentials"
        rows={credentials}
        columns={[
          id('Key', 'key_id'),
          text('Environment', 'environment'),
          { label: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
          status('Status', 'status'),
          time('Last used', 'last_used_at', 'never'),
          {
            label: '',
            cell: ({ key_id, status }) =>
              status === 'active' && (
                <Group>
                  <Do
                    does={rotateCredential}
                    fields={{ key_id }}
                    label="Rotate"
                    about={key_id}
                    confirm="Create a new secret? The old one works for another day."
                  />
                  <Do
                    does={revokeCredential}
                    fields={{ key_id }}
                    label="Revoke"
                    about={key_id}
                    kind="danger"
                    confirm="Revoke this credential? Its next request is rejected. This cannot be undone."
                  />
                </Group>
              ),
          },
        ]}
        empty={
          <Empty title="No credentials yet">
            Create one below, or let the partner do it in the portal.
          </Empty>
        }
      />
      <Form
        page={page}
        does={createCredential}
        given={{ partner_id: partner.partner_id }}
        collapsed="Create a credential"
        fields={{
          environment: {
            label: 'Environment',
            choices: {
              sandbox: 'sandbox',
              live: partner.live_approved_at === null ? 'live (approves the partner)' : 'live',
            },
          },
          scopes: {
            label: 'Scopes',
            value: SCOPES.filter((scope) => scope !== 'embed').join(' '),
          },
        }}
        submit="Create credential"
      />
      <h2>Members</h2>
      <Table
        caption="Members"
        rows={users}
        columns={[
          link(
            'Account',
            ({ user_id }: Member) => page.href(`/operator/users/${user_id}`),
            ({ email }) => <RowText text={email} />,
          ),
          {
            label: 'Status',
            cell: ({ disabled }) => <Status text={disabled ? 'disabled' : 'active'} />,
          },
          time('Created', 'created_at'),
        ]}
        empty={<Empty title="No members yet">Link an account on its own page.</Empty>}
      />
      <h2>Webhook endpoints</h2>
      <Table
        caption="Webhook endpoints"
        rows={endpoints}
        columns={endpointColumns}
        empty={
          <Empty title="No endpoints">
            Partners register endpoints in their portal or through the API.
          </Empty>
        }
      />
    </>
  )
}
