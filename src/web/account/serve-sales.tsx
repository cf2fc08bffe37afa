import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { listOwnSales } from '../../domain/orders/list-own-sales.ts'
import { findCodeSale, giveTransferCode, sellerCodePath } from '../../domain/orders/seller-code.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { errorText, fieldText } from '../components/humanize.ts'
import { assertRecent, type PageContext, type signedInPages } from '../layout/page-context.ts'
import { sendAccountPage } from './account-page.tsx'
import { SALES } from './paths.ts'
import { Sales } from './sales.tsx'
import { TransferCodePage } from './transfer-code-page.tsx'

const CODE = sellerCodePath(':id')

/** What a user sold, and the page on which they give the transfer code of a domain at a registrar of theirs. */
export function serveSales(
  pages: ReturnType<typeof signedInPages>,
  { db }: AppContext,
  web: Web,
): void {
  pages.get(SALES, async (page) => {
    const { cursor } = page.query
    const found = await listOwnSales(db, page.session.user.id, cursor)
    return sendAccountPage(
      page,
      { title: 'Sales', at: SALES },
      <Sales path={SALES} rows={found.rows} cursor={cursor} next={found.next_cursor} />,
    )
  })

  pages.get(CODE, (page) => showCode(page))

  pages.post(CODE, async (page) => {
    const { session, params, form, now, request } = page
    const public_id = params.id ?? ''
    assertRecent(page)
    try {
      await web.execute(giveTransferCode, {
        caller: { kind: 'page', user: session.user, partner: null },
        now,
        requestId: request.id,
        input: () => parseInput(giveTransferCode, { public_id, code: form.get('code') ?? '' }),
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return await showCode(page, error)
    }
    return page.goOn(SALES, 'Saved. The buyer can use the code now.')
  })

  /** The code is not among what is shown again: nobody reads it here. */
  async function showCode(page: PageContext, rejected?: ApiError): Promise<FastifyReply> {
    const order = await findCodeSale(db, page.params.id ?? '', page.session.user.id)
    // Before it is typed, or it would have to be typed twice.
    assertRecent(page)
    const issue = rejected?.issues.find(({ field }) => field === 'code')
    const problem = rejected && (issue ? fieldText(issue, 'It') : errorText(rejected))
    return sendAccountPage(
      page,
      {
        title: `Transfer code of ${nameText(order.domain)}`,
        at: SALES,
        status: rejected?.status ?? 200,
      },
      <TransferCodePage order={order} problem={problem} />,
    )
  }
}
