import { listAuditEntries } from '../../modules/audit/list-audit-entries.ts'
import { listMails } from '../../modules/mails/list-mails.ts'
import { listJobs } from '../admin/schedule.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { RowText } from '../pages/name.tsx'
import { Badge, Empty, Facts, Heading } from '../pages/parts.tsx'
import type { Desk } from './desk.tsx'
import { At, Do, Group, Kept } from './parts.tsx'

type Job = Awaited<ReturnType<typeof listJobs.handler>>['jobs'][number]
type Entry = Awaited<ReturnType<typeof listAuditEntries.handler>>['entries'][number]

/** How the service itself does: mails, jobs, and who did what. */
export function housePages(desk: Desk): void {
  desk.page('/operator/mails', async (look) => {
    const path = '/operator/mails'
    const { to, cursor } = look.query
    const { mails, next_cursor } = await look.read(listMails, { to, cursor })
    return {
      title: 'Mails',
      at: path,
      body: (
        <>
          <Heading title="Mails" />
          {look.house.settings.smtpUrl === undefined && (
            <p class="notice warn" role="status">
              No mail server is set: mails stay here and reach nobody. Set SMTP_URL to send them.
            </p>
          )}
          <Filters path={path} isSet={to !== undefined}>
            <Kept look={look} />
            <Field label="To" name="to" type="search" value={to} />
          </Filters>
          <Table
            caption="Mails"
            rows={mails}
            columns={[
              {
                label: 'Subject',
                cell: ({ subject, text }) =>
                  text === null ? (
                    subject
                  ) : (
                    <details>
                      <summary>{subject}</summary>
                      <pre class="said">{text}</pre>
                    </details>
                  ),
              },
              { label: 'To', cell: (mail) => <RowText text={mail.to} /> },
              {
                label: 'State',
                cell: ({ sent_at, error, attempts }) =>
                  sent_at !== null ? (
                    <Badge tone="good" text="sent" />
                  ) : error === null ? (
                    <Badge text="kept" />
                  ) : (
                    <Group>
                      <Badge tone="bad" text={`failed ${attempts} times`} />
                      <span class="soft">{error}</span>
                    </Group>
                  ),
              },
              { label: 'Written', cell: ({ created_at }) => <At at={created_at} /> },
            ]}
            empty={<Empty title="No mail">Mails are kept for 30 days.</Empty>}
          />
          <Pager path={path} query={look.query} next={next_cursor} />
        </>
      ),
    }
  })

  desk.page('/operator/jobs', async (look) => {
    const { jobs } = await look.read(listJobs)
    return {
      title: 'Jobs',
      at: '/operator/jobs',
      body: (
        <>
          <Heading title="Jobs" />
          <Facts
            facts={[
              ['Database', look.house.server.kind === 'embedded' ? 'embedded' : 'PostgreSQL'],
              ['Registries', look.house.settings.registry],
              ['Health', <a href="/health/ready">/health/ready</a>],
            ]}
          />
          <Table
            caption="Jobs that the clock starts"
            rows={jobs}
            columns={[
              { label: 'Job', cell: ({ name }) => name.replaceAll('_', ' ') },
              { label: 'Last run', cell: (job) => <Outcome job={job} /> },
              { label: 'Ended', cell: ({ finished_at }) => <At at={finished_at} none="never" /> },
              {
                label: 'Took',
                align: 'end',
                cell: ({ duration_ms }) => (duration_ms === null ? '–' : took(duration_ms)),
              },
              {
                label: 'Next',
                cell: ({ due_at, running }) => (running ? 'now' : <At at={due_at} />),
              },
              {
                label: 'Run',
                cell: ({ name }) => (
                  <Do does="run_job" fields={{ name }} label="Run now" about={name} />
                ),
              },
            ]}
            empty={<Empty title="No job has been set up yet" />}
          />
        </>
      ),
    }
  })

  desk.page('/operator/audit', async (look) => {
    const path = '/operator/audit'
    const { actor, operation, subject, refused, cursor } = look.query
    const filters = { actor, operation, subject, refused }
    const { entries, next_cursor } = await look.read(listAuditEntries, { ...filters, cursor })
    const isSet = Object.values(filters).some((filter) => filter !== undefined)
    return {
      title: 'Audit log',
      at: path,
      body: (
        <>
          <Heading title="Audit log" />
          <p class="lead">
            Every act of an operator, by these pages, the command line or the API. Nothing here can
            be changed.
          </p>
          <Filters path={path} isSet={isSet}>
            <Kept look={look} />
            <Field label="Who" name="actor" value={actor} />
            <Field
              label="Operation"
              name="operation"
              value={operation}
              placeholder="run_settlement"
            />
            <Field label="What it was about" name="subject" value={subject} placeholder="ord_…" />
            <Select
              label="Outcome"
              name="refused"
              value={refused}
              options={[
                ['', 'Any'],
                ['false', 'done'],
                ['true', 'refused'],
              ]}
            />
          </Filters>
          <Table
            caption="Acts of operators"
            rows={entries}
            columns={[
              { label: 'When', cell: ({ at }) => <At at={at} /> },
              { label: 'Who', cell: (entry) => <RowText text={entry.actor} /> },
              { label: 'Did', cell: didOf },
              {
                label: 'About',
                cell: (entry) => {
                  const to = pageOf(entry.subject)
                  if (entry.subject === null) return '–'
                  return to === null ? (
                    <code>{entry.subject}</code>
                  ) : (
                    <a href={to}>{entry.subject}</a>
                  )
                },
              },
              { label: 'Outcome', cell: (entry) => <EntryOutcome entry={entry} /> },
              {
                label: 'Details',
                cell: ({ input, request_id }) => (
                  <details class="answer">
                    <summary>Show</summary>
                    <pre>
                      <code>{JSON.stringify(input, null, 2)}</code>
                    </pre>
                    <span class="soft">{request_id}</span>
                  </details>
                ),
              },
            ]}
            empty={<Empty title={isSet ? 'No entry fits' : 'Nobody has done anything yet'} />}
          />
          <Pager path={path} query={look.query} next={next_cursor} />
        </>
      ),
    }
  })
}

function Outcome({ job: { running, finished_at, error } }: { job: Job }) {
  if (running) return <Badge tone="info" text="running" />
  if (finished_at === null) return <Badge text="not yet run" />
  if (error === null) return <Badge tone="good" text="done" />
  return (
    <Group>
      <Badge tone="bad" text="failed" /> <span class="soft">{error}</span>
    </Group>
  )
}

function EntryOutcome({ entry: { outcome, message } }: { entry: Entry }) {
  if (outcome === 'done') return <Badge tone="good" text="done" />
  return (
    <Group>
      <Badge tone="warn" text={outcome} /> <span class="soft">{message}</span>
    </Group>
  )
}

/** The operation in words, and of those with moves the move. */
function didOf({ operation, input }: Entry): string {
  const name = operation.replaceAll('_', ' ')
  return typeof input.move === 'string' ? `${name}: ${input.move}` : name
}

const PAGES: Record<string, string> = {
  ord: 'orders',
  case: 'cases',
  prt: 'partners',
  usr: 'users',
  stl: 'settlements',
  imp: 'imports',
}

function pageOf(subject: string | null): string | null {
  const page = PAGES[/^([a-z]+)_[0-9a-z]{26}$/.exec(subject ?? '')?.[1] ?? '']
  return page === undefined ? null : `/operator/${page}/${subject}`
}

function took(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}
