import type { House } from '../kernel/house.ts'
import { purgeIdempotencyKeys } from '../kernel/idempotency.ts'
import type { Job } from '../kernel/jobs.ts'
import { purgeRateWindows } from '../kernel/rate-limits.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { purgeDeliveries } from '../modules/events/purge-deliveries.ts'
import { readLabels } from '../modules/inventory/read-labels.ts'
import { purgeRegistryAnswers } from '../modules/registry/answer-cache.ts'
import { refreshRdapBootstrap } from '../modules/registry/rdap-bootstrap.ts'
import { monthlySettlement } from '../modules/settlements/run-settlement.ts'
import { purgeNonces } from './partner/admission.ts'

/** Everything that the clock starts, whatever is set. */
const JOBS: Job[] = [
  {
    name: 'purge_nonces',
    everyMs: MINUTE,
    run: ({ db, clock }) => purgeNonces(db, clock.now()),
  },
  {
    name: 'purge_idempotency_keys',
    everyMs: HOUR,
    run: ({ db, clock }) => purgeIdempotencyKeys(db, clock.now()),
  },
  {
    name: 'purge_rate_windows',
    everyMs: HOUR,
    run: ({ db, clock }) => purgeRateWindows(db, clock.now()),
  },
  {
    name: 'purge_deliveries',
    everyMs: HOUR,
    run: ({ db, clock }) => purgeDeliveries(db, clock.now()),
  },
  {
    name: 'purge_registry_answers',
    everyMs: HOUR,
    run: ({ db, clock }) => purgeRegistryAnswers(db, clock.now()),
  },
  refreshRdapBootstrap,
  monthlySettlement,
  readLabels,
]

/** What the clock starts in this house. */
export function jobsOf({ search: { embeddings } }: House): Job[] {
  if (!embeddings) return JOBS
  return [
    ...JOBS,
    {
      name: 'embed_labels',
      everyMs: 2 * SECOND,
      run: (_house, signal) => embeddings.embedLabels(signal),
    },
  ]
}
