import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import { after, SECOND } from '../lib/clock.ts'
import { inSpan } from '../lib/tracing.ts'
import type { AppContext } from './context.ts'
import type { Tx } from './operation.ts'

/** Work that the clock starts, on one instance at a time; one that takes its time holds up no other. */
export interface Job {
  name: string
  everyMs: number
  /** It waits for others most of the time, who may all be slow at once: it takes no place from what works here. */
  queriesUpstream?: true
  /** The signal says that the service is stopping. */
  run(app: AppContext, signal: AbortSignal): Promise<void>
}

const TICK_MS = SECOND
const AT_ONCE = 4
/**
 * How soon another instance takes over from one that died. While a job runs its lease is renewed; an
 * instance that is suspended loses the lease and may go on later, so every job must bear being run by two.
 */
const LEASE_MS = 15 * SECOND
const RENEW_MS = 5 * SECOND
const RETRY_MS = 30 * SECOND

/** Runs each job when it is due. What is due is read from the one clock at every tick. */
export function startJobs(app: AppContext, jobs: Job[]): { stop(): Promise<void> } {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  const stopping = new AbortController()
  const { signal } = stopping
  // A job may have any number of requests under way, which all listen to it.
  setMaxListeners(0, signal)
  const slots = pLimit(AT_ONCE)
  const underWay = new Set<Promise<void>>()
  let isAnnounced = false
  let timer: NodeJS.Timeout | undefined
  let ticking = tick()

  async function tick(): Promise<void> {
    if (signal.aborted) return
    try {
      if (!isAnnounced) await announce(app, jobs)
      isAnnounced = true
      const lease = randomUUID()
      const names = await claimDue(app, lease, [...byName.keys()])
      if (names.length > 0) track(runAll(lease, names))
    } catch (error) {
      app.log.warn({ err: error }, 'jobs: cannot reach the schedule')
    }
    timer = setTimeout(() => {
      ticking = tick()
    }, TICK_MS)
  }

  function track(work: Promise<void>): void {
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
  }

  /** Their lease is renewed until all have run, those that wait for a slot with the others. */
  async function runAll(lease: string, names: string[]): Promise<void> {
    const renewing = setInterval(() => {
      renew(app, lease).catch((error: unknown) => {
        app.log.warn({ err: error }, 'jobs: a lease was not renewed')
      })
    }, RENEW_MS)
    const runs = names.map((name) =>
      byName.get(name)?.queriesUpstream ? run(lease, name) : slots(() => run(lease, name)),
    )
    await Promise.all(runs)
    clearInterval(renewing)
  }

  async function run(lease: string, name: string): Promise<void> {
    const job = byName.get(name)
    try {
      if (signal.aborted) await giveBack(app, lease, name)
      else if (job) await runClaimed(app, job, lease, signal)
    } catch (error) {
      app.log.warn({ err: error, job: name }, 'jobs: cannot reach the schedule')
    }
  }

  return {
    async stop() {
      stopping.abort()
      await ticking
      clearTimeout(timer)
      await Promise.all(underWay)
    },
  }
}

async function announce({ db, clock }: AppContext, jobs: Job[]): Promise<void> {
  await db
    .insertInto('scheduled_jobs')
    .values(jobs.map(({ name }) => ({ name, due_at: clock.now() })))
    .onConflict((known) => known.doNothing())
    .execute()
}

/** Only what this instance has: another may be set up with more. */
async function claimDue(
  { db, clock }: AppContext,
  lease: string,
  names: string[],
): Promise<string[]> {
  const now = clock.now()
  const claimed = await db
    .updateTable('scheduled_jobs')
    .set({ lease, leased_until: after(now, LEASE_MS) })
    .where('name', 'in', names)
    .where('due_at', '<=', now)
    .where((row) => row.or([row('leased_until', 'is', null), row('leased_until', '<=', now)]))
    .returning('name')
    .execute()
  return claimed.map(({ name }) => name)
}

/** Of those that run and those that wait behind them; what has ended has no lease any more. */
async function renew({ db, clock }: AppContext, lease: string): Promise<void> {
  await db
    .updateTable('scheduled_jobs')
    .set({ leased_until: after(clock.now(), LEASE_MS) })
    .where('lease', '=', lease)
    .execute()
}

/** Of a job that has not begun: another instance may have it at once. */
async function giveBack({ db }: AppContext, lease: string, name: string): Promise<void> {
  await db
    .updateTable('scheduled_jobs')
    .set({ lease: null, leased_until: null })
    .where('name', '=', name)
    .where('lease', '=', lease)
    .execute()
}

async function runClaimed(
  app: AppContext,
  job: Job,
  lease: string,
  signal: AbortSignal,
): Promise<void> {
  const started_at = app.clock.now()
  const begun = performance.now()
  let problem: unknown
  try {
    await inSpan(`job ${job.name}`, {}, () => job.run(app, signal))
  } catch (error) {
    problem = error
    app.log.error({ err: error, job: job.name }, 'jobs: a job failed')
  }
  const now = app.clock.now()
  const waitMs = problem === undefined ? job.everyMs : Math.min(RETRY_MS, job.everyMs)
  // From its start, since it has not seen what became due meanwhile; but a job that takes long rests a second.
  const next = after(started_at, waitMs)
  const soonest = after(now, Math.min(waitMs, SECOND))
  await app.db
    .updateTable('scheduled_jobs')
    .set({
      due_at: next > soonest ? next : soonest,
      lease: null,
      leased_until: null,
      started_at,
      finished_at: now,
      duration_ms: Math.round(performance.now() - begun),
      error: problem === undefined ? null : problem instanceof Error ? problem.message : 'failed',
    })
    .where('name', '=', job.name)
    .where('lease', '=', lease)
    .execute()
}

/** Has a job run with the next tick of whichever instance is first; false when there is none of this name. */
export async function runSoon(tx: Tx, now: Date, name: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('scheduled_jobs')
    .set((job) => ({ due_at: job.fn<Date>('least', ['due_at', job.val(now)]) }))
    .where('name', '=', name)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
