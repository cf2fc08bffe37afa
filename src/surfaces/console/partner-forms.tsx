import type { VNode } from 'preact'
import { SCOPES } from '../../kernel/operation.ts'
import type { showPartner } from '../../modules/partners/show-partner.ts'
import { Check, Field, Select } from '../pages/form.tsx'
import { Facts } from '../pages/parts.tsx'
import type { Look } from './desk.tsx'
import { At, Do, Form, refusedForm } from './parts.tsx'

export type Partner = Awaited<ReturnType<typeof showPartner.handler>>

export function Account({ look, partner }: { look: Look; partner: Partner }) {
  const { partner_id, user_id, status } = partner
  const isActive = status === 'active'
  return (
    <section class="panel roomy">
      <h2>Account</h2>
      <Facts
        facts={[
          ['Partner', <code>{partner_id}</code>],
          ['E-mail', partner.email],
          ...(user_id === null
            ? ([
                [
                  'Affiliate',
                  partner.affiliate_id === null ? 'no' : <code>{partner.affiliate_id}</code>,
                ],
                ['Live since', <At at={partner.live_approved_at} none="not approved" />],
              ] as [string, VNode][])
            : ([
                ['Seller', <a href={look.href(`/operator/users/${user_id}`)}>their account</a>],
              ] as [string, VNode][])),
          ['Opened', <At at={partner.created_at} />],
          [
            'More',
            <>
              <a href={look.href('/operator/orders', { partner_id })}>orders</a>,{' '}
              <a href={look.href('/operator/payouts', { partner_id })}>payouts</a>,{' '}
              <a href={look.href('/operator/audit', { subject: partner_id })}>who did what</a>
            </>,
          ],
        ]}
      />
      {user_id === null && (
        <Do
          does="set_partner_status"
          fields={{ partner_id, status: isActive ? 'suspended' : 'active' }}
          label={isActive ? 'Suspend' : 'Make active again'}
          kind={isActive ? 'danger' : 'main'}
          {...(isActive && {
            confirm: `Suspend ${partner.name}? Its every request is refused at once, its links sell nothing, and its balance is kept back.`,
          })}
        />
      )}
    </section>
  )
}

const TERMS = [
  ['partner_collected', 'Sales that it collects itself'],
  ['hosted_checkout', 'Sales by its checkout links'],
  ['referral', 'Sales by its tracked links'],
  ['brokerage', 'Brokered deals'],
] as const

export function Terms({ look, partner }: { look: Look; partner: Partner }) {
  const written = refusedForm(look, 'set_partner_terms')
  return (
    <section class="panel roomy">
      <h2>Terms</h2>
      <p class="soft">Commissions in percent. They hold for what is sold or opened from now on.</p>
      <Form does="set_partner_terms" fields={{ partner_id: partner.partner_id }}>
        {TERMS.map(([term, label]) => (
          <Field
            label={label}
            name={`${term}_percent`}
            inputmode="decimal"
            value={written.value(`${term}_percent`, String(partner[`${term}_bps`] / 100))}
            problem={written.problem(`${term}_percent`)}
            required
          />
        ))}
        <button type="submit" class="quiet">
          Set the terms
        </button>
      </Form>
    </section>
  )
}

export function NewPartner({ look }: { look: Look }) {
  const written = refusedForm(look, 'create_partner')
  return (
    <details open={written.isOpen}>
      <summary>Open a partner account</summary>
      <Form does="create_partner">
        <Field
          label="Name"
          name="name"
          value={written.value('name')}
          problem={written.problem('name')}
          required
          maxlength={200}
        />
        <Field
          label="E-mail"
          name="email"
          type="email"
          value={written.value('email')}
          problem={written.problem('email')}
          required
        />
        <Check label="With an affiliate account" name="affiliate" value="true" />
        <button type="submit">Open it</button>
      </Form>
    </details>
  )
}

export function NewCredential({ look, partner }: { look: Look; partner: Partner }) {
  const written = refusedForm(look, 'create_credential')
  return (
    <details open={written.isOpen}>
      <summary>Make a credential</summary>
      <Form does="create_credential" fields={{ partner_id: partner.partner_id }}>
        <Select
          label="Environment"
          name="environment"
          value={written.value('environment', 'sandbox')}
          options={[
            ['sandbox', 'sandbox'],
            ['live', partner.live_approved_at === null ? 'live (approves the partner)' : 'live'],
          ]}
        />
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map((scope) => (
            <Check label={scope} name="scopes" value={scope} checked={scope !== 'embed'} />
          ))}
        </fieldset>
        <button type="submit">Make it</button>
      </Form>
    </details>
  )
}
