import type { FastifyReply } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import {
  acceptInvitation,
  findInvitation,
  invitationSpent,
  whyNot,
} from '../../domain/accounts/invitation.ts'
import { AskToConfirm } from '../account/confirm-email.tsx'
import { ActionButton } from '../components/form.tsx'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import type { PageContext } from '../layout/page-context.ts'
import type { Portal } from './portal.tsx'

/** Where the link of an invitation leads, for whoever has signed in. */
export function serveJoin(portal: Portal): void {
  const { app, pages } = portal

  pages.get('/partner/join', (page) => showInvitation(page, page.query.token ?? ''))

  pages.post('/partner/join', async (page) => {
    const { form, session } = page
    const token = form.get('token') ?? ''
    try {
      const subject = `join:${session.user.id}`
      const { partner_name } = await portal.write(page, acceptInvitation, { token }, subject)
      return page.goOn('/partner/sandbox', `You are a member of ${partner_name} now.`)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return await showInvitation(page, token)
    }
  })

  async function showInvitation(page: PageContext, token: string): Promise<FastifyReply> {
    const { user } = page.session
    const found = await findInvitation(app.db, page.now, token)
    if (!found) throw invitationSpent()
    const { partner_name, invited_by, email } = found
    const problem = whyNot(found, user)
    const isUnconfirmed = email === user.email && user.email_confirmed_at === null
    return sendPage(
      page.reply,
      {
        title: `Join ${partner_name}`,
        status: problem?.status ?? 200,
        viewer: user,
        hidden: true,
        scripts: ['page'],
      },
      <>
        <h1>Join {partner_name}</h1>
        {page.note !== null && <Notice kind="good">{page.note}</Notice>}
        {problem && !isUnconfirmed && <Notice kind="error">{errorText(problem)}</Notice>}
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
