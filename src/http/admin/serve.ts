import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { ADMIN_TOKEN } from '../../core/four-eyes.ts'
import type { AdminOperation } from '../../core/operation.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import {
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
  verifyAdminToken,
} from '../../domain/accounts/admin-token.ts'
import { listUsers } from '../../domain/accounts/list-users.ts'
import { createUserToken } from '../../domain/accounts/personal-token.ts'
import { resetSecondFactor } from '../../domain/accounts/reset-second-factor.ts'
import { showUser } from '../../domain/accounts/show-user.ts'
import { updateUser } from '../../domain/accounts/update-user.ts'
import { operatorOf } from '../../domain/accounts/user.ts'
import { listAuditEntries } from '../../domain/audit/list-audit-entries.ts'
import { listAllCases, operateCase, showCase } from '../../domain/brokerage/operate-case.ts'
import { operatorRenewsLink, operatorRevokesLink } from '../../domain/brokerage/renew-link.ts'
import {
  assignCase,
  noteCase,
  recordAnswer,
  recordContact,
  recordOffer,
} from '../../domain/brokerage/work-case.ts'
import { cancelCheckoutSession } from '../../domain/checkout/cancel-session.ts'
import {
  approveGoodwill,
  closeGoodwill,
  listGoodwill,
  payGoodwill,
} from '../../domain/checkout/operate-goodwill.ts'
import {
  listDisputes,
  listPayments,
  moveRefund,
  playBank,
} from '../../domain/checkout/operate-payments.ts'
import { createUser, importDomains } from '../../domain/domains/import-domains.ts'
import { decideClaim, listAllClaims } from '../../domain/domains/operate-claims.ts'
import { listUncapturedCharges, writeOffCharge } from '../../domain/domains/uncaptured-charges.ts'
import { listEndpoints, switchEndpoint } from '../../domain/events/operate-endpoints.ts'
import {
  blockDomains,
  listBlockedDomains,
  unblockDomain,
} from '../../domain/inventory/block-domains.ts'
import { freezeListing, unfreezeListing } from '../../domain/inventory/freeze-listing.ts'
import { withdrawListing } from '../../domain/inventory/withdraw-listing.ts'
import { listInvoices, readInvoice } from '../../domain/invoices/operate-invoices.ts'
import { listAllListings } from '../../domain/listings/list-all-listings.ts'
import { listImports, showImport } from '../../domain/listings/list-imports.ts'
import { listMails } from '../../domain/mails/list-mails.ts'
import { endUserSessions } from '../../domain/oauth/end-user-sessions.ts'
import { listAllOffers, operateOffer, showOffer } from '../../domain/offers/operate-offers.ts'
import { listTransfers } from '../../domain/orders/list-transfers.ts'
import { listAllOrders, operateOrder, showOrder } from '../../domain/orders/operate-order.ts'
import { readOrderRegistry } from '../../domain/orders/read-registry.ts'
import { revealRegistrant } from '../../domain/orders/reveal-registrant.ts'
import { setTransferCode } from '../../domain/orders/transfer-code.ts'
import { approveLive } from '../../domain/partners/approve-live.ts'
import { createCredential } from '../../domain/partners/create-credential.ts'
import { createPartner } from '../../domain/partners/create-partner.ts'
import { declineLive } from '../../domain/partners/decline-live.ts'
import { listCredentials } from '../../domain/partners/list-credentials.ts'
import { listLiveRequests } from '../../domain/partners/list-live-requests.ts'
import { listPartners } from '../../domain/partners/list-partners.ts'
import { revokeCredential } from '../../domain/partners/revoke-credential.ts'
import { rotateCredential } from '../../domain/partners/rotate-credential.ts'
import { setPartnerBrand } from '../../domain/partners/set-partner-brand.ts'
import { setPartnerDelivery } from '../../domain/partners/set-partner-delivery.ts'
import { setPartnerStatus } from '../../domain/partners/set-partner-status.ts'
import { setPartnerTerms } from '../../domain/partners/set-partner-terms.ts'
import { showPartner } from '../../domain/partners/show-partner.ts'
import { withdrawLive } from '../../domain/partners/withdraw-live.ts'
import { setPayee, showPayee } from '../../domain/payees/operate-payees.ts'
import { approvePayout } from '../../domain/payouts/approve-payout.ts'
import {
  exportPayouts,
  listPayoutBatches,
  readPayoutBatch,
} from '../../domain/payouts/export-payouts.ts'
import { importPayoutStatus } from '../../domain/payouts/import-status.ts'
import { movePayout } from '../../domain/payouts/move-payout.ts'
import { createPayouts, listAllPayouts } from '../../domain/payouts/operate-payouts.ts'
import { previewPayouts } from '../../domain/payouts/preview-payouts.ts'
import { sendPayouts } from '../../domain/payouts/send-payouts.ts'
import { eraseUser } from '../../domain/privacy/erase-user.ts'
import { exportUser } from '../../domain/privacy/export-user.ts'
import { listTldPrices } from '../../domain/registry/list-tld-prices.ts'
import { setTldPrice } from '../../domain/registry/set-tld-price.ts'
import {
  listAllSettlements,
  previewSettlementRun,
  showSettlement,
} from '../../domain/settlements/operate-settlements.ts'
import { receiveSettlement } from '../../domain/settlements/receive-payment.ts'
import { runSettlement } from '../../domain/settlements/run-settlement.ts'
import { queryPairs } from '../../lib/canonical-query.ts'
import { bodyOf, rawQueryOf, readInput, rejectUnreadable } from '../input.ts'
import { assertSameOrigin } from '../same-origin.ts'
import { readSession } from '../session-cookie.ts'
import { bearerOf, bringsOneOf } from '../tokens.ts'
import { addressOf, type Web } from '../web.ts'
import { makeBackup } from './backup.ts'
import { resealSecrets, rotateSigningKey } from './keys.ts'
import { actorOf, serveListingImport } from './listing-import.ts'
import { showOverview } from './overview.ts'
import { servePriceImport } from './price-import.ts'
import { REGISTRAR_OPERATIONS } from './registrars.ts'
import { listJobs, runJob } from './schedule.ts'
import { searchAll } from './search.ts'

