import type { listPersonalTokens } from '../../domain/accounts/personal-token.ts'
import type { listSessions } from '../../domain/accounts/session.ts'
import { ActionButton, Check, Field, Once, Select } from '../components/form.tsx'
import { type Column, Table } from '../components/list.tsx'
import { Badge, Day, Empty, Timestamp } from '../components/parts.tsx'
import { Apps, type AppsShown } from './apps.tsx'
import { EmailForm, type EmailProblems } from './serve-email.tsx'

type Token = Awaited<ReturnType<typeof listPersonalTokens>>[number]
type Session = Awaited<ReturnType<typeof listSessions>>[number]

const TOKENS: Column<Token>[] = [
  { label: 'Token', cell: ({ label }) => label },
  {
    label: 'May',
    cell: ({ scopes }) =>
      scopes.includes('domains:manage') ? 'see prices, change domains' : 'see prices',
  },
  { label: 'Made', cell: ({ created_at }) => <Day at={created_at} /> },
  { label: 'Last used', cell: ({ last_used_at }) => <Day at={last_used_at} none="never" /> },
  { label: 'Ends', cell: ({ expires_at }) => <Day at={expires_at} none="never" /> },
  {
    label: '',
    cell: ({ id, label }) => (
      <ActionButton
        path="/account/tokens/revoke"
        fields={{ id }}
        label="Revoke"
        about={label}
        confirm={`Revoke ${label}? Scripts that use it stop working.`}
      />
    ),
  },
]

/** How many days a token may work, for people to choose from. */
export const LIFETIMES = [30, 90, 365] as const

/** The name that a token did not get, and what is wrong with it. */
export interface RejectedToken {
  label: string
  problem?: string
}

/** Whatever else speaks for a user: apps that were let in, and tokens for scripts. */
export function Access({
  apps,
  tokens,
  rejected,
}: {
  apps: AppsShown
  tokens: Token[]
  rejected: RejectedToken | undefined
}) {
  return (
    <>
      <Apps {...apps} />
      <h2>Personal access tokens</h2>
      <p class="soft">
        For scripts of your own: they see prices, and change your domains if you let them.
      </p>
      <Table
        caption="Personal access tokens"
        columns={TOKENS}
        rows={tokens}
        empty={
          <Empty title="None">
            <p>
              Make one below, and send it as <code>Authorization: Bearer</code>.
            </p>
          </Empty>
        }
      />
      <form method="post" action="/account/tokens" class="narrow">
        <Once />
        <Field
          label="Name of a new token"
          name="label"
          value={rejected?.label}
          problem={rejected?.problem}
          maxlength={100}
          required
        />
        <Select
          label="It works for"
          name="days"
          value="90"
          options={LIFETIMES.map((days) => [String(days), `${days} days`] as const)}
        />
        <Check label="It only reads, and changes nothing" name="read_only" value="true" />
        <button type="submit" class="quiet">
          Make a token
        </button>
      </form>
    </>
  )
}

/** The password, and where it has been used. */
export function Security({
  user,
  sessions,
  current,
  problems = {},
}: {
  user: { email: string }
  sessions: Session[]
  /** The id of the session that looks. */
  current: string
  problems?: { current?: string; password?: string } & EmailProblems
}) {
  const columns: Column<Session>[] = [
    { label: 'Browser', cell: ({ user_agent }) => browserOf(user_agent) },
    { label: 'Address', cell: ({ address }) => address },
    { label: 'Signed in', cell: ({ created_at }) => <Day at={created_at} /> },
    { label: 'Last seen', cell: ({ last_seen_at }) => <Timestamp at={last_seen_at} /> },
    {
      label: '',
      cell: ({ id, user_agent, last_seen_at }) =>
        id === current ? (
          <Badge tone="good" text="this one" />
        ) : (
          <ActionButton
            path="/account/sessions/end"
            fields={{ id }}
            label="End"
            about={`${browserOf(user_agent)}, seen ${last_seen_at.toISOString()}`}
          />
        ),
    },
  ]
  return (
    <>
      <h2>Sessions</h2>
      <Table caption="Sessions" columns={columns} rows={sessions} empty={<Empty title="None" />} />
      <EmailForm email={user.email} problems={problems} />
      <h2>Password</h2>
      <form method="post" action="/account/password" class="narrow">
        <Field
          label="Current password"
          name="current"
          type="password"
          autocomplete="current-password"
          problem={problems.current}
          required
        />
        <Field
          label="New password"
          name="password"
          type="password"
          autocomplete="new-password"
          problem={problems.password}
          hint="At least 8 characters. Your other sessions end, and your apps and tokens unless you keep them."
          minlength={8}
          maxlength={200}
          required
        />
        <Check label="Keep my apps and tokens" name="keep_tokens" value="true" />
        <button type="submit" class="quiet">
          Change the password
        </button>
      </form>
    </>
  )
}

/** A browser by the name that it gives itself, for people: `Firefox on Linux`. */
function browserOf(userAgent: string): string {
  const found = /(Edg|OPR|Firefox|Chrome|Safari|curl)(?:\/|\b)/.exec(userAgent)?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1]
  if (found === undefined) return userAgent.slice(0, 60) || 'An unknown browser'
  const name = { Edg: 'Edge', OPR: 'Opera' }[found] ?? found
  return system === undefined ? name : `${name} on ${system.replace('Mac OS X', 'macOS')}`
}
