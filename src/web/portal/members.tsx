import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import {
  inviteMember,
  listInvitations,
  type OpenInvitation,
  withdrawInvitation,
} from '../../domain/accounts/invitation.ts'
import { listMembers, removeMember } from '../../domain/accounts/member.ts'
import { assertConfirmed, type User } from '../../domain/accounts/user.ts'
import { ActionButton, Field, Once } from '../components/form.tsx'
import { type Column, Table } from '../components/list.tsx'
import { RowText } from '../components/name.tsx'
import { Badge, Day, Empty, Heading, Timestamp } from '../components/parts.tsx'
import { issueWith, type Portal, type PortalContext } from './portal.tsx'

/** Mails that one partner's members send a minute. */
const INVITATIONS_PER_MINUTE = 5

/** Who belongs to the partner: each may do what all others may. */
export function serveMembers(portal: Portal): void {
  const { app, web } = portal
  portal.get('/members', (page) => showMembers(page))

  portal.post(
    '/members',
    async (page) => {
      const { form, now, base, session } = page
      assertConfirmed(session.user)
      const subject = `members:${page.partner.partnerId}`
      assertUnderLimit(await web.count({ subject, limit: INVITATIONS_PER_MINUTE, now }), now)
      const { email } = await portal.write(
        page,
        inviteMember,
        { email: form.get('email')?.trim() },
        subject,
      )
      return page.goOn(`${base}/members`, `An invitation to ${email} is on its way.`)
    },
    showMembers,
  )

  portal.post(
    '/members/invitations/:id/withdraw',
    async (page) => {
      const { email } = await portal.write(page, withdrawInvitation, { id: page.params.id })
      return page.goOn(`${page.base}/members`, `The invitation to ${email} is withdrawn.`)
    },
    showMembers,
  )

  portal.post(
    '/members/:id/remove',
    async (page) => {
      const removed = await portal.write(page, removeMember, { user_id: page.params.id })
      const { email, user_id } = removed
      if (user_id === page.session.user.id) return page.goOn('/partner')
      return page.goOn(`${page.base}/members`, `${email} is no member any more.`)
    },
    showMembers,
  )

  async function showMembers(
    page: PortalContext & { form?: URLSearchParams },
    problem?: ApiError,
  ): Promise<FastifyReply> {
    const { base, account, now, session } = page
    const [members, invitations] = await Promise.all([
      listMembers(app.db, account.id),
      listInvitations(app.db, now, account.id),
    ])
    const path = `${base}/members`
    return portal.show(
      page,
      { title: 'Members', at: '/members', problem },
      <>
        <Heading title="Members" />
        <p class="lead">Members of {account.name} see and do the same, in the sandbox and live.</p>
        <Table
          isMain
          caption="Members, oldest first"
          columns={memberColumns(path, session.user.id)}
          rows={members}
          empty={<Empty title="Nobody" />}
        />
        <h2>Invite somebody</h2>
        <form method="post" action={path} class="narrow">
          <Once />
          <Field
            label="E-mail address"
            name="email"
            type="email"
            value={page.form?.get('email') ?? ''}
            hint="They get a link that works once, within seven days, for an account of this address."
            problem={issueWith(problem, 'email')}
            maxlength={254}
            autocomplete="off"
            required
          />
          <button type="submit">Send an invitation</button>
        </form>
        <h2>Open invitations</h2>
        <Table
          caption="Open invitations, newest first"
          columns={invitationColumns(path)}
          rows={invitations}
          empty={<Empty title="Nobody is invited" />}
        />
      </>,
    )
  }
}

function memberColumns(path: string, own: string): Column<User>[] {
  return [
    {
      label: 'Member',
      cell: ({ id, email, disabled_at }) => (
        <span>
          {email} {id === own && <Badge tone="info" text="you" />}
          {disabled_at !== null && <Badge tone="bad" text="disabled" />}
        </span>
      ),
    },
    { label: 'Account since', cell: ({ created_at }) => <Day at={created_at} /> },
    {
      label: '',
      cell: ({ id, email }) => (
        <ActionButton
          path={`${path}/${id}/remove`}
          label={id === own ? 'Leave' : 'Remove'}
          about={id === own ? undefined : email}
          confirm={
            id === own
              ? 'Leave? You see nothing of this partner any more.'
              : `Remove ${email}? They see nothing here any more. Rotate the secrets that they know.`
          }
        />
      ),
    },
  ]
}

function invitationColumns(path: string): Column<OpenInvitation>[] {
  return [
    { label: 'Invited', cell: ({ email }) => <RowText text={email} /> },
    { label: 'By', cell: ({ invited_by }) => invited_by },
    { label: 'Sent', cell: ({ created_at }) => <Timestamp at={created_at} /> },
    { label: 'Lapses', cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
    {
      label: '',
      cell: ({ id, email }) => (
        <ActionButton path={`${path}/invitations/${id}/withdraw`} label="Withdraw" about={email} />
      ),
    },
  ]
}
