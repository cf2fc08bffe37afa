import type { AppContext } from '../core/context.ts'
import { purgeIdempotencyKeys } from '../core/idempotency.ts'
import type { Job } from '../core/jobs.ts'
import { purgeMails } from '../core/mail.ts'
import { purgeRateWindows } from '../core/rate-limits.ts'
import type { Database } from '../db/dialect.ts'
import { purgeSignIns } from '../domain/accounts/session.ts'
import { purgeAlerts, tellAlerts } from '../domain/alerts/tell-alerts.ts'
import { endOvertaken } from '../domain/brokerage/end-overtaken.ts'
import { purgeSiteChecks } from '../domain/brokerage/site-probe.ts'
import { advancePaymentsJob } from '../domain/checkout/pay.ts'
import { purgeMarketplaceSessions } from '../domain/checkout/purge-sessions.ts'
import { sendGoodwill } from '../domain/checkout/send-goodwill.ts'
import { renewAutomatically } from '../domain/domains/auto-renew.ts'
import { checkClaims } from '../domain/domains/check-claims.ts'
import { advanceCharges } from '../domain/domains/collect.ts'
import { expireDomains } from '../domain/domains/expire.ts'
import { advanceReplays } from '../domain/events/advance-replays.ts'
import { dropOfEndpointsOff } from '../domain/events/drop-waiting.ts'
import { purgeDeliveries } from '../domain/events/purge-deliveries.ts'
import { purgeImports } from '../domain/listings/listing-import.ts'
import { purgeNameDays } from '../domain/listings/name-days.ts'
import { readLabels } from '../domain/listings/read-labels.ts'
import { purgeWatches } from '../domain/listings/watch.ts'
import { workImports } from '../domain/listings/work-imports.ts'
import { purgeGrants } from '../domain/oauth/access.ts'
import { purgeClients } from '../domain/oauth/client.ts'
import { endOffers } from '../domain/offers/end-offers.ts'
import { checkTransfers } from '../domain/orders/check-transfers.ts'
import { issueReceipts } from '../domain/orders/delivery-receipt.ts'
import { releaseFound } from '../domain/orders/release-found.ts'
import { remindSellers } from '../domain/orders/remind-sellers.ts'
import { tellListingChanges } from '../domain/orders/tell-changes.ts'
import { lookUpPayees } from '../domain/payees/connect-payee.ts'
import { forgetErasedCards, settlePendingCards } from '../domain/payments/save-card.ts'
import { monthlyPayouts } from '../domain/payouts/make-payouts.ts'
import { workTransfers } from '../domain/payouts/send-payouts.ts'
import { purgeVisitors } from '../domain/referrals/click.ts'
import { pollRegistrars } from '../domain/registrars/poll-registrars.ts'
import { publishForSale } from '../domain/registrars/publish-for-sale.ts'
import { workOperations } from '../domain/registrars/work-operations.ts'
import { workSyncs } from '../domain/registrars/work-syncs.ts'
import { refreshRdapBootstrap } from '../domain/registry/rdap-bootstrap.ts'
import { purgeRegistryCache } from '../domain/registry/result-cache.ts'
import { purgeRequests } from '../domain/request-log/request-log.ts'
import { remindOverdue } from '../domain/settlements/overdue.ts'
import { monthlySettlement } from '../domain/settlements/run-settlement.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { purgeNonces } from './partner/admission.ts'
import { FINISHERS, observeDomain, onTransfer } from './registrar-finishers.ts'

/** Everything that the clock starts, whatever is set. */
const JOBS: Job[] = [
  purging('purge_nonces', MINUTE, purgeNonces),
  purging('purge_idempotency_keys', HOUR, purgeIdempotencyKeys),
  purging('purge_rate_windows', HOUR, purgeRateWindows),
  purging('purge_deliveries', HOUR, purgeDeliveries),
  purging('purge_marketplace_sessions', HOUR, purgeMarketplaceSessions),
  purging('purge_registry_answers', HOUR, purgeRegistryCache),
  purging('purge_site_checks', HOUR, purgeSiteChecks),
  {
    name: 'purge_requests',
    everyMs: HOUR,
    run: ({ db, clock, settings }, signal) =>
      purgeRequests(db, clock.now(), settings.requestLogDays, signal),
  },
  advanceReplays,
  dropOfEndpointsOff,
  endOvertaken,
  endOffers,
  {
    name: 'send_mails',
    everyMs: 2 * SECOND,
    queriesUpstream: true,
    run: ({ mail }, signal) => mail.deliver(signal),
  },
  purging('purge_mails', HOUR, purgeMails),
  purging('purge_sign_ins', HOUR, async (db, now, signal) => {
    await purgeSignIns(db, now, signal)
    await purgeGrants(db, now, signal)
    await purgeClients(db, now, signal)
  }),
  refreshRdapBootstrap,
  purging('purge_referral_visitors', HOUR, purgeVisitors),
  monthlySettlement,
  remindOverdue,
  remindSellers,
  readLabels,
  workImports,
  monthlyPayouts,
  workTransfers,
  lookUpPayees,
  advancePaymentsJob,
  sendGoodwill,
  settlePendingCards,
  forgetErasedCards,
  advanceCharges,
  renewAutomatically,
  expireDomains,
  workOperations(FINISHERS),
  workSyncs(observeDomain),
  pollRegistrars(onTransfer),
  publishForSale,
  checkTransfers,
  releaseFound,
  issueReceipts,
  tellListingChanges,
  tellAlerts,
  purging('purge_alerts', HOUR, purgeAlerts),
  purging('purge_listing_watches', HOUR, async (db, now, signal) => {
    await purgeWatches(db, now, signal)
    await purgeImports(db, now, signal)
  }),
  purging('purge_name_days', HOUR, purgeNameDays),
  checkClaims,
]

export const JOB_NAMES: readonly string[] = JOBS.map(({ name }) => name)

/** Removes what has had its time. */
function purging(
  name: string,
  everyMs: number,
  purge: (db: Database, now: Date, signal: AbortSignal) => Promise<void>,
): Job {
  return { name, everyMs, run: ({ db, clock }, signal) => purge(db, clock.now(), signal) }
}

/** What the clock starts in this service. */
export function jobsOf({ search: { embeddings } }: AppContext): Job[] {
  if (!embeddings) return JOBS
  return [
    ...JOBS,
    {
      name: 'embed_labels',
      everyMs: 2 * SECOND,
      queriesUpstream: true,
      run: (_app, signal) => embeddings.embedLabels(signal),
    },
  ]
}
