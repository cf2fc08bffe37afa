import { setPartnerBrand } from '../../domain/partners/set-partner-brand.ts'
import { setPartnerTerms } from '../../domain/partners/set-partner-terms.ts'
import type { showPartner } from '../../domain/partners/show-partner.ts'
import { HOME_CURRENCY, unitsOf } from '../../lib/money.ts'
import type { ConsoleContext } from './page.ts'
import { Form } from './parts.tsx'

type Partner = Awaited<ReturnType<typeof showPartner.handler>>

/** What a partner earns, and what it may owe. */
export function Terms({ page, partner }: { page: ConsoleContext; partner: Partner }) {
  const percent = (label: string, bps: number) => ({ label, value: String(bps / 100) })
  return (
    <section class="panel roomy">
      <h2>Terms</h2>
      <p class="soft">Commissions in percent. Changes apply to new sales and cases.</p>
      <Form
        page={page}
        does={setPartnerTerms}
        given={{ partner_id: partner.partner_id }}
        fields={{
          partner_collected_bps: percent(
            'Sales that the partner collects',
            partner.partner_collected_bps,
          ),
          hosted_checkout_bps: percent('Sales through checkout links', partner.hosted_checkout_bps),
          referral_bps: percent('Sales through tracked links', partner.referral_bps),
          brokerage_bps: percent('Brokered deals', partner.brokerage_bps),
          credit_limit_cents: {
            label: 'Credit limit',
            value:
              partner.credit_limit_cents === null
                ? ''
                : unitsOf(partner.credit_limit_cents, HOME_CURRENCY),
            hint: 'Orders are held once the partner would owe more. Empty: no limit.',
          },
          orders_per_hour: {
            label: 'Orders an hour',
            value: String(partner.orders_per_hour ?? ''),
            hint: 'Orders beyond it are held. Empty: no limit.',
          },
        }}
        submit="Save terms"
      />
    </section>
  )
}

/** What buyers see at the checkout that its links lead to. */
export function Look({ page, partner }: { page: ConsoleContext; partner: Partner }) {
  const { name, logo_url, color, support_email } = partner.brand ?? {}
  return (
    <section class="panel roomy">
      <h2>Checkout brand</h2>
      <p class="soft">
        Shown on the checkout that its links lead to. An empty field looks like the marketplace.
      </p>
      <Form
        page={page}
        does={setPartnerBrand}
        given={{ partner_id: partner.partner_id }}
        fields={{
          name: { label: 'Name', value: name ?? '' },
          logo_url: { label: 'Logo', value: logo_url ?? '', hint: 'An https address.' },
          color: {
            label: 'Color',
            value: color ?? '',
            hint: 'Such as #0b6e4f, with a contrast of at least 4.5 on white.',
          },
          support_email: { label: 'Support address', value: support_email ?? '' },
        }}
        submit="Save brand"
      />
    </section>
  )
}
