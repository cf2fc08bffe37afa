import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { confirmedEmail } from '../../domain/accounts/user.ts'
import { hasBought, listPurchases } from '../../domain/orders/list-purchases.ts'
import { orderUrl } from '../../domain/orders/transfer-code.ts'
import type { signedInPages } from '../layout/page-context.ts'
import { sendAccountPage } from './account-page.tsx'
import { PURCHASES } from './paths.ts'
import { Purchases } from './purchases.tsx'

const NOTHING = { rows: [], next_cursor: null }

/** What a user bought, and the way to the page of each order: its invoice and transfer. */
export function servePurchases(pages: ReturnType<typeof signedInPages>, app: AppContext): void {
  const { db, settings } = app

  pages.get(PURCHASES, async (page) => {
    const { cursor } = page.query
    const email = confirmedEmail(page.session.user)
    const found = email === null ? NOTHING : await listPurchases(db, email, cursor)
    return sendAccountPage(
      page,
      { title: 'Purchases', at: PURCHASES },
      <Purchases path={PURCHASES} rows={found.rows} cursor={cursor} next={found.next_cursor} />,
    )
  })

  pages.get(`${PURCHASES}/:id`, async (page) => {
    const email = confirmedEmail(page.session.user)
    const publicId = page.params.id ?? ''
    if (email === null || !(await hasBought(db, email, publicId))) throw notFound('purchase')
    return page.reply.redirect(orderUrl(app, publicId).slice(settings.baseUrl.length), 303)
  })
}
