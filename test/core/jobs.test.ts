import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Job, startJobs } from '../../src/core/jobs.ts'
import { eventually } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

const LEASE_MS = 15_000

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function leaseOf(name: string) {
  return await service.app.db
    .selectFrom('scheduled_jobs')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
}

test('a job whose instance died is taken over when its lease of 15 s ends, not before', async () => {
  let runs = 0
  const job: Job = {
    name: 'left_behind',
    everyMs: 1_000_000,
    run: async () => {
      runs += 1
    },
  }
  const now = service.clock.now()
  await service.app.db
    .insertInto('scheduled_jobs')
    .values({
      name: job.name,
      due_at: now,
      lease: 'of the dead',
      leased_until: new Date(now.getTime() + LEASE_MS),
    })
    .execute()
  const jobs = startJobs(service.app, [job])
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(runs).toBe(0)
  service.clock.advance(LEASE_MS)
  await eventually(() => runs === 1)
  await jobs.stop()
})

test('a job that was taken over while it ran leaves the lease to whoever has it now', async () => {
  let isRunning = false
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const job: Job = {
    name: 'taken_over',
    everyMs: 1_000_000,
    run: async () => {
      isRunning = true
      await ended
    },
  }
  const jobs = startJobs(service.app, [job])
  await eventually(() => isRunning)
  await service.app.db
    .updateTable('scheduled_jobs')
    .set({ lease: 'of another' })
    .where('name', '=', job.name)
    .execute()
  end()
  await jobs.stop()
  expect(await leaseOf(job.name)).toMatchObject({ lease: 'of another', finished_at: null })
})

test('jobs that run for long keep their leases, and so does what waits behind them', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const jobs: Job[] = [
    ...['a_long_one', 'a_second', 'a_third', 'a_fourth'].map((name) => ({
      name,
      everyMs: 1_000_000,
      run: () => ended,
    })),
    { name: 'b_waiting', everyMs: 1_000_000, run: async () => {} },
  ]
  const running = startJobs(service.app, jobs)
  await eventually(async () => (await leaseOf('a_long_one'))?.lease != null)
  const first = await leaseOf('a_long_one')
  await eventually(async () => {
    const all = await Promise.all(jobs.map(({ name }) => leaseOf(name)))
    return all.every((row) => Number(row?.leased_until) > Number(first?.leased_until))
  }, 9_000)
  end()
  await eventually(async () => (await leaseOf('b_waiting'))?.finished_at != null)
  expect((await leaseOf('a_long_one'))?.lease).toBeNull()
  await running.stop()
})

test('a job that runs for long holds up no other', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let runs = 0
  const running = startJobs(service.app, [
    { name: 'c_stuck', everyMs: 1_000_000, run: () => ended },
    {
      name: 'd_quick',
      everyMs: 1,
      run: async () => {
        runs += 1
        service.clock.advance(10)
      },
    },
  ])
  await eventually(() => runs >= 2)
  end()
  await running.stop()
})

test('however many wait for others who are slow, what works here has its turn', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let runs = 0
  const asking = Array.from(
    { length: 6 },
    (_, index): Job => ({
      name: `e_asking_${index}`,
      everyMs: 1_000_000,
      queriesUpstream: true,
      run: () => ended,
    }),
  )
  const running = startJobs(service.app, [
    ...asking,
    {
      name: 'f_works',
      everyMs: 1_000_000,
      run: async () => {
        runs += 1
      },
    },
  ])
  await eventually(() => runs === 1)
  end()
  await running.stop()
})

test('a job that ran while the clock went on by more than its time runs again at once', async () => {
  let runs = 0
  const job: Job = {
    name: 'slept_through',
    everyMs: 60_000,
    run: async () => {
      runs += 1
      if (runs === 1) service.clock.advance(86_400_000)
    },
  }
  const jobs = startJobs(service.app, [job])
  await eventually(() => runs === 2)
  await jobs.stop()
})
