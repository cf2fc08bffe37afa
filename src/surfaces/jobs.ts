import type { Database } from '../kernel/database/dialect.ts'
import type { House } from '../kernel/house.ts'
import { purgeIdempotencyKeys } from '../kernel/idempotency.ts'
import type { Job } from '../kernel/jobs.ts'
import { purgeMails } from '../kernel/mail.ts'
import { purgeRateWindows } from '../kernel/rate-limits.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { purgeSessions } from '../modules/accounts/session.ts'
import { endOvertaken } from '../modules/brokerage/end-overtaken.ts'
import { purgeSiteChecks } from '../modules/brokerage/site-probe.ts'
import { advancePaymentsJob } from '../modules/checkout/pay.ts'
import { purgeHouseSessions } from '../modules/checkout/purge-sessions.ts'
import { advanceReplays } from '../modules/events/advance-replays.ts'
import { dropOfEndpointsOff } from '../modules/events/drop-waiting.ts'
import { purgeDeliveries } from '../modules/events/purge-deliveries.ts'
import { renewAutomatically } from '../modules/holdings/auto-renew.ts'
import { advanceCharges } from '../modules/holdings/collect.ts'
import { expireDomains } from '../modules/holdings/expire.ts'
import { readLabels } from '../modules/inventory/read-labels.ts'
import { workImports } from '../modules/inventory/work-imports.ts'
import { purgeGrants } from '../modules/oauth/access.ts'
import { purgeClients } from '../modules/oauth/client.ts'
import { settlePendingCards } from '../modules/payments/save-card.ts'
import { monthlyPayouts } from '../modules/payouts/make-payouts.ts'
import { purgeVisitors } from '../modules/referrals/click.ts'
import { purgeRegistryAnswers } from '../modules/registry/answer-cache.ts'
import { refreshRdapBootstrap } from '../modules/registry/rdap-bootstrap.ts'
import { purgeRequests } from '../modules/request-log/request-log.ts'
import { monthlySettlement } from '../modules/settlements/run-settlement.ts'
import { purgeNonces } from './partner/admission.ts'

/** Everything that the clock starts, whatever is set. */
const JOBS: Job[] = [
  purging('purge_nonces', MINUTE, purgeNonces),
  purging('purge_idempotency_keys', HOUR, purgeIdempotencyKeys),
  purging('purge_rate_windows', HOUR, purgeRateWindows),
  purging('purge_deliveries', HOUR, purgeDeliveries),
  purging('purge_house_sessions', HOUR, purgeHouseSessions),
  purging('purge_registry_answers', HOUR, purgeRegistryAnswers),
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
  {
    name: 'send_mails',
    everyMs: 2 * SECOND,
    asksOthers: true,
    run: ({ mail }, signal) => mail.deliver(signal),
  },
  purging('purge_mails', HOUR, purgeMails),
  purging('purge_sign_ins', HOUR, async (db, now, signal) => {
    await purgeSessions(db, now, signal)
    await purgeGrants(db, now, signal)
    await purgeClients(db, now, signal)
  }),
  refreshRdapBootstrap,
  purging('purge_referral_visitors', HOUR, purgeVisitors),
  monthlySettlement,
  readLabels,
  workImports,
  monthlyPayouts,
  advancePaymentsJob,
  settlePendingCards,
  advanceCharges,
  renewAutomatically,
  expireDomains,
]

/** Removes what has had its time. */
function purging(
  name: string,
  everyMs: number,
  purge: (db: Database, now: Date, signal: AbortSignal) => Promise<void>,
): Job {
  return { name, everyMs, run: ({ db, clock }, signal) => purge(db, clock.now(), signal) }
}

/** What the clock starts in this house. */
export function jobsOf({ search: { embeddings } }: House): Job[] {
  if (!embeddings) return JOBS
  return [
    ...JOBS,
    {
      name: 'embed_labels',
      everyMs: 2 * SECOND,
      asksOthers: true,
      run: (_house, signal) => embeddings.embedLabels(signal),
    },
  ]
}
