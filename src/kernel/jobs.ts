import { randomUUID } from 'node:crypto'
import { after, MINUTE, SECOND } from '../lib/clock.ts'
import type { House } from './house.ts'

/** Work that the clock starts, on one instance at a time. */
export interface Job {
  name: string
  everyMs: number
  /** The signal says that the service is stopping. */
  run(house: House, signal: AbortSignal): Promise<void>
}

const TICK_MS = SECOND
/** A job that runs longer may be started by another instance too, so each must bear that. */
const LEASE_MS = 10 * MINUTE
const RETRY_MS = 30 * SECOND

/** Runs each job when it is due. What is due is read from the one clock at every tick. */
export function startJobs(house: House, jobs: Job[]): { stop(): Promise<void> } {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running = announce(house, jobs).then(tick, tick)

  async function tick(): Promise<void> {
    if (stopping.signal.aborted) return
    try {
      for (const { name, lease } of await claimDue(house, [...byName.keys()])) {
        const job = byName.get(name)
        if (job) await runClaimed(house, job, lease, stopping.signal)
      }
    } catch (error) {
      house.log.warn({ err: error }, 'jobs: cannot reach the schedule')
    }
    timer = setTimeout(() => {
      running = tick()
    }, TICK_MS)
  }

  return {
    async stop() {
      stopping.abort()
      await running
      clearTimeout(timer)
    },
  }
}

async function announce({ db, clock }: House, jobs: Job[]): Promise<void> {
  await db
    .insertInto('scheduled_jobs')
    .values(jobs.map(({ name }) => ({ name, due_at: clock.now() })))
    .onConflict((known) => known.doNothing())
    .execute()
}

/** Only what this instance has: another may be set up with more. */
async function claimDue(
  { db, clock }: House,
  names: string[],
): Promise<{ name: string; lease: string }[]> {
  const now = clock.now()
  const claimed = await db
    .updateTable('scheduled_jobs')
    .set({ lease: randomUUID(), leased_until: after(now, LEASE_MS) })
    .where('name', 'in', names)
    .where('due_at', '<=', now)
    .where((row) => row.or([row('leased_until', 'is', null), row('leased_until', '<=', now)]))
    .returning(['name', 'lease'])
    .execute()
  return claimed.map(({ name, lease }) => ({ name, lease: lease ?? '' }))
}

async function runClaimed(
  house: House,
  job: Job,
  lease: string,
  signal: AbortSignal,
): Promise<void> {
  let problem: unknown
  try {
    await job.run(house, signal)
  } catch (error) {
    problem = error
    house.log.error({ err: error, job: job.name }, 'jobs: a job failed')
  }
  const now = house.clock.now()
  await house.db
    .updateTable('scheduled_jobs')
    .set({
      due_at: after(now, problem === undefined ? job.everyMs : Math.min(RETRY_MS, job.everyMs)),
      lease: null,
      leased_until: null,
      finished_at: now,
      error: problem === undefined ? null : problem instanceof Error ? problem.message : 'failed',
    })
    .where('name', '=', job.name)
    .where('lease', '=', lease)
    .execute()
}
