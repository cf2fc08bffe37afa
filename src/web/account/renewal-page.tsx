import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import {
  confirmCharge,
  declineConfirmation,
  lookUpConfirmation,
  ownCharge,
} from '../../domain/domains/confirm-renewal.ts'
import { renewalsOf } from '../../domain/domains/renewal.ts'
import type { Charge } from '../../domain/payments/charge.ts'
import { ActionButton } from '../components/form.tsx'
import { money } from '../components/money.ts'
import { Facts, Timestamp } from '../components/parts.tsx'
import type { PageContext, signedInPages } from '../layout/page-context.ts'
import { sendAccountPage } from './account-page.tsx'

export const RENEWALS = '/account/renewals'
const RENEWAL = `${RENEWALS}/:charge_id`

/** A renewal whose bank wants to hear it from the cardholder; a mail leads here. */
export function serveConfirmations(pages: ReturnType<typeof signedInPages>, app: AppContext): void {
  const { baseUrl } = app.settings
  const chargeOf = ({ session, params }: PageContext) =>
    ownCharge(app, session.user.id, params.charge_id ?? '')

  pages.get(RENEWAL, async (page) => {
    await lookUpConfirmation(app, await chargeOf(page))
    const charge = await chargeOf(page)
    return charge.status === 'confirmation_due' ? ask(page, charge) : page.goOn(RENEWALS)
  })
  pages.post(RENEWAL, async (page) => {
    const charge = await chargeOf(page)
    const url = await confirmCharge(app, charge, `${baseUrl}${RENEWALS}/${charge.id}`)
    return url === null
      ? page.goOn(RENEWALS, 'Confirmed. This is how your renewals stand.')
      : page.reply.redirect(url, 303)
  })
  pages.post(`${RENEWAL}/decline`, async (page) => {
    await declineConfirmation(app, await chargeOf(page))
    return page.goOn(RENEWALS, 'Nothing was charged.')
  })

  async function ask(page: PageContext, charge: Charge): Promise<FastifyReply> {
    const path = `${RENEWALS}/${charge.id}`
    const renewals = await renewalsOf(app.db, charge.id)
    return sendAccountPage(
      page,
      {
        title: 'Confirm a renewal',
        at: RENEWALS,
        formTargets: [...app.payments.byId(charge.provider).pageOrigins],
      },
      <section class="panel roomy">
        <p>Your bank wants you to confirm this payment before it lets us renew.</p>
        <Facts
          facts={[
            ['Domains', renewals.map(({ domain }) => nameText(domain)).join(', ')],
            ['Amount', money(charge.amount_cents, charge.currency)],
            ['Confirm by', charge.due_at && <Timestamp at={charge.due_at} />],
          ]}
        />
        <form method="post" action={path}>
          <button type="submit">Confirm the payment</button>
        </form>
        <ActionButton
          path={`${path}/decline`}
          label="Do not pay"
          confirm="Nothing is charged, and the domains are not renewed. Go on?"
        />
      </section>,
    )
  }
}
