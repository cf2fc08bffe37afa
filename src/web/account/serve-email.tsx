import type { AppContext } from '../../core/context.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import { inTransaction } from '../../db/transaction.ts'
import { askToChangeEmail, CHANGE_EMAIL, changeEmail } from '../../domain/accounts/change-email.ts'
import { accountEmailField, mustFindUser } from '../../domain/accounts/user.ts'
import { givePromised } from '../../domain/domains/transfer-to-buyer.ts'
import { renameSeller } from '../../domain/partners/seller-partner.ts'
import { moveAddress } from '../../domain/privacy/move-address.ts'
import { addressOf, type Web } from '../../http/web.ts'
import { Field } from '../components/form.tsx'
import { sendPage } from '../layout/frame.tsx'
import type { FormContext, signedInPages } from '../layout/page-context.ts'
import { LinkSpent, SPENT } from './forms.tsx'
import { SECURITY } from './paths.ts'
import { checkPassword } from './sign-in.ts'

const MAILS_PER_MINUTE = 10
const CHANGE = '/account/email'

export interface EmailProblems {
  email?: string
  email_password?: string
}

/** How a user changes the address that they sign in with: by a link that is mailed to the new one. */
export function serveEmail(
  pages: ReturnType<typeof signedInPages>,
  app: AppContext,
  web: Web,
  again: (page: FormContext, problems: EmailProblems) => Promise<FormContext['reply']>,
): void {
  const { baseUrl } = app.settings

  pages.formsOf(SECURITY, CHANGE)
  pages.post(CHANGE, async (page) => {
    const { request, session, form, now, goOn } = page
    const { id, email } = session.user
    const given = accountEmailField.safeParse(form.get('email')?.trim() ?? '')
    if (!given.success) return again(page, { email: 'Enter an address such as you@example.com.' })
    if (given.data === email) return again(page, { email: 'This is your address already.' })
    const password = form.get('email_password') ?? ''
    if (!(await checkPassword(app, web, request, { email, password }))) {
      return again(page, { email_password: 'This is not your password.' })
    }
    const subject = `mails:${addressOf(request)}`
    assertUnderLimit(await web.count({ subject, limit: MAILS_PER_MINUTE, now }), now)
    await inTransaction(app, (tx) => askToChangeEmail(tx, now, baseUrl, id, given.data))
    return goOn(
      SECURITY,
      `We sent a link to ${given.data}. Your address changes once you open it and confirm.`,
    )
  })

  /** As with the first address: scanners of mail open links too, so confirming is a form. */
  pages.get(CHANGE_EMAIL, async ({ reply, query, session }) =>
    sendPage(
      reply,
      { title: 'Confirm your new address', hidden: true },
      <>
        <h1>Confirm your new address</h1>
        <p class="lead">
          From then on, you sign in with it instead of {session.user.email}, and your other sessions
          end.
        </p>
        <form method="post" action={CHANGE_EMAIL}>
          <input type="hidden" name="token" value={query.token ?? ''} />
          <button type="submit">Change my address</button>
        </form>
      </>,
    ),
  )

  pages.post(CHANGE_EMAIL, async ({ reply, form, now, session, goOn }) => {
    const { user, sessionId } = session
    const token = form.get('token') ?? ''
    const changed = await inTransaction(app, async (tx) => {
      const done = await changeEmail(tx, now, baseUrl, { userId: user.id, sessionId, token })
      if (!done) return null
      if (done.before.email_confirmed_at) await moveAddress(tx, done.before.email, done.email)
      await renameSeller(tx, user.id, done.email)
      await givePromised(tx, now, await mustFindUser(tx, user.id))
      return done
    })
    if (!changed) return sendPage(reply, SPENT, <LinkSpent ask={SECURITY} email={user.email} />)
    return goOn(SECURITY, `Your address is now ${changed.email}. Your other sessions have ended.`)
  })
}

export function EmailForm({ email, problems }: { email: string; problems: EmailProblems }) {
  return (
    <>
      <h2>E-mail address</h2>
      <p>
        You sign in with <strong>{email}</strong>.
      </p>
      <form method="post" action={CHANGE} class="narrow">
        <Field
          label="New e-mail address"
          name="email"
          type="email"
          autocomplete="email"
          problem={problems.email}
          hint="We send a link there, and tell your present address."
          required
        />
        <Field
          label="Your password"
          name="email_password"
          type="password"
          autocomplete="current-password"
          problem={problems.email_password}
          required
        />
        <button type="submit" class="quiet">
          Change the address
        </button>
      </form>
    </>
  )
}
