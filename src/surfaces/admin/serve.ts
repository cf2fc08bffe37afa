import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DatabaseUnavailable } from '../../kernel/database/server.ts'
import { errorBody, Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { type AdminOperation, ENVIRONMENTS } from '../../kernel/operation.ts'
import { queryPairs } from '../../lib/canonical-query.ts'
import { equalInConstantTime } from '../../lib/signature.ts'
import { listUsers } from '../../modules/accounts/list-users.ts'
import { createUserToken } from '../../modules/accounts/personal-token.ts'
import { updateUser } from '../../modules/accounts/update-user.ts'
import { createUser, importDomains } from '../../modules/holdings/import-domains.ts'
import { importListings } from '../../modules/inventory/import-listings.ts'
import { listMails } from '../../modules/mails/list-mails.ts'
import { listAllOrders, operateOrder, showOrder } from '../../modules/orders/operate-order.ts'
import { createCredential } from '../../modules/partners/create-credential.ts'
import { createPartner } from '../../modules/partners/create-partner.ts'
import { listCredentials } from '../../modules/partners/list-credentials.ts'
import { listPartners } from '../../modules/partners/list-partners.ts'
import { revokeCredential } from '../../modules/partners/revoke-credential.ts'
import { rotateCredential } from '../../modules/partners/rotate-credential.ts'
import { setPartnerStatus } from '../../modules/partners/set-partner-status.ts'
import { createPayouts, listAllPayouts, movePayout } from '../../modules/payouts/operate-payouts.ts'
import { listTldPrices } from '../../modules/registry/list-tld-prices.ts'
import { setTldPrice } from '../../modules/registry/set-tld-price.ts'
import { runSettlement } from '../../modules/settlements/run-settlement.ts'
import { readSession } from '../accounts/cookie.ts'
import { readInput, refuseUnreadable } from '../input.ts'
import { refuseForeignOrigin } from '../pages/same-origin.ts'
import type { Web } from '../web.ts'
import { servePriceImport } from './price-import.ts'

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
  listAllOrders,
  showOrder,
  operateOrder,
  runSettlement,
  createPayouts,
  listAllPayouts,
  movePayout,
  listTldPrices,
  setTldPrice,
  listMails,
  createUser,
  importDomains,
  createUserToken,
  listUsers,
  updateUser,
]

const IMPORT_LIMIT = 4 * 1024 ** 3

export function serveAdminApi(
  app: FastifyInstance,
  house: House,
  web: Web,
  adminToken: string,
): void {
  for (const operation of ADMIN_OPERATIONS) {
    web.route(app, operation, ADMIN_BASE, async (request, reply) => {
      await authorize(request)
      reply.header('cache-control', 'no-store')
      refuseUnreadable(request.method, request.headers)
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
      const input = readInput(operation, {
        pathParameters: request.params as Record<string, string>,
        query: queryPairs(request.raw.url?.split('?').slice(1).join('?') ?? ''),
        body,
      })
      const now = house.clock.now()
      if (operation.kind === 'admin_read') {
        const answer = await operation.handler({ db: house.db, now, house }, input)
        return web.send(operation, request, reply, answer)
      }
      // No key is honoured here: stored answers would hold the secrets of new credentials.
      return web.sendWrite(operation, reply, now, null, (context) =>
        operation.handler(context, input),
      )
    })
  }
  app.register(async (scope) => serveImport(scope))
  app.register(async (scope) => servePriceImport(scope, house, ADMIN_BASE, authorize))

  /** The admin token; or, from our own pages, the session of a user who is an operator. */
  async function authorize(request: FastifyRequest): Promise<void> {
    const [scheme, token] = (request.headers.authorization ?? '').split(' ')
    if (scheme?.toLowerCase() === 'bearer' && token && equalInConstantTime(token, adminToken))
      return
    const session = scheme ? null : await readSession(request, house)
    if (session?.user.is_operator) return refuseForeignOrigin(request, house.settings.baseUrl)
    throw new Refusal('unauthorized', 'Send the admin token: Authorization: Bearer <ADMIN_TOKEN>.')
  }

  /**
   * POST /listings/import?environment=… with a CSV file as the body. It answers with lines of JSON while
   * it runs: `{"progress": …}` after each batch, then `{"report": …}` or `{"error": …}`.
   */
  function serveImport(scope: FastifyInstance): void {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload))
    scope.post<{ Querystring: { environment?: string } }>(
      `${ADMIN_BASE}/listings/import`,
      {
        bodyLimit: IMPORT_LIMIT,
        onRequest: authorize,
        config: { operation: 'import_listings' },
      },
      async (request, reply) => {
        const environment = ENVIRONMENTS.find((known) => known === request.query.environment)
        if (!environment) {
          throw new Refusal('validation_error', 'environment: must be sandbox or live', {
            details: [{ field: 'environment', issue: 'must be sandbox or live' }],
          })
        }
        const csv = request.body instanceof Readable ? request.body : Readable.from([])
        reply.header('content-type', 'application/x-ndjson')
        return reply.send(Readable.from(importLines(environment, csv, request)))
      },
    )
  }

  async function* importLines(
    environment: (typeof ENVIRONMENTS)[number],
    csv: Readable,
    request: FastifyRequest,
  ): AsyncGenerator<string> {
    const progress: string[] = []
    let wake = () => {}
    const line = (value: object) => `${JSON.stringify(value)}\n`
    let done = false
    const work = importListings(house, environment, csv, ({ rows, imported, rejected_count }) => {
      progress.push(line({ progress: { rows, imported, rejected_count } }))
      wake()
    })
      .then(
        (report) => progress.push(line({ report })),
        (error: unknown) => {
          request.log.error({ err: error }, 'import: it broke off')
          progress.push(line(errorBody(brokenOff(error), request.id)))
        },
      )
      .finally(() => {
        done = true
        wake()
      })
    while (!done || progress.length > 0) {
      yield* progress.splice(0)
      if (!done) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
    await work
  }
}

/** What was loaded stays, and loading it again changes nothing. */
function brokenOff(error: unknown): Refusal {
  const code = error instanceof DatabaseUnavailable ? 'unavailable' : 'internal_error'
  return new Refusal(code, 'The import broke off; what was loaded stays. Run it again.')
}
