import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import { inTransaction } from '../../kernel/database/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { sendConfirmationAgain } from '../../modules/accounts/confirmation.ts'
import { useMailedLink } from '../../modules/accounts/mailed-link.ts'
import { mustFindUser } from '../../modules/accounts/user.ts'
import { takePromised } from '../../modules/holdings/hand-over.ts'
import { ActionButton } from '../pages/form.tsx'
import { sendPage } from '../pages/frame.tsx'
import { Notice } from '../pages/parts.tsx'
import { pathOf, readForm } from '../pages/same-origin.ts'
import { signedInPages } from '../pages/visit.ts'
import type { Web } from '../web.ts'
import { LinkSpent, SPENT } from './forms.tsx'

const AGAIN = '/account/confirm-email'

/** How somebody shows that an address is theirs. */
export function serveConfirmEmail(app: FastifyInstance, house: House, web: Web): void {
  const { clock, settings } = house
  const { baseUrl } = settings
  const page = { config: { page: true as const } }

  /** Opened by a person, whose confirming is a POST: scanners of mail open links too. */
  app.get<{ Querystring: { token?: string } }>('/confirm-email', page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    const { token } = request.query
    return sendPage(
      reply,
      { title: 'Confirm your address', hidden: true },
      <>
        <h1>Confirm your address</h1>
        <form method="post" action="/confirm-email">
          <input type="hidden" name="token" value={typeof token === 'string' ? token : ''} />
          <button type="submit">This address is mine</button>
        </form>
      </>,
    )
  })

  app.post('/confirm-email', page, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const token = readForm(request, baseUrl).get('token') ?? ''
    const userId = await inTransaction(house, async (tx) => {
      const owner = await useMailedLink(tx, now, token, 'confirm_email')
      if (owner !== null) await takePromised(tx, now, await mustFindUser(tx, owner))
      return owner
    })
    if (userId === null) return sendPage(reply, SPENT, <LinkSpent ask="/account" />)
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

  const pages = signedInPages(app, house, web)
  pages.formsOf('/account', AGAIN)
  pages.post(AGAIN, async ({ form, now, session, goOn }) => {
    const { id, email } = session.user
    const back = pathOf(form.get('back'))
    try {
      const isSent = await inTransaction(house, (tx) => sendConfirmationAgain(tx, now, baseUrl, id))
      return goOn(
        back,
        isSent ? `A new link is on its way to ${email}.` : 'Your address is confirmed.',
      )
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429) throw error
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
