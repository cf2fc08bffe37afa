import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { iso, timestamp } from '../../core/fields.ts'
import { runSoon } from '../../core/jobs.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'

/** What the clock starts: when each job ran last, how that ended, and when it is due. */
export const listJobs = adminRead({
  name: 'list_jobs',
  roles: READERS,
  summary: 'List the jobs that the clock starts, with their last runs',
  method: 'GET',
  path: '/jobs',
  input: z.object({}),
  output: z.object({
    jobs: z.array(
      z.object({
        name: z.string(),
        running: z.boolean(),
        due_at: timestamp,
        /** Of the last run; null before the first. */
        started_at: timestamp.nullable(),
        finished_at: timestamp.nullable(),
        duration_ms: z.int().nullable(),
        /** What the last run failed with; null when it succeeded. */
        error: z.string().nullable(),
      }),
    ),
  }),
  status: 200,
  errors: [],
  async handler({ db, now }) {
    const rows = await db.selectFrom('scheduled_jobs').selectAll().orderBy('name').execute()
    return {
      jobs: rows.map((row) => ({
        name: row.name,
        running: row.leased_until !== null && row.leased_until > now,
        due_at: iso(row.due_at),
        started_at: iso(row.started_at),
        finished_at: iso(row.finished_at),
        duration_ms: row.duration_ms,
        error: row.error,
      })),
    }
  },
})

/** Has a job run at once, beside its schedule; asking twice makes it run once. */
export const runJob = adminWrite({
  name: 'run_job',
  roles: ADMINS,
  summary: 'Run a job now',
  method: 'POST',
  path: '/jobs/{name}/run',
  input: z.object({ name: z.string() }),
  output: z.object({ name: z.string() }),
  status: 202,
  errors: ['not_found'],
  async handler({ tx, now }, { name }) {
    if (!(await runSoon(tx, now, name))) throw notFound('job')
    return { name }
  },
})
