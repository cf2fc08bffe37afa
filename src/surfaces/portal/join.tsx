import type { FastifyReply } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import {
  acceptInvitation,
  findInvitation,
  invitationSpent,
  whyNot,
} from '../../modules/accounts/invitation.ts'
import { AskToConfirm } from '../accounts/confirm-email.tsx'
import { ActionButton } from '../pages/form.tsx'
import { sendPage } from '../pages/frame.tsx'
import { Notice } from '../pages/parts.tsx'
import { spoken } from '../pages/spoken.ts'
import { attemptOf, type Visit } from '../pages/visit.ts'
import type { Portal } from './portal.tsx'

/** Where the link of an invitation leads, for whoever has signed in. */
export function serveJoin(portal: Portal): void {
  const { house, pages } = portal

  pages.get('/partner/join', (visit) => showInvitation(visit, visit.query.token ?? ''))

  pages.post('/partner/join', async (visit) => {
    const { form, now, session, request } = visit
    const token = form.get('token') ?? ''
    try {
      const by = { userId: session.user.id, requestId: request.id }
      const { partner_name } = await portal.write(
        now,
        (context) => acceptInvitation(context, by, token),
        attemptOf(visit, `join:${session.user.id}`),
      )
      return visit.goOn('/partner/sandbox', `You are a member of ${partner_name} now.`)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      return await showInvitation(visit, token)
    }
  })

  async function showInvitation(visit: Visit, token: string): Promise<FastifyReply> {
    const { user } = visit.session
    const found = await findInvitation(house.db, visit.now, token)
    if (!found) throw invitationSpent()
    const { partner_name, invited_by, email } = found
    const problem = whyNot(found, user)
    const isUnconfirmed = email === user.email && user.email_confirmed_at === null
    return sendPage(
      visit.reply,
      {
        title: `Join ${partner_name}`,
        status: problem?.status ?? 200,
        viewer: user,
        hidden: true,
        scripts: ['page'],
      },
      <>
        <h1>Join {partner_name}</h1>
        {visit.note !== null && <Notice kind="good">{visit.note}</Notice>}
        {problem && !isUnconfirmed && <Notice kind="error">{spoken(problem)}</Notice>}
        {isUnconfirmed && (
          <AskToConfirm email={email} back={`/partner/join?token=${encodeURIComponent(token)}`}>
            Then open this page again.
          </AskToConfirm>
        )}
        {problem === null && (
          <>
            <p class="lead">
              {invited_by} invites you. Members see all sales and credentials of {partner_name}, and
              act for it.
            </p>
            <ActionButton
              path="/partner/join"
              fields={{ token }}
              label={`Join as ${user.email}`}
              kind="main"
              small={false}
            />
          </>
        )}
        {email !== user.email && <ActionButton path="/sign-out" label="Sign out" />}
      </>,
    )
  }
}
