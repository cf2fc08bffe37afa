import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { Actor, AdminOperation } from '../../kernel/operation.ts'
import { queryPairs } from '../../lib/canonical-query.ts'
import { endUserSessions } from '../../modules/accounts/end-user-sessions.ts'
import { listUsers } from '../../modules/accounts/list-users.ts'
import { createUserToken } from '../../modules/accounts/personal-token.ts'
import { showUser } from '../../modules/accounts/show-user.ts'
import { updateUser } from '../../modules/accounts/update-user.ts'
import { listAuditEntries } from '../../modules/audit/list-audit-entries.ts'
import { listAllCases, operateCase, showCase } from '../../modules/brokerage/operate-case.ts'
import { operatorRenewsLink, operatorRevokesLink } from '../../modules/brokerage/renew-link.ts'
import {
  assignCase,
  noteCase,
  recordAnswer,
  recordContact,
  recordOffer,
} from '../../modules/brokerage/work-case.ts'
import {
  listDisputes,
  listPayments,
  moveRefund,
  playBank,
} from '../../modules/checkout/operate-payments.ts'
import { listEndpoints, switchEndpoint } from '../../modules/events/operate-endpoints.ts'
import { createUser, importDomains } from '../../modules/holdings/import-domains.ts'
import { listAllListings } from '../../modules/inventory/list-all-listings.ts'
import { listImports, showImport } from '../../modules/inventory/list-imports.ts'
import { listMails } from '../../modules/mails/list-mails.ts'
import { listAllOrders, operateOrder, showOrder } from '../../modules/orders/operate-order.ts'
import { approveLive } from '../../modules/partners/approve-live.ts'
import { createCredential } from '../../modules/partners/create-credential.ts'
import { createPartner } from '../../modules/partners/create-partner.ts'
import { declineLive } from '../../modules/partners/decline-live.ts'
import { listCredentials } from '../../modules/partners/list-credentials.ts'
import { listLiveRequests } from '../../modules/partners/list-live-requests.ts'
import { listPartners } from '../../modules/partners/list-partners.ts'
import { revokeCredential } from '../../modules/partners/revoke-credential.ts'
import { rotateCredential } from '../../modules/partners/rotate-credential.ts'
import { setPartnerStatus } from '../../modules/partners/set-partner-status.ts'
import { setPartnerTerms } from '../../modules/partners/set-partner-terms.ts'
import { showPartner } from '../../modules/partners/show-partner.ts'
import { createPayouts, listAllPayouts, movePayout } from '../../modules/payouts/operate-payouts.ts'
import { previewPayouts } from '../../modules/payouts/preview-payouts.ts'
import { listTldPrices } from '../../modules/registry/list-tld-prices.ts'
import { setTldPrice } from '../../modules/registry/set-tld-price.ts'
import {
  listAllSettlements,
  previewSettlementRun,
  showSettlement,
} from '../../modules/settlements/operate-settlements.ts'
import { runSettlement } from '../../modules/settlements/run-settlement.ts'
import { readSession } from '../accounts/cookie.ts'
import { bodyOf, rawQueryOf, readInput, refuseUnreadable } from '../input.ts'
import { refuseForeignOrigin } from '../pages/same-origin.ts'
import { bringsOneOf } from '../tokens.ts'
import type { Web } from '../web.ts'
import { act, operatorOf } from './act.ts'
import { actorOf, serveListingImport } from './listing-import.ts'
import { showOverview } from './overview.ts'
import { servePriceImport } from './price-import.ts'
import { listJobs, runJob } from './schedule.ts'

const ADMIN_BASE = '/api/admin/v1'

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
  listAllOrders,
  showOrder,
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
  runSettlement,
  createPayouts,
  listAllPayouts,
  movePayout,
  listPayments,
  moveRefund,
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
  showPartner,
  setPartnerTerms,
  previewSettlementRun,
  listAllSettlements,
  showSettlement,
  previewPayouts,
  listEndpoints,
  switchEndpoint,
  listAllListings,
  listImports,
  showImport,
  showOverview,
  listJobs,
  runJob,
  listAuditEntries,
]

export function serveAdminApi(
  app: FastifyInstance,
  house: House,
  web: Web,
  adminToken: string,
  stopping: AbortSignal,
): void {
  app.register(async (scope) => {
    scope.decorateRequest('actor', null)
    // Before the body is read, which may be large here.
    scope.addHook('onRequest', async (request) => {
      request.actor = await authorize(request)
    })
    for (const operation of ADMIN_OPERATIONS) {
      web.route(scope, operation, ADMIN_BASE, async (request, reply) => {
        reply.header('cache-control', 'no-store')
        refuseUnreadable(request.raw)
        const input = readInput(operation, {
          pathParameters: request.params as Record<string, string>,
          query: queryPairs(rawQueryOf(request)),
          body: bodyOf(request),
        })
        const now = house.clock.now()
        if (operation.kind === 'admin_read') {
          const answer = await operation.handler({ db: house.db, now, house }, input)
          return web.send(operation, request, reply, answer)
        }
        // No key is honoured here: stored answers would hold the secrets of new credentials.
        const { status, body: answer } = await act(house, web, operation, input, {
          actor: actorOf(request),
          requestId: request.id,
        })
        return reply
          .code(status)
          .header('content-type', 'application/json; charset=utf-8')
          .send(answer)
      })
    }
  })
  app.register(async (scope) => serveListingImport(scope, house, ADMIN_BASE, authorize, stopping))
  app.register(async (scope) => servePriceImport(scope, house, ADMIN_BASE, authorize))

  /** The admin token; or, from our own pages, the session of a user who is an operator. */
  async function authorize(request: FastifyRequest): Promise<Actor> {
    if (bringsOneOf(request, [adminToken])) return { userId: null, name: 'admin token' }
    const session =
      request.headers.authorization === undefined ? await readSession(request, house) : null
    if (session?.user.is_operator) {
      refuseForeignOrigin(request, house.settings.baseUrl)
      return operatorOf(session.user)
    }
    throw new Refusal('unauthorized', 'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>.')
  }
}
