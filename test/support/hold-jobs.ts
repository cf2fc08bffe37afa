import { expect, vi } from 'vitest'
import type { Job } from '../../src/core/jobs.ts'
import type { TestService } from './service.ts'

const HELD = { lease: 'the test', leased_until: new Date('2999-01-01') }

/**
 * Keeps the clock from running these jobs, so that a test that runs them itself is alone with them. A run that is under
 * way has ended afterwards. Returns what lets them go.
 */
export async function holdJobs(
  { app }: TestService,
  ...jobs: Pick<Job, 'name'>[]
): Promise<() => Promise<void>> {
  for (const { name } of jobs) {
    const take = async () => {
      const taken = await app.db
        .insertInto('scheduled_jobs')
        .values({ name, due_at: app.clock.now(), ...HELD })
        .onConflict((known) =>
          known.column('name').doUpdateSet(HELD).where('scheduled_jobs.lease', 'is', null),
        )
        .returning('name')
        .execute()
      expect(taken, `${name} is under way`).toHaveLength(1)
    }
    await vi.waitFor(take, { timeout: 20_000 })
  }
  return async () => {
    await app.db
      .updateTable('scheduled_jobs')
      .set({ lease: null, leased_until: null })
      .where('lease', '=', HELD.lease)
      .execute()
  }
}
