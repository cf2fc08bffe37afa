import type { AppContext } from '../../core/context.ts'
import { describeCheck } from '../../domain/search/check-model.ts'
import { listJobs, runJob } from '../../http/admin/schedule.ts'
import { time } from '../components/columns.tsx'
import { At, Badge, Facts } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action } from './page.ts'
import { Do, Group } from './parts.tsx'

type Job = Awaited<ReturnType<typeof listJobs.handler>>['jobs'][number]

/** What the service does by the clock. */
export const jobs = listPage({
  path: '/operator/jobs',
  title: 'Jobs',
  waiting: (counts) => counts.jobs_failed,
  actions: [action({ operation: runJob, done: ({ name }) => `${name} starts within seconds.` })],
  operation: listJobs,
  rows: 'jobs',
  empty: ['No jobs yet'],
  above: ({ app }) => (
    <Facts
      facts={[
        ['Database', app.server.kind === 'embedded' ? 'embedded' : 'PostgreSQL'],
        ['Registries', app.settings.registry],
        ...embeddingFacts(app),
        ['Health', <a href="/health/ready">/health/ready</a>],
      ]}
    />
  ),
  columns: () => [
    { label: 'Job', cell: ({ name }) => name.replaceAll('_', ' ') },
    { label: 'Last run', cell: (job) => <Outcome job={job} /> },
    time('Finished', 'finished_at', 'never'),
    {
      label: 'Duration',
      align: 'end',
      cell: ({ duration_ms }) => (duration_ms === null ? '–' : durationText(duration_ms)),
    },
    {
      label: 'Next run',
      cell: ({ due_at, running }) => (running ? 'now' : <At at={due_at} />),
    },
    {
      label: '',
      cell: ({ name }) => <Do does={runJob} fields={{ name }} label="Run now" about={name} />,
    },
  ],
})

/** Whether the embedding model that is set is used, and why. */
function embeddingFacts({ search: { embeddings } }: AppContext): [string, string][] {
  if (!embeddings) return []
  const check = embeddings.check()
  const says = check
    ? describeCheck(embeddings.model, check)
    : `${embeddings.model} is not checked yet`
  return [['Embeddings', says]]
}

function Outcome({ job: { running, finished_at, error } }: { job: Job }) {
  if (running) return <Badge tone="info" text="running" />
  if (finished_at === null) return <Badge text="not run yet" />
  if (error === null) return <Badge tone="good" text="done" />
  return (
    <Group>
      <Badge tone="bad" text="failed" /> <span class="soft">{error}</span>
    </Group>
  )
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}
