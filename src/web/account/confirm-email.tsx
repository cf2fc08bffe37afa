import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import { sendConfirmationAgain } from '../../domain/accounts/confirmation.ts'
import { proveAddress } from '../../domain/accounts/mailed-link.ts'
import { mustFindUser } from '../../domain/accounts/user.ts'
import { givePromised } from '../../domain/domains/transfer-to-buyer.ts'
import { pathOf } from '../../http/same-origin.ts'
import type { Web } from '../../http/web.ts'
import { ActionButton } from '../components/form.tsx'
import { Notice } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import { signedInPages } from '../layout/page-context.ts'
import { LinkSpent, SPENT } from './forms.tsx'

const AGAIN = '/account/confirm-email'

/** How somebody shows that an address is theirs. */
export function serveConfirmEmail(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { baseUrl } = app.settings
  const pages = signedInPages(fastify, app, web)

  /**
   * Opened by a person, whose confirming is a POST: scanners of mail open links too. Who confirms must have signed
   * in: whoever owns the address would else vouch for an account that somebody else opened with it.
   */
  pages.get('/confirm-email', async ({ reply, query, session }) =>
    sendPage(
      reply,
      { title: 'Confirm your address', hidden: true },
      <>
        <h1>Confirm your address</h1>
        <p class="lead">{session.user.email}</p>
        <form method="post" action="/confirm-email">
          <input type="hidden" name="token" value={query.token ?? ''} />
          <button type="submit">This address is mine</button>
        </form>
      </>,
    ),
  )

  pages.post('/confirm-email', async ({ reply, form, now, session }) => {
    const { id, email } = session.user
    const proof = await inTransaction(app, async (tx) => {
      const shown = await proveAddress(tx, now, form.get('token') ?? '', 'confirm_email', id)
      if (shown) await givePromised(tx, now, await mustFindUser(tx, id))
      return shown
    })
    if (!proof) return sendPage(reply, SPENT, <LinkSpent ask="/account" email={email} />)
    return sendPage(
      reply,
      { title: 'Thank you' },
      <>
        <h1>Thank you</h1>
        <Notice kind="good">Your address is confirmed.</Notice>
        <p>
          <a href="/account">Go to your account</a>
        </p>
      </>,
    )
  })

  pages.formsOf('/account', AGAIN)
  pages.post(AGAIN, async ({ form, now, session, goOn }) => {
    const { id, email } = session.user
    const back = pathOf(form.get('back'))
    try {
      const isSent = await inTransaction(app, (tx) => sendConfirmationAgain(tx, now, baseUrl, id))
      return goOn(
        back,
        isSent ? `A new link is on its way to ${email}.` : 'Your address is confirmed.',
      )
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error
      return goOn(back, error.message)
    }
  })
}

/** What stands where an address is not confirmed yet, and what follows once it is. */
export function AskToConfirm({
  email,
  back,
  children,
}: {
  email: string
  back: string
  children?: ComponentChildren
}) {
  return (
    <div class="notice info asks" role="status">
      <span>
        Please confirm your address: we have sent a link to {email}. {children}
      </span>
      <ActionButton path={AGAIN} fields={{ back }} label="Send a new link" />
    </div>
  )
}
