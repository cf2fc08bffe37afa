import type { PartnerOperation } from '../../core/operation.ts'
import { checkEligibility } from '../../domain/brokerage/eligibility.ts'
import { getCase } from '../../domain/brokerage/get-case.ts'
import { listCases } from '../../domain/brokerage/list-cases.ts'
import { openCase } from '../../domain/brokerage/open-case.ts'
import { sandboxMoveCase } from '../../domain/brokerage/operate-case.ts'
import { renewProgressLink, revokeProgressLink } from '../../domain/brokerage/renew-link.ts'
import { sandboxRecordAnswer, sandboxRecordOffer } from '../../domain/brokerage/work-case.ts'
import { createCheckoutSession } from '../../domain/checkout/create-session.ts'
import { getCheckoutSession } from '../../domain/checkout/get-session.ts'
import { cancelReplay } from '../../domain/events/cancel-replay.ts'
import { createReplay } from '../../domain/events/create-replay.ts'
import { getReplay } from '../../domain/events/get-replay.ts'
import { getWebhook } from '../../domain/events/get-webhook.ts'
import { listDeliveries } from '../../domain/events/list-deliveries.ts'
import { listEvents } from '../../domain/events/list-events.ts'
import { listReplays } from '../../domain/events/list-replays.ts'
import { registerWebhook } from '../../domain/events/register-webhook.ts'
import { resendDelivery } from '../../domain/events/resend-delivery.ts'
import { sendTestEvent } from '../../domain/events/send-test-event.ts'
import { checkAvailability } from '../../domain/listings/check-availability.ts'
import { getDomain } from '../../domain/listings/get-domain.ts'
import { getPricing } from '../../domain/listings/get-pricing.ts'
import { createOffer } from '../../domain/offers/create-offer.ts'
import { getOffer } from '../../domain/offers/get-offer.ts'
import { listOffers } from '../../domain/offers/list-offers.ts'
import { sandboxMoveOffer } from '../../domain/offers/operate-offers.ts'
import {
  acceptOfferOfSeller,
  counterOffer,
  declineOffer,
  withdrawOffer,
} from '../../domain/offers/respond-to-offer.ts'
import { createOrder } from '../../domain/orders/create-order.ts'
import { getOrder } from '../../domain/orders/get-order.ts'
import { getReceipt } from '../../domain/orders/get-receipt.ts'
import { listOrders } from '../../domain/orders/list-orders.ts'
import { sandboxMoves } from '../../domain/orders/operate-order.ts'
import { requestRefund } from '../../domain/orders/request-refund.ts'
import { getTransferCode } from '../../domain/orders/transfer-code.ts'
import { getPayee } from '../../domain/payees/get-payee.ts'
import { getPayout, listOwnPayouts, listPayouts } from '../../domain/payouts/list-payouts.ts'
import { createQuote } from '../../domain/quotes/create-quote.ts'
import { getQuote } from '../../domain/quotes/get-quote.ts'
import { releaseQuote } from '../../domain/quotes/release-quote.ts'
import { createLink } from '../../domain/referrals/create-link.ts'
import { getAnalytics } from '../../domain/referrals/get-analytics.ts'
import { getClicks } from '../../domain/referrals/get-clicks.ts'
import { listCommissions } from '../../domain/referrals/list-commissions.ts'
import { listLinks } from '../../domain/referrals/list-links.ts'
import { listSales } from '../../domain/referrals/list-sales.ts'
import { advanceClock } from '../../domain/sandbox/advance-clock.ts'
import { resetSandbox } from '../../domain/sandbox/reset-sandbox.ts'
import { searchDomains } from '../../domain/search/search-domains.ts'
import { getSettlement } from '../../domain/settlements/get-settlement.ts'
import { listSettlements } from '../../domain/settlements/list-settlements.ts'
import { sandboxRunSettlement } from '../../domain/settlements/run-settlement.ts'
import { listTransactions } from '../../domain/transactions/list-transactions.ts'

/** Everything a partner can call. */
export const PARTNER_OPERATIONS: readonly PartnerOperation[] = [
  searchDomains,
  getDomain,
  checkAvailability,
  getPricing,
  createQuote,
  getQuote,
  releaseQuote,
  createOffer,
  listOffers,
  getOffer,
  counterOffer,
  acceptOfferOfSeller,
  declineOffer,
  withdrawOffer,
  createOrder,
  listOrders,
  getOrder,
  getTransferCode,
  getReceipt,
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
  getPayee,
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
  sandboxMoveOffer,
  sandboxRunSettlement,
  advanceClock,
  resetSandbox,
]
