import { ADMINS } from '../../core/roles.ts'
import type { User } from '../../domain/accounts/user.ts'
import { readCounts, shownCount } from '../../http/admin/overview.ts'
import type { Section } from '../layout/frame.tsx'
import { audit } from './audit.tsx'
import { board } from './board.tsx'
import { disputes } from './disputes.tsx'
import { home } from './home.tsx'
import { imports } from './imports.tsx'
import { invoices } from './invoices.tsx'
import { jobs } from './jobs.tsx'
import { listings } from './listings.tsx'
import { liveRequests } from './live-requests.tsx'
import { mails } from './mails.tsx'
import { offers } from './offers.tsx'
import { orders, review, transfers } from './orders.tsx'
import type { ConsoleContext, ConsolePage } from './page.ts'
import { partners } from './partners.tsx'
import { payments } from './payments.tsx'
import { payouts } from './payouts.tsx'
import { prices } from './prices.tsx'
import { registrars } from './registrars.tsx'
import { search } from './search.tsx'
import { settlements } from './settlements.tsx'
import { users } from './users.tsx'
import { webhooks } from './webhooks.tsx'

const GROUPS: readonly { label: string; pages: readonly ConsolePage[] }[] = [
  { label: 'Work', pages: [home, review, transfers, orders, board, offers] },
  { label: 'Money', pages: [settlements, payments, invoices, disputes, payouts] },
  { label: 'Partners', pages: [partners, liveRequests, webhooks] },
  { label: 'Inventory', pages: [listings, imports, prices, registrars] },
  { label: 'System', pages: [users, mails, jobs, audit] },
]

/** The search stands on each of the others, and needs no link. */
export const PAGES: readonly ConsolePage[] = [...GROUPS.flatMap(({ pages }) => pages), search]

/** The console's own navigation; what waits stands beside where it is done. */
export async function navigation(
  { app, environment, href, session: { user } }: ConsoleContext,
  at: string,
): Promise<Section> {
  const counts = await readCounts(app.db, environment, app.clock.now())
  return {
    name: 'Operator',
    at: href(at),
    groups: GROUPS.map(({ label, pages }) => ({
      label,
      links: pages
        .filter((page) => isOpen(page, user))
        .map(({ path, title, waiting }) => {
          const count = waiting?.(counts) ?? 0
          return { path: href(path), label: title, ...(count > 0 && { count: shownCount(count) }) }
        }),
    })).filter(({ links }) => links.length > 0),
  }
}

/** Whether an operator's role opens a page. */
export function isOpen({ roles = ADMINS }: Pick<ConsolePage, 'roles'>, { role }: User): boolean {
  return role !== null && roles.includes(role)
}
