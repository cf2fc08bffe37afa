import type { Environment } from '../../core/caller.ts'
import type { Section } from '../layout/frame.tsx'

/** The portal's own navigation, with where one is. */
export function sectionOf(
  base: string,
  partnerName: string,
  environment: Environment,
  at: string,
): Section {
  const links = (...each: [path: string, label: string][]) =>
    each.map(([path, label]) => ({ path: base + path, label }))
  return {
    name: 'Partner',
    at: base + at,
    groups: [
      {
        label: partnerName,
        links: links(
          ['', 'Overview'],
          ['/orders', 'Orders'],
          ['/quotes', 'Quotes'],
          ['/offers', 'Offers'],
          ['/checkout-sessions', 'Checkout links'],
          ['/cases', 'Cases'],
          ['/links', 'Tracked links'],
          ['/members', 'Members'],
        ),
      },
      {
        label: 'Money',
        links: links(
          ['/transactions', 'Transactions'],
          ['/settlements', 'Settlements'],
          ['/payouts', 'Payouts'],
          ['/payee', 'Payee'],
        ),
      },
      {
        label: 'Integration',
        links: [
          ...links(
            ['/credentials', 'Credentials'],
            ['/delivery', 'Delivery'],
            ['/webhook', 'Webhook'],
            ['/deliveries', 'Deliveries'],
            ['/events', 'Events'],
            ['/requests', 'Request log'],
            ['/signature', 'Signature debugger'],
          ),
          ...(environment === 'sandbox' ? links(['/sandbox', 'Sandbox controls']) : []),
        ],
      },
    ],
  }
}
