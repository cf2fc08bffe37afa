import { nameText } from 'domain-marketplace-domain-names'
import type { ComponentChildren } from 'preact'
import type { readOrderRegistry } from '../../domain/orders/read-registry.ts'
import { revealRegistrant } from '../../domain/orders/reveal-registrant.ts'
import { setTransferCode } from '../../domain/orders/transfer-code.ts'
import { At, Badge, Facts, Id, Status } from '../components/parts.tsx'
import type { OrderRow } from './order-page.tsx'
import { action, type ConsoleContext } from './page.ts'
import { Form, Group } from './parts.tsx'

export const giveCode = action({
  operation: setTransferCode,
  done: ({ domain }) => `The buyer of ${nameText(domain)} can read the code now.`,
})

export const revealTo = action({
  operation: revealRegistrant,
  show: ({ registrant }) => (
    <section class="panel roomy apart">
      <h2>Registrant</h2>
      <Facts
        facts={[
          ['Name', registrant.name],
          ['Organization', registrant.organization ?? '–'],
          ['E-mail', registrant.email],
          ['Phone', registrant.phone ?? '–'],
          ['Address', registrant.address],
          ['City', [registrant.postal_code, registrant.city].filter(Boolean).join(' ')],
          ['Country', registrant.country],
        ]}
      />
    </section>
  ),
})

const METHODS: Record<OrderRow['delivery']['method'], string> = {
  auth_code: 'transfer by code',
  push: 'push into an account',
  hold: 'kept in the buyer’s account here',
}

export function deliveryText({ method, account }: OrderRow['delivery']): string {
  return account === null ? METHODS[method] : `${METHODS[method]}: ${account}`
}

/** How far a transfer is, as badges. */
export function TransferState({ order: { transfer, status } }: { order: OrderRow }) {
  if (status !== 'TRANSFER_IN_PROGRESS') return <Status text={transfer.status} />
  return (
    <>
      {transfer.status === 'action_required' && <Status text="action_required" />}
      {transfer.stalled && <Badge tone="bad" text="stalled" />}
      {transfer.code_available && <Badge tone="info" text="code available" />}
      {transfer.status === 'in_progress' && !transfer.stalled && !transfer.code_available && (
        <Status text="in_progress" />
      )}
    </>
  )
}

type RegistryNow = Awaited<ReturnType<typeof readOrderRegistry.handler>>

/** Where the domain goes, how far it is, and what the registry says of it. */
export function Delivery({
  page,
  order,
  registry,
}: {
  page: ConsoleContext
  order: OrderRow
  registry: RegistryNow | null
}) {
  const { public_id, delivery, transfer, status } = order
  const needsCode =
    status === 'TRANSFER_IN_PROGRESS' && delivery.method === 'auth_code' && !transfer.code_available
  return (
    <section class="panel roomy">
      <h2>Delivery</h2>
      <Facts
        facts={[
          ['How', deliveryText(delivery)],
          ['Gaining registrar', ianaText(delivery.registrar_iana_id)],
          ['Registrar at the start', transfer.registrar?.name ?? '–'],
          [
            'State',
            <Group>
              <TransferState order={order} />
            </Group>,
          ],
          ['Expected by', <At at={transfer.expected_by} />],
          [
            'Proof',
            transfer.proof ? `${transfer.proof.source}: ${transfer.proof.note ?? ''}` : '–',
          ],
        ]}
      />
      {needsCode && (
        <Form
          page={page}
          does={setTransferCode}
          given={{ public_id }}
          fields={{
            code: {
              label: 'Authorization code',
              type: 'password',
              hint: 'From the registrar that has the domain. Only the buyer can read it afterwards.',
            },
          }}
          submit="Give the code to the buyer"
          kind="main"
        />
      )}
      {registry ? (
        <>
          <h3>The registry says</h3>
          <Facts
            facts={[
              ['State', registry.state],
              ['Registrar', registry.registrar?.name ?? '–'],
              ['IANA ID', ianaText(registry.registrar?.iana_id ?? null)],
              ['Status', registry.status.join(', ') || '–'],
              ['Expires', <At at={registry.expires_at} />],
              ['Source', registry.source],
            ]}
          />
        </>
      ) : (
        <p>
          <a href={page.href(`/operator/orders/${public_id}`, { ask: 'registry' })}>
            Ask the registry now
          </a>
        </p>
      )}
    </section>
  )
}

function ianaText(id: string | null): ComponentChildren {
  return id === null ? '–' : <Id id={id} />
}

/** Whom the domain is for. What they gave of themselves is shown on request, and each look is recorded. */
export function WhoGetsIt({ page, order }: { page: ConsoleContext; order: OrderRow }) {
  return (
    <section class="panel roomy">
      <h2>Registrant</h2>
      {order.payment_model === 'hosted_checkout' ? (
        <>
          <p class="soft">
            The buyer gave their name, address and phone at the checkout. Open them only to deliver
            the domain: each look is recorded.
          </p>
          <Form
            page={page}
            does={revealRegistrant}
            given={{ public_id: order.public_id }}
            submit="Show registrant"
          />
        </>
      ) : (
        <p class="soft">The partner collected the payment, and has the details of the buyer.</p>
      )}
    </section>
  )
}
