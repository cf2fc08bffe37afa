import { listUsers } from '../../domain/accounts/list-users.ts'
import { createUser } from '../../domain/domains/import-domains.ts'
import { link, time } from '../components/columns.tsx'
import { RowText } from '../components/name.tsx'
import { Id } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import { action } from './page.ts'
import { Form } from './parts.tsx'
import { Marks, userPage } from './user-page.tsx'

/** The accounts of people: what they are linked to, and whether they may sign in. */
export const users = listPage({
  path: '/operator/users',
  title: 'Accounts',
  actions: [
    action({
      operation: createUser,
      done: ({ email }) => `Account created for ${email}.`,
      to: ({ user_id }) => `/operator/users/${user_id}`,
    }),
  ],
  operation: listUsers,
  rows: 'users',
  views: {
    '': { label: 'All', input: {} },
    operator: { label: 'Operators', input: { operator: true } },
    disabled: { label: 'Disabled', input: { disabled: true } },
  },
  filters: { q: 'E-mail begins with' },
  empty: ['No accounts yet', 'People create accounts at /sign-up.'],
  columns: (page) => [
    link(
      'E-mail',
      ({ user_id }) => page.href(`/operator/users/${user_id}`),
      ({ email }) => <RowText text={email} />,
    ),
    { label: 'Marks', cell: (user) => <Marks user={user} /> },
    {
      label: 'Partner',
      cell: ({ partner_id }) =>
        partner_id === null ? (
          '–'
        ) : (
          <Id id={partner_id} href={page.href(`/operator/partners/${partner_id}`)} />
        ),
    },
    time('Created', 'created_at'),
  ],
  below: [userPage],
  footer: (page) => (
    <Form
      page={page}
      does={createUser}
      collapsed="Create an account"
      fields={{
        email: 'E-mail',
        password: {
          label: 'Password',
          type: 'password',
          hint: 'At least 8 characters. The user can change it, or reset it by mail.',
        },
      }}
      submit="Create account"
    />
  ),
})
