import { listAuditEntries } from '../../domain/audit/list-audit-entries.ts'
import { text, time } from '../components/columns.tsx'
import { Badge, Id } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { Group } from './parts.tsx'

type Entry = Awaited<ReturnType<typeof listAuditEntries.handler>>['entries'][number]

/** Everything that operators did, or tried to do. */
export const audit = listPage({
  path: '/operator/audit',
  title: 'Audit log',
  lead: 'Every action of an operator, in this console, on the command line or through the API. Entries cannot be changed.',
  operation: listAuditEntries,
  rows: 'entries',
  filters: {
    actor: 'Operator',
    operation: { label: 'Operation', placeholder: 'run_settlement' },
    subject: { label: 'Subject ID', placeholder: 'ord_…' },
    refused: { label: 'Outcome', choices: { false: 'done', true: 'rejected' } },
  },
  empty: ['No actions yet'],
  columns: () => [
    time('Time', 'at'),
    text('Operator', 'actor'),
    { label: 'Action', cell: actionOf },
    {
      label: 'Subject',
      cell: ({ subject }) => {
        const to = pageOf(subject)
        if (subject === null) return '–'
        return <Id id={subject} {...(to !== null && { href: to })} />
      },
    },
    {
      label: 'Outcome',
      cell: ({ outcome, message }) =>
        outcome === 'done' ? (
          <Badge tone="good" text="done" />
        ) : (
          <Group>
            <Badge tone="warn" text={outcome} /> <span class="soft">{message}</span>
          </Group>
        ),
    },
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
  ],
})

/** The operation in words, and of those with moves the move. */
function actionOf({ operation, input }: Entry): string {
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
