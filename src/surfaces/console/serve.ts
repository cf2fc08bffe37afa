import type { FastifyInstance } from 'fastify'
import type { House } from '../../kernel/house.ts'
import type { Web } from '../web.ts'
import { casePages } from './cases.tsx'
import { openDesk } from './desk.tsx'
import { homePage } from './home.tsx'
import { housePages } from './house-pages.tsx'
import { importPages } from './imports.tsx'
import { listingPages } from './listings.tsx'
import { liveRequestPages } from './live-requests.tsx'
import { orderPages } from './orders.tsx'
import { partnerPages } from './partners.tsx'
import { paymentPages } from './payments.tsx'
import { payoutPages } from './payouts.tsx'
import { pricePages } from './prices.tsx'
import { settlementPages } from './settlements.tsx'
import { userPages } from './users.tsx'
import { webhookPages } from './webhooks.tsx'

/** The operator console: whatever the admin API can do, for operators who have signed in. */
export function serveConsole(app: FastifyInstance, house: House, web: Web): void {
  const desk = openDesk(app, house, web)
  homePage(desk)
  orderPages(desk)
  casePages(desk)
  paymentPages(desk)
  settlementPages(desk)
  payoutPages(desk)
  partnerPages(desk)
  liveRequestPages(desk)
  webhookPages(desk)
  listingPages(desk)
  importPages(desk)
  pricePages(desk)
  userPages(desk)
  housePages(desk)
}
