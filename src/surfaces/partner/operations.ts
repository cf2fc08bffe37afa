import type { PartnerOperation } from '../../kernel/operation.ts'
import { checkEligibility } from '../../modules/brokerage/eligibility.ts'
import { getCase } from '../../modules/brokerage/get-case.ts'
import { listCases } from '../../modules/brokerage/list-cases.ts'
import { openCase } from '../../modules/brokerage/open-case.ts'
import { sandboxMoveCase } from '../../modules/brokerage/operate-case.ts'
import { renewProgressLink, revokeProgressLink } from '../../modules/brokerage/renew-link.ts'
import { sandboxRecordAnswer, sandboxRecordOffer } from '../../modules/brokerage/work-case.ts'
import { createCheckoutSession } from '../../modules/checkout/create-session.ts'
import { getCheckoutSession } from '../../modules/checkout/get-session.ts'
import { cancelReplay } from '../../modules/events/cancel-replay.ts'
import { createReplay } from '../../modules/events/create-replay.ts'
import { getReplay } from '../../modules/events/get-replay.ts'
import { getWebhook } from '../../modules/events/get-webhook.ts'
import { listDeliveries } from '../../modules/events/list-deliveries.ts'
import { listEvents } from '../../modules/events/list-events.ts'
import { listReplays } from '../../modules/events/list-replays.ts'
import { registerWebhook } from '../../modules/events/register-webhook.ts'
import { resendDelivery } from '../../modules/events/resend-delivery.ts'
import { sendTestEvent } from '../../modules/events/send-test-event.ts'
import { checkAvailability } from '../../modules/inventory/check-availability.ts'
import { getDomain } from '../../modules/inventory/get-domain.ts'
import { getPricing } from '../../modules/inventory/get-pricing.ts'
import { createOrder } from '../../modules/orders/create-order.ts'
import { getOrder } from '../../modules/orders/get-order.ts'
import { listOrders } from '../../modules/orders/list-orders.ts'
import { sandboxMoves } from '../../modules/orders/operate-order.ts'
import { requestRefund } from '../../modules/orders/request-refund.ts'
import { getPayout, listOwnPayouts, listPayouts } from '../../modules/payouts/list-payouts.ts'
import { createQuote } from '../../modules/quotes/create-quote.ts'
import { getQuote } from '../../modules/quotes/get-quote.ts'
import { releaseQuote } from '../../modules/quotes/release-quote.ts'
import { createLink } from '../../modules/referrals/create-link.ts'
import { getAnalytics } from '../../modules/referrals/get-analytics.ts'
import { getClicks } from '../../modules/referrals/get-clicks.ts'
import { listCommissions } from '../../modules/referrals/list-commissions.ts'
import { listLinks } from '../../modules/referrals/list-links.ts'
import { listSales } from '../../modules/referrals/list-sales.ts'
import { advanceClock } from '../../modules/sandbox/advance-clock.ts'
import { resetSandbox } from '../../modules/sandbox/reset-sandbox.ts'
import { searchDomains } from '../../modules/search/search-domains.ts'
import { getSettlement } from '../../modules/settlements/get-settlement.ts'
import { listSettlements } from '../../modules/settlements/list-settlements.ts'
import { sandboxRunSettlement } from '../../modules/settlements/run-settlement.ts'
import { listTransactions } from '../../modules/transactions/list-transactions.ts'

/** Everything a partner can call. */
export const PARTNER_OPERATIONS: readonly PartnerOperation[] = [
  searchDomains,
  getDomain,
  checkAvailability,
  getPricing,
  createQuote,
  getQuote,
  releaseQuote,
  createOrder,
  listOrders,
  getOrder,
  requestRefund,
  checkEligibility,
  openCase,
  listCases,
  getCase,
  renewProgressLink,
  revokeProgressLink,
  listSettlements,
  getSettlement,
  createCheckoutSession,
  getCheckoutSession,
  listTransactions,
  listPayouts,
  getPayout,
  createLink,
  listLinks,
  getClicks,
  listSales,
  listCommissions,
  listOwnPayouts,
  getAnalytics,
  registerWebhook,
  getWebhook,
  listDeliveries,
  resendDelivery,
  sendTestEvent,
  createReplay,
  listReplays,
  getReplay,
  cancelReplay,
  listEvents,
  ...sandboxMoves,
  sandboxMoveCase,
  sandboxRecordOffer,
  sandboxRecordAnswer,
  sandboxRunSettlement,
  advanceClock,
  resetSandbox,
]
