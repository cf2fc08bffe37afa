import { listMails } from '../../domain/mails/list-mails.ts'
import { text, time } from '../components/columns.tsx'
import { Badge, Notice } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { Group } from './parts.tsx'

/** What the service has sent, or could not send. */
export const mails = listPage({
  path: '/operator/mails',
  title: 'Mails',
  waiting: (counts) => counts.mails_stuck,
  operation: listMails,
  rows: 'mails',
  views: {
    '': { label: 'All', input: {} },
    failing: { label: 'Failing', input: { state: 'failing' } },
    undeliverable: { label: 'Undeliverable', input: { state: 'undeliverable' } },
  },
  filters: { to: 'Recipient' },
  empty: ['No mails', 'Mails are kept for 30 days.'],
  above: ({ app }) =>
    app.settings.smtpUrl === undefined ? (
      <Notice kind="warn">
        No mail server is configured, so mails are kept here and not sent. Set SMTP_URL to send
        them.
      </Notice>
    ) : null,
  columns: () => [
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
    text('Recipient', 'to'),
    {
      label: 'Status',
      cell: ({ sent_at, error, attempts }) => {
        if (sent_at !== null) return <Badge tone="good" text="sent" />
        if (error === null) return <Badge text="not sent" />
        return (
          <Group>
            <Badge tone="bad" text={`failed ${attempts} times`} />
            <span class="soft">{error}</span>
          </Group>
        )
      },
    },
    time('Created', 'created_at'),
  ],
})
