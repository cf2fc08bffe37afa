import { resetSecondFactor } from '../../domain/accounts/reset-second-factor.ts'
import { showUser } from '../../domain/accounts/show-user.ts'
import { updateUser } from '../../domain/accounts/update-user.ts'
import { endUserSessions } from '../../domain/oauth/end-user-sessions.ts'
import { eraseUser } from '../../domain/privacy/erase-user.ts'
import { exportUser } from '../../domain/privacy/export-user.ts'
import { text, time } from '../components/columns.tsx'
import { counted } from '../components/humanize.ts'
import { Table } from '../components/list.tsx'
import { At, Badge, Empty, Facts, Heading, Id } from '../components/parts.tsx'
import { action, type ConsoleContext, type ConsolePage } from './page.ts'
import { Do, Form, Group } from './parts.tsx'

export type User = Awaited<ReturnType<typeof showUser.handler>>

/** One account, its links, and its sessions. */
export const userPage: ConsolePage = {
  path: '/operator/users/:user_id',
  title: 'Account',
  actions: [
    action({
      operation: updateUser,
      done: ({ email, disabled }) => `${email} ${disabled ? 'can no longer sign in' : 'updated'}.`,
      emptied: ['partner_id', 'affiliate_id'],
    }),
    action({
      operation: exportUser,
      show: ({ data }) => (
        <section class="panel roomy apart">
          <h2>All that is kept of this person</h2>
          <pre>
            <code>{JSON.stringify(data, null, 2)}</code>
          </pre>
        </section>
      ),
    }),
    action({ operation: eraseUser, done: () => 'The person is erased. The books are kept.' }),
    action({
      operation: endUserSessions,
      done: ({ ended }) => `${counted(ended, 'session')} ended.`,
    }),
    action({
      operation: resetSecondFactor,
      done: ({ removed }) => `${counted(removed, 'second factor')} removed.`,
    }),
  ],
  async render(page) {
    const user = await page.read(showUser, { user_id: page.params.user_id })
    const { user_id, email, sessions } = user
    return {
      title: email,
      body: (
        <>
          <Heading title={email}>
            <Marks user={user} />
          </Heading>
          <div class="columns">
            <Account page={page} user={user} />
            <section class="panel roomy">
              <h2>Linked to</h2>
              <p class="soft">Clear a field to remove its link.</p>
              <Form
                page={page}
                does={updateUser}
                given={{ user_id }}
                fields={{
                  partner_id: {
                    label: 'Partner ID',
                    placeholder: 'prt_…',
                    value: user.partner_id ?? '',
                  },
                  affiliate_id: {
                    label: 'Affiliate ID',
                    placeholder: 'aff_…',
                    value: user.affiliate_id ?? '',
                  },
                }}
                submit="Save links"
              />
            </section>
          </div>
          <div class="columns">
            <section class="panel roomy">
              <h2>Role</h2>
              <Form
                page={page}
                does={updateUser}
                given={{ user_id, operator: 'true' }}
                fields={{ role: { label: 'Role', value: user.role ?? 'viewer' } }}
                submit={user.operator ? 'Change the role' : 'Make an operator'}
              />
            </section>
            <section class="panel roomy">
              <h2>Second factor</h2>
              <p class="soft">For somebody who has lost their device and their recovery codes.</p>
              <Form
                page={page}
                does={resetSecondFactor}
                given={{ user_id }}
                collapsed="Remove all second factors"
                fields={{ reason: 'Reason' }}
                submit="Remove"
                kind="danger"
                confirm={`Let ${email} sign in with the password alone?`}
              />
            </section>
            <section class="panel roomy">
              <h2>Personal data</h2>
              <Do does={exportUser} fields={{ user_id }} label="Show all that is kept" />
              <Form
                page={page}
                does={eraseUser}
                given={{ user_id }}
                collapsed="Erase this person"
                fields={{ reason: 'Reason' }}
                submit="Erase"
                kind="danger"
                confirm="Erase this person? It cannot be undone."
              />
            </section>
          </div>
          <h2>Sessions</h2>
          <Table
            caption="Sessions"
            rows={sessions}
            columns={[
              { label: 'Browser', cell: ({ user_agent }) => user_agent || 'unknown' },
              text('IP address', 'address'),
              time('Signed in', 'created_at'),
              time('Last seen', 'last_seen_at'),
            ]}
            empty={<Empty title="No sessions" />}
          />
          {sessions.length > 0 && (
            <Do
              does={endUserSessions}
              fields={{ user_id }}
              label="End all sessions"
              kind="danger"
              confirm={`Sign ${email} out everywhere?`}
            />
          )}
        </>
      ),
    }
  },
}

export function Marks({ user }: { user: Omit<User, 'sessions'> }) {
  return (
    <Group>
      {user.operator && <Badge tone="info" text="operator" />}
      {user.disabled && <Badge tone="bad" text="disabled" />}
      {!user.email_confirmed && <Badge tone="warn" text="not confirmed" />}
    </Group>
  )
}

function Account({ page, user }: { page: ConsoleContext; user: User }) {
  const { user_id, email, operator, disabled } = user
  return (
    <section class="panel roomy">
      <h2>Account</h2>
      <Facts
        facts={[
          ['Account', <Id id={user_id} />],
          ['Created', <At at={user.created_at} />],
          ['E-mail', user.email_confirmed ? 'confirmed' : 'not confirmed'],
          [
            'More',
            <>
              <a href={page.href('/operator/mails', { to: email })}>mails</a>,{' '}
              <a href={page.href('/operator/audit', { subject: user_id })}>changes</a>,{' '}
              <a href={page.href('/operator/audit', { actor: email })}>actions</a>
            </>,
          ],
        ]}
      />
      {user_id === page.session.user.id ? (
        <p class="soft">This is your account. Only another operator can disable or demote it.</p>
      ) : (
        <div class="actions">
          <Do
            does={updateUser}
            fields={{ user_id, operator: String(!operator) }}
            label={operator ? 'Remove operator role' : 'Make operator'}
            confirm={
              operator
                ? `Remove the operator role of ${email}?`
                : `Make ${email} an operator, with access to the whole console?`
            }
          />
          <Do
            does={updateUser}
            fields={{ user_id, disabled: String(!disabled) }}
            label={disabled ? 'Enable' : 'Disable'}
            kind={disabled ? 'main' : 'danger'}
            confirm={
              disabled
                ? `Let ${email} sign in again?`
                : `Disable ${email}? Sessions and tokens stop working at once.`
            }
          />
        </div>
      )}
    </section>
  )
}
