import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { House } from './kernel/house.ts'
import { startJobs } from './kernel/jobs.ts'
import type { PublicRead } from './kernel/operation.ts'
import { SECOND } from './lib/clock.ts'
import { startDeliveries } from './modules/events/deliver-events.ts'
import { lastUsed } from './modules/partners/last-used.ts'
import { serveAccounts } from './surfaces/accounts/serve.tsx'
import { serveAdminApi } from './surfaces/admin/serve.ts'
import { serveCheckout } from './surfaces/checkout/serve.tsx'
import { serveLinks } from './surfaces/checkout/serve-links.ts'
import { serveStripeWebhook } from './surfaces/checkout/stripe-webhook.ts'
import { serveConsole } from './surfaces/console/serve.ts'
import { createDrain } from './surfaces/drain.ts'
import { serveHealth, serveKeys, serveMetrics } from './surfaces/health.ts'
import { jobsOf } from './surfaces/jobs.ts'
import { serveMarket } from './surfaces/market/serve.ts'
import { serveMcp } from './surfaces/mcp/serve.ts'
import { createMetrics } from './surfaces/metrics.ts'
import { serveOAuth } from './surfaces/oauth/serve.tsx'
import { serveOpenApi } from './surfaces/openapi/serve.ts'
import { serveAssets } from './surfaces/pages/assets.ts'
import { serveCasePages } from './surfaces/pages/case/serve.tsx'
import { noteRequests } from './surfaces/partner/note-requests.ts'
import { servePartnerApi } from './surfaces/partner/serve.ts'
import { servePortal } from './surfaces/portal/serve.ts'
import type { VerifyToken } from './surfaces/public/authenticate.ts'
import { PUBLIC_OPERATIONS } from './surfaces/public/operations.ts'
import { DEADLINE_MS } from './surfaces/public/run.ts'
import { servePublicApi } from './surfaces/public/serve.ts'
import { tokenVerifier } from './surfaces/tokens.ts'
import { createWeb } from './surfaces/web.ts'

const FLUSH_MS = 5 * SECOND

export interface AppOptions {
  adminToken: string
  /** Holds every answer against its published schema; for tests. */
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
  /** Finishes what is in flight and stops; the database stays open. */
  stop(): Promise<void>
}

/** Puts the service together: every surface, the deliveries and the jobs, on one house. */
export function createApp(house: House, log: FastifyBaseLogger, options: AppOptions): App {
  const metrics = createMetrics()
  if (house.search.embeddings) metrics.watchEmbeddings(house.search.embeddings)
  metrics.watchDatabase(house.db)
  const uses = lastUsed(house.db)
  const deliveries = startDeliveries(house, metrics.webhookAttempt)
  const jobs = startJobs(house, jobsOf(house))
  const flushing = setInterval(() => {
    uses.flush().catch((error: unknown) => house.log.warn({ err: error }, 'last used: not written'))
  }, FLUSH_MS)

  const { app, web } = createWeb(house, log, {
    strict: options.strict ?? false,
    noteUse: uses.note,
    wakeDeliveries: deliveries.wake,
  })
  const drain = createDrain(app)
  metrics.observe(app)
  serveHealth(app, house, drain.isStopping)
  serveMetrics(
    app,
    metrics,
    [options.adminToken, house.settings.metricsToken].filter((token) => token !== undefined),
  )
  serveKeys(app, house)
  const requestLog = noteRequests(app, house)
  servePartnerApi(app, house, web)
  serveAssets(app)
  serveCasePages(app, house, web)
  serveAdminApi(app, house, web, options.adminToken, drain.signal)
  serveConsole(app, house, web)
  const operations = [...PUBLIC_OPERATIONS, ...(options.operations ?? [])]
  serveAccounts(app, house, web)
  servePortal(app, house, web)
  serveOAuth(app, house, web)
  const verify = tokenVerifier(house)
  const verifyToken: VerifyToken = async (token) =>
    (await options.verifyToken?.(token)) ?? (await verify(token))
  serveOpenApi(app, house, web, operations)
  const doors = {
    operations,
    verifyToken,
    strict: options.strict ?? false,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
  }
  servePublicApi(app, house, web, doors)
  serveMcp(app, house, web, doors)
  serveMarket(app, house, web, doors)
  serveLinks(app, house, web)
  serveCheckout(app, house, web)
  serveStripeWebhook(app, house, web)
  web.refuseOtherMethods()

  return {
    server: app,
    async stop() {
      clearInterval(flushing)
      await Promise.all([drain.close(house.settings.drainMs), jobs.stop(), deliveries.stop()])
      await Promise.all([uses.flush().catch(() => {}), requestLog.stop()])
    },
  }
}
