import { listUsers } from '../../modules/accounts/list-users.ts'
import { showUser } from '../../modules/accounts/show-user.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { RowText } from '../pages/name.tsx'
import { Badge, Empty, Facts, Heading } from '../pages/parts.tsx'
import type { Desk, Look } from './desk.tsx'
import { At, Do, Form, Group, refusedForm } from './parts.tsx'

const PATH = '/operator/users'

export type User = Awaited<ReturnType<typeof showUser.handler>>

/** People's accounts: what they are linked to, whether they may sign in, and where they have. */
export function userPages(desk: Desk): void {
  desk.page(PATH, async (look) => {
    const { q, kind, cursor } = look.query
    const { users, next_cursor } = await look.read(listUsers, {
      q,
      cursor,
      ...(kind === 'operator' && { operator: true }),
      ...(kind === 'disabled' && { disabled: true }),
    })
    const isSet = q !== undefined || kind !== undefined
    return {
      title: 'Accounts',
      at: PATH,
      body: (
        <>
          <Heading title="Accounts" />
          <Filters path={look.href(PATH)} isSet={isSet}>
            <Field label="E-mail begins with" name="q" type="search" value={q} />
            <Select
              label="Which"
              name="kind"
              value={kind}
              options={[
                ['', 'All'],
                ['operator', 'Operators'],
                ['disabled', 'Disabled'],
              ]}
            />
          </Filters>
          <Table
            caption="Accounts"
            rows={users}
            columns={[
              {
                label: 'E-mail',
                cell: ({ user_id, email }) => (
                  <a href={`${PATH}/${user_id}`}>
                    <RowText text={email} />
                  </a>
                ),
              },
              { label: 'Is', cell: (user) => <Marks user={user} /> },
              {
                label: 'Partner',
                cell: ({ partner_id }) =>
                  partner_id === null ? (
                    '–'
                  ) : (
                    <a href={`/operator/partners/${partner_id}`}>{partner_id}</a>
                  ),
              },
              { label: 'Since', cell: ({ created_at }) => <At at={created_at} /> },
            ]}
            empty={
              <Empty title={isSet ? 'No account fits' : 'No account yet'}>
                People open accounts at /sign-up.
              </Empty>
            }
          />
          <Pager path={PATH} query={look.query} next={next_cursor} />
          <NewUser look={look} />
        </>
      ),
    }
  })

  desk.page(`${PATH}/:user_id`, async (look) => {
    const user = await look.read(showUser, { user_id: look.params.user_id })
    return {
      title: user.email,
      at: PATH,
      body: <UserPage look={look} user={user} />,
    }
  })
}

function Marks({ user }: { user: Omit<User, 'sessions'> }) {
  return (
    <Group>
      {user.operator && <Badge tone="info" text="operator" />}
      {user.disabled && <Badge tone="bad" text="disabled" />}
      {!user.email_confirmed && <Badge tone="warn" text="not confirmed" />}
    </Group>
  )
}

function UserPage({ look, user }: { look: Look; user: User }) {
  const { user_id, email } = user
  const isMe = user_id === look.session.user.id
  return (
    <>
      <Heading title={email}>
        <Marks user={user} />
      </Heading>
      <div class="columns">
        <section class="panel roomy">
          <h2>Account</h2>
          <Facts
            facts={[
              ['Account', <code>{user_id}</code>],
              ['Opened', <At at={user.created_at} />],
              ['Address', user.email_confirmed ? 'confirmed' : 'not confirmed'],
              [
                'More',
                <>
                  <a href={look.href('/operator/mails', { to: email })}>mails</a>,{' '}
                  <a href={look.href('/operator/audit', { subject: user_id })}>who changed it</a>,{' '}
                  <a href={look.href('/operator/audit', { actor: email })}>what they did</a>
                </>,
              ],
            ]}
          />
          {isMe ? (
            <p class="soft">This is you: another operator can disable you or take your role.</p>
          ) : (
            <div class="actions">
              <Do
                does="update_user"
                fields={{ user_id, operator: String(!user.operator) }}
                label={user.operator ? 'Operator no more' : 'Make an operator'}
                confirm={
                  user.operator
                    ? `Take the console away from ${email}?`
                    : `Make ${email} an operator? They may do all that you may.`
                }
              />
              <Do
                does="update_user"
                fields={{ user_id, disabled: String(!user.disabled) }}
                label={user.disabled ? 'Enable' : 'Disable'}
                kind={user.disabled ? 'main' : 'danger'}
                confirm={
                  user.disabled
                    ? `Let ${email} sign in again?`
                    : `Disable ${email}? Sessions and tokens stop working at once.`
                }
              />
            </div>
          )}
        </section>
        <Links look={look} user={user} />
      </div>
      <h2>Sessions</h2>
      <Table
        caption="Sessions"
        rows={user.sessions}
        columns={[
          { label: 'Browser', cell: ({ user_agent }) => user_agent || 'unknown' },
          { label: 'Address', cell: ({ address }) => address },
          { label: 'Signed in', cell: ({ created_at }) => <At at={created_at} /> },
          { label: 'Last seen', cell: ({ last_seen_at }) => <At at={last_seen_at} /> },
        ]}
        empty={<Empty title="Signed in nowhere" />}
      />
      {user.sessions.length > 0 && (
        <Do
          does="end_user_sessions"
          fields={{ user_id }}
          label="End all sessions"
          kind="danger"
          confirm={`Sign ${email} out everywhere?`}
        />
      )}
    </>
  )
}

function Links({ look, user }: { look: Look; user: User }) {
  const written = refusedForm(look, 'update_user')
  return (
    <section class="panel roomy">
      <h2>Linked to</h2>
      <p class="soft">What is left empty is no longer linked.</p>
      <Form does="update_user" fields={{ user_id: user.user_id }}>
        <Field
          label="Partner"
          name="partner_id"
          placeholder="prt_…"
          value={written.value('partner_id', user.partner_id ?? '')}
          problem={written.problem('partner_id')}
        />
        <Field
          label="Affiliate"
          name="affiliate_id"
          placeholder="aff_…"
          value={written.value('affiliate_id', user.affiliate_id ?? '')}
          problem={written.problem('affiliate_id')}
        />
        <button type="submit" class="quiet">
          Link
        </button>
      </Form>
    </section>
  )
}

function NewUser({ look }: { look: Look }) {
  const written = refusedForm(look, 'create_user')
  return (
    <details open={written.isOpen}>
      <summary>Open an account for somebody</summary>
      <Form does="create_user">
        <Field
          label="E-mail"
          name="email"
          type="email"
          value={written.value('email')}
          problem={written.problem('email')}
          required
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="new-password"
          problem={written.problem('password')}
          hint="At least 8 characters. They can change it, or reset it by mail."
          required
        />
        <button type="submit">Open it</button>
      </Form>
    </details>
  )
}
