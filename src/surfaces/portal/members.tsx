import type { FastifyReply } from 'fastify'
import { conflict, invalid, type Refusal } from '../../kernel/errors.ts'
import { refuseOverLimit } from '../../kernel/rate-limits.ts'
import {
  inviteMember,
  listInvitations,
  type OpenInvitation,
  withdrawInvitation,
} from '../../modules/accounts/invitation.ts'
import { listMembers, type MemberAct, removeMember } from '../../modules/accounts/member.ts'
import { accountEmailField, type User } from '../../modules/accounts/user.ts'
import { ActionButton, Field, Once } from '../pages/form.tsx'
import { type Column, Table } from '../pages/list.tsx'
import { RowText } from '../pages/name.tsx'
import { Badge, Day, Empty, Heading, Moment } from '../pages/parts.tsx'
import { attemptOf } from '../pages/visit.ts'
import { issueWith, type Portal, type PortalPost, type PortalVisit } from './portal.tsx'

/** Mails that one partner's members send a minute. */
const INVITATIONS_PER_MINUTE = 5

/** Who belongs to the partner: each may do what all others may. */
export function serveMembers(portal: Portal): void {
  const { house, web } = portal
  portal.get('/members', (visit) => showMembers(visit))

  portal.post(
    '/members',
    async (visit) => {
      const { form, now, base, session } = visit
      if (session.user.email_confirmed_at === null) {
        throw conflict('Please confirm your e-mail address first: we have sent you a link.')
      }
      const email = accountEmailField.safeParse(form.get('email')?.trim() ?? '')
      if (!email.success) throw invalid({ field: 'email', issue: 'must be an e-mail address' })
      const subject = `members:${visit.partner.partnerId}`
      refuseOverLimit(await web.count({ subject, limit: INVITATIONS_PER_MINUTE, now }), now)
      await portal.write(
        now,
        (context) => inviteMember(context, actOf(visit), email.data),
        attemptOf(visit, subject),
      )
      return visit.goOn(`${base}/members`, `An invitation to ${email.data} is on its way.`)
    },
    showMembers,
  )

  portal.post(
    '/members/invitations/:id/withdraw',
    async (visit) => {
      const email = await portal.write(visit.now, (context) =>
        withdrawInvitation(context, actOf(visit), visit.params.id ?? ''),
      )
      return visit.goOn(`${visit.base}/members`, `The invitation to ${email} is withdrawn.`)
    },
    showMembers,
  )

  portal.post(
    '/members/:id/remove',
    async (visit) => {
      const { email, id } = await portal.write(visit.now, async (context) => {
        const removed = await removeMember(context, actOf(visit), visit.params.id ?? '')
        return { id: removed.id, email: removed.email }
      })
      if (id === visit.session.user.id) return visit.goOn('/partner')
      return visit.goOn(`${visit.base}/members`, `${email} is no member any more.`)
    },
    showMembers,
  )

  async function showMembers(
    visit: PortalVisit & { form?: URLSearchParams },
    problem?: Refusal,
  ): Promise<FastifyReply> {
    const { base, account, now, session } = visit
    const [members, invitations] = await Promise.all([
      listMembers(house.db, account.id),
      listInvitations(house.db, now, account.id),
    ])
    const path = `${base}/members`
    return portal.show(
      visit,
      { title: 'Members', at: '/members', problem },
      <>
        <Heading title="Members" />
        <p class="lead">Members of {account.name} see and do the same, in the sandbox and live.</p>
        <Table
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
            value={visit.form?.get('email') ?? ''}
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

function actOf({ session, partner, request }: PortalPost): MemberAct {
  return { user: session.user, partnerId: partner.partnerId, requestId: request.id }
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
    { label: 'Sent', cell: ({ created_at }) => <Moment at={created_at} /> },
    { label: 'Lapses', cell: ({ expires_at }) => <Moment at={expires_at} /> },
    {
      label: '',
      cell: ({ id, email }) => (
        <ActionButton path={`${path}/invitations/${id}/withdraw`} label="Withdraw" about={email} />
      ),
    },
  ]
}
