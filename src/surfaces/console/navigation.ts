import { readCounts, shownCount } from '../admin/overview.ts'
import type { Section } from '../pages/frame.tsx'
import type { Look } from './desk.tsx'

/** The console's own navigation; what waits stands beside where it is done. */
export async function navigation({ house, environment, href }: Look, at: string): Promise<Section> {
  const waiting = await readCounts(house.db, environment)
  const link = (path: string, label: string, count = 0) => ({
    path: href(path),
    label,
    ...(count > 0 && { count: shownCount(count) }),
  })
  return {
    name: 'Operator',
    at: href(at),
    groups: [
      {
        label: 'Work',
        links: [
          link('/operator', 'Overview'),
          link('/operator/review', 'Review', waiting.review),
          link('/operator/transfers', 'Transfers', waiting.to_start + waiting.in_progress),
          link('/operator/orders', 'Orders'),
          link('/operator/cases', 'Brokerage', waiting.cases_unassigned),
        ],
      },
      {
        label: 'Money',
        links: [
          link('/operator/settlements', 'Settlements'),
          link('/operator/payments', 'Payments', waiting.refunds_failed),
          link('/operator/disputes', 'Disputes', waiting.disputes),
          link('/operator/payouts', 'Payouts', waiting.payouts_open),
        ],
      },
      {
        label: 'Partners',
        links: [
          link('/operator/partners', 'Partners'),
          link('/operator/live-requests', 'Live access', waiting.live_requests),
          link('/operator/webhooks', 'Webhooks', waiting.endpoints_off + waiting.endpoints_failing),
        ],
      },
      {
        label: 'Inventory',
        links: [
          link('/operator/listings', 'Listings'),
          link('/operator/imports', 'Imports', waiting.imports_running),
          link('/operator/prices', 'Price book'),
        ],
      },
      {
        label: 'House',
        links: [
          link('/operator/users', 'Accounts'),
          link('/operator/mails', 'Mails', waiting.mails_stuck),
          link('/operator/jobs', 'Jobs', waiting.jobs_failed),
          link('/operator/audit', 'Audit log'),
        ],
      },
    ],
  }
}
