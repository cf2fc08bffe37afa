import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { Web } from '../../http/web.ts'
import { serveCases } from './cases.tsx'
import { serveCheckoutSessions } from './checkout-sessions.tsx'
import { serveCredentials } from './credentials.tsx'
import { serveDeliveries } from './deliveries.tsx'
import { serveDelivery } from './delivery.tsx'
import { serveEvents } from './events.tsx'
import { serveJoin } from './join.tsx'
import { serveLinks } from './links.tsx'
import { serveMembers } from './members.tsx'
import { serveNewCase } from './new-case.tsx'
import { serveOffers } from './offers.tsx'
import { serveOrders } from './orders.tsx'
import { serveOverview } from './overview.tsx'
import { servePayee } from './payee.tsx'
import { servePayouts } from './payouts.tsx'
import { createPortal } from './portal.tsx'
import { serveQuotes } from './quotes.tsx'
import { serveRequests } from './requests.tsx'
import { serveSandbox } from './sandbox.tsx'
import { serveSettlements } from './settlements.tsx'
import { serveSignature } from './signature.tsx'
import { serveStart } from './start.tsx'
import { serveTransactions } from './transactions.tsx'
import { serveWebhook } from './webhook.tsx'

/** Everything below `/partner`: for users who belong to a partner, or are about to. */
export function servePortal(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const portal = createPortal(fastify, app, web)
  serveStart(portal)
  serveJoin(portal)
  serveOverview(portal)
  serveOrders(portal)
  serveQuotes(portal)
  serveOffers(portal)
  serveCheckoutSessions(portal)
  serveCases(portal)
  serveNewCase(portal)
  serveLinks(portal)
  serveDelivery(portal)
  serveMembers(portal)
  serveTransactions(portal)
  serveSettlements(portal)
  servePayouts(portal)
  servePayee(portal)
  serveCredentials(portal)
  serveWebhook(portal)
  serveDeliveries(portal)
  serveEvents(portal)
  serveRequests(portal)
  serveSignature(portal)
  serveSandbox(portal)
}
