import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { AppContext } from './core/context.ts'
import { startJobs } from './core/jobs.ts'
import type { PublicRead } from './core/operation.ts'
import { startDeliveries } from './domain/events/deliver-events.ts'
import { countViews } from './domain/listings/name-days.ts'
import { lastUsed } from './domain/partners/last-used.ts'
import { separateAdmin } from './http/admin/own-listener.ts'
import { serveAdminApi } from './http/admin/serve.ts'
import { createDrain } from './http/drain.ts'
import { serveHealth, serveKeys, serveMetrics } from './http/health.ts'
import { jobsOf } from './http/jobs.ts'
import { serveMcp } from './http/mcp/serve.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { serveOAuth } from './http/oauth/serve.tsx'
import { serveOpenApi } from './http/openapi/serve.ts'
import { servePartnerApi } from './http/partner/serve.ts'
import { servePaymentWebhooks } from './http/payment-webhooks.ts'
import type { VerifyToken } from './http/public/authenticate.ts'
import { DEADLINE_MS } from './http/public/call.ts'
import { PUBLIC_OPERATIONS } from './http/public/operations.ts'
import { servePublicApi } from './http/public/serve.ts'
import { serveTlsAllowed } from './http/tls-allowed.ts'
import { tokenVerifier } from './http/tokens.ts'
import { traceRequests } from './http/trace-requests.ts'
import { rejectUnknownPaths } from './http/unknown-paths.ts'
import { createWeb } from './http/web.ts'
import { SECOND } from './lib/clock.ts'
import { serveAccounts } from './web/account/serve.tsx'
import { serveAssets } from './web/assets.ts'
import { serveCasePages } from './web/case/serve.tsx'
import { serveCheckout } from './web/checkout/serve.tsx'
import { serveLinks } from './web/checkout/serve-links.ts'
import { serveConsole } from './web/console/serve.tsx'
import { serveDocs } from './web/docs/serve.tsx'
import { serveLanders } from './web/landers/serve.tsx'
import { serveMarket } from './web/market/serve.ts'
import { serveOfferPages } from './web/offers/serve.tsx'
import { serveOrderPages } from './web/order/serve.tsx'
import { servePortal } from './web/portal/serve.ts'
import { serveReceipts } from './web/receipt/serve.tsx'
import { serveSite } from './web/site/serve.ts'

const FLUSH_MS = 5 * SECOND

export interface AppOptions {
  adminToken: string
  /** Holds every response against its published schema; for tests. */
  strict?: boolean
  /** Public operations beyond those that ship; for tests. */
  operations?: readonly PublicRead[]
  /** Tokens that are good beside those that the service gives out; for tests. */
  verifyToken?: VerifyToken
  /** How long a public caller waits at most. */
  deadlineMs?: number
}

export interface App {
  server: FastifyInstance
  metrics: Metrics
  /** Finishes what is in flight and stops; the database stays open. */
  stop(): Promise<void>
}

/** Puts the service together: every API and page, the deliveries and the jobs, on one context. */
export function createApp(app: AppContext, log: FastifyBaseLogger, options: AppOptions): App {
  const metrics = createMetrics()
  if (app.search.embeddings) metrics.watchEmbeddings(app.search.embeddings)
  metrics.watchDatabase(app)
  const uses = lastUsed(app.db)
  const views = countViews(app.db)
  const deliveries = startDeliveries(app, metrics.webhookAttempt)
  const jobs = startJobs(app, jobsOf(app))
  const flushing = setInterval(() => {
    uses.flush().catch((error: unknown) => app.log.warn({ err: error }, 'last used: not written'))
    views.flush().catch((error: unknown) => app.log.warn({ err: error }, 'views: not written'))
  }, FLUSH_MS)

  const { fastify, web } = createWeb(app, log, {
    strict: options.strict ?? false,
    recordUse: uses.note,
    wakeDeliveries: deliveries.wake,
  })
  const drain = createDrain(fastify)
  if (app.settings.telemetry) traceRequests(fastify)
  separateAdmin(fastify, app.settings)
  metrics.observe(fastify)
  serveLanders(fastify, app, web, views)
  rejectUnknownPaths(fastify, app, web)
  serveTlsAllowed(fastify, app)
  serveHealth(fastify, app, drain.isStopping)
  serveMetrics(
    fastify,
    metrics,
    [options.adminToken, app.settings.metricsToken].filter((token) => token !== undefined),
  )
  serveKeys(fastify, app)
  const partnerApi = servePartnerApi(fastify, app, web)
  serveAssets(fastify)
  serveSite(fastify, app, web)
  serveCasePages(fastify, app, web)
  serveOfferPages(fastify, app, web)
  serveOrderPages(fastify, app, web)
  serveReceipts(fastify, app, web)
  serveAdminApi(fastify, app, web, options.adminToken, drain.signal)
  serveConsole(fastify, app, web)
  const operations = [...PUBLIC_OPERATIONS, ...(options.operations ?? [])]
  serveAccounts(fastify, app, web)
  servePortal(fastify, app, web)
  serveOAuth(fastify, app, web)
  const verify = tokenVerifier(app)
  const verifyToken: VerifyToken = async (token) =>
    (await options.verifyToken?.(token)) ?? (await verify(token))
  serveDocs(fastify, app, web, serveOpenApi(fastify, app, web, operations))
  const publicOptions = {
    operations,
    verifyToken,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
  }
  servePublicApi(fastify, app, web, publicOptions)
  serveMcp(fastify, app, web, publicOptions)
  serveMarket(fastify, app, web, { ...publicOptions, views })
  serveLinks(fastify, app, web)
  serveCheckout(fastify, app, web)
  servePaymentWebhooks(fastify, app, web)
  web.rejectOtherMethods()

  return {
    server: fastify,
    metrics,
    async stop() {
      clearInterval(flushing)
      await Promise.all([drain.close(app.settings.drainMs), jobs.stop(), deliveries.stop()])
      await Promise.all([
        uses.flush().catch(() => {}),
        views.flush().catch(() => {}),
        partnerApi.stop(),
      ])
    },
  }
}