export const ADMIN_BASE = '/api/admin/v1'
/** Requests a minute of one address that bring a wrong token. */
const WRONG_TOKENS_PER_MINUTE = 300

/** Everything an operator can call; the command line calls these and nothing else. */
export const ADMIN_OPERATIONS: readonly AdminOperation[] = [
  createPartner,
  listPartners,
  setPartnerStatus,
  createCredential,
  listCredentials,
  rotateCredential,
  revokeCredential,
  listLiveRequests,
  approveLive,
  declineLive,
  withdrawLive,
  listAllOrders,
  showOrder,
  listTransfers,
  readOrderRegistry,
  revealRegistrant,
  operateOrder,
  listAllCases,
  showCase,
  operateCase,
  assignCase,
  noteCase,
  recordContact,
  recordOffer,
  recordAnswer,
  operatorRenewsLink,
  operatorRevokesLink,
  listAllOffers,
  showOffer,
  operateOffer,
  runSettlement,
  createPayouts,
  listAllPayouts,
  approvePayout,
  movePayout,
  sendPayouts,
  exportPayouts,
  listPayoutBatches,
  readPayoutBatch,
  importPayoutStatus,
  setPayee,
  showPayee,
  receiveSettlement,
  listInvoices,
  readInvoice,
  listPayments,
  moveRefund,
  payGoodwill,
  approveGoodwill,
  closeGoodwill,
  listGoodwill,
  listUncapturedCharges,
  writeOffCharge,
  listDisputes,
  playBank,
  listTldPrices,
  setTldPrice,
  listMails,
  createUser,
  importDomains,
  createUserToken,
  listUsers,
  updateUser,
  showUser,
  endUserSessions,
  resetSecondFactor,
  exportUser,
  eraseUser,
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
  resealSecrets,
  makeBackup,
  rotateSigningKey,
  showPartner,
  setPartnerTerms,
  setPartnerBrand,
  previewSettlementRun,
  listAllSettlements,
  showSettlement,
  previewPayouts,
  listEndpoints,
  switchEndpoint,
  listAllListings,
  withdrawListing,
  freezeListing,
  unfreezeListing,
  blockDomains,
  unblockDomain,
  listBlockedDomains,
  cancelCheckoutSession,
  listImports,
  showImport,
  showOverview,
  searchAll,
  listJobs,
  runJob,
  listAuditEntries,
  ...REGISTRAR_OPERATIONS,
  setTransferCode,
  setPartnerDelivery,
  listAllClaims,
  decideClaim,
]

export function serveAdminApi(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  adminToken: string,
  stopping: AbortSignal,
): void {
  fastify.register(async (scope) => {
    scope.decorateRequest('actor', null)
    // Before the body is read, which may be large here, and after methods that a path does not serve.
    scope.addHook('preParsing', async (request) => {
      request.actor = await authorize(request)
    })
    for (const operation of ADMIN_OPERATIONS) {
      web.route(scope, operation, ADMIN_BASE + operation.path, async (request, reply) => {
        reply.header('cache-control', 'no-store')
        const executed = await web.execute(operation, {
          caller: { kind: 'operator', actor: actorOf(request) },
          now: app.clock.now(),
          requestId: request.id,
          // No idempotency key is honoured here: stored responses would hold the secrets of new credentials.
          input() {
            rejectUnreadable(request.raw)
            return readInput(operation, {
              pathParameters: request.params as Record<string, string>,
              query: queryPairs(rawQueryOf(request)),
              body: bodyOf(request),
            })
          },
        })
        return web.send(operation, request, reply, executed)
      })
    }
    scope.register(async (files) => serveListingImport(files, app, ADMIN_BASE, stopping))
    scope.register(async (files) => servePriceImport(files, app, web, ADMIN_BASE))
  })

  /** A token of the admin API; or, from our own pages, the session of a user who is an operator. */
  async function authorize(request: FastifyRequest): Promise<Actor> {
    if (bringsOneOf(request, [adminToken])) {
      return { userId: null, name: ADMIN_TOKEN, person: ADMIN_TOKEN, role: 'admin' }
    }
    const now = app.clock.now()
    if (request.headers.authorization === undefined) {
      const session = await readSession(request, app)
      if (session?.user.is_operator) {
        assertSameOrigin(request, app.settings.baseUrl)
        return operatorOf(session)
      }
    }
    const actor = await verifyAdminToken(app.db, now, bearerOf(request) ?? '')
    if (actor) return actor
    if (request.headers.authorization !== undefined) {
      // Counted per address, so that nobody guesses for long, and nobody locks others out.
      const subject = `admin:${addressOf(request)}`
      assertUnderLimit(await web.count({ subject, limit: WRONG_TOKENS_PER_MINUTE, now }), now)
      throw new ApiError(
        'unauthorized',
        'This is no admin token of this service, or no longer one.',
      )
    }
    throw new ApiError('unauthorized', 'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>.')
  }
}
