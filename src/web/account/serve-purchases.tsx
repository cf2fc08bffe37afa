import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { checkoutUrl, readSession, tokenOf } from '../../domain/checkout/session.ts'
import { findPurchase, listPurchases } from '../../domain/orders/list-purchases.ts'
import type { PageContext, signedInPages } from '../layout/page-context.ts'
import { sendAccountPage } from './account-page.tsx'
import { PURCHASES } from './paths.ts'
import { Purchases } from './purchases.tsx'

const NOTHING = { rows: [], next_cursor: null }

/** What a user bought, and the way to the page of each order: its receipt, invoice and transfer. */
export function servePurchases(pages: ReturnType<typeof signedInPages>, app: AppContext): void {
  const { db, settings } = app

  pages.get(PURCHASES, async (page) => {
    const { cursor } = page.query
    const email = confirmedEmail(page)
    const found = email === null ? NOTHING : await listPurchases(db, email, cursor)
    return sendAccountPage(
      page,
      { title: 'Purchases', at: PURCHASES },
      <Purchases path={PURCHASES} rows={found.rows} cursor={cursor} next={found.next_cursor} />,
    )
  })

  pages.get(`${PURCHASES}/:id`, async (page) => {
    const email = confirmedEmail(page)
    const sessionId = email === null ? null : await findPurchase(db, email, page.params.id ?? '')
    const session = sessionId === null ? undefined : await readSession(db, sessionId)
    if (!session) throw notFound('purchase')
    const url = checkoutUrl(settings.baseUrl, await tokenOf(app, session))
    return page.reply.redirect(url.slice(settings.baseUrl.length), 303)
  })
}

/** What was written to an address is shown to anyone who has shown that it is theirs. */
function confirmedEmail({ session: { user } }: PageContext): string | null {
  return user.email_confirmed_at === null ? null : user.email
}
