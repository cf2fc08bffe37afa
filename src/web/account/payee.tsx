import type { FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { findSellerPartner } from '../../domain/partners/seller-partner.ts'
import { latestPayee, viewPayee } from '../../domain/payees/payee.ts'
import { setOwnPayee } from '../../domain/payees/set-own-payee.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { PayeePage } from '../components/payee.tsx'
import {
  assertSecondStep,
  idempotencyOf,
  type PageContext,
  type signedInPages,
} from '../layout/page-context.ts'
import { fieldsOf } from '../portal/payee.tsx'
import { sendAccountPage } from './account-page.tsx'
import { PAYEE } from './paths.ts'

/** Where a user is paid for the domains that they sell. */
export function servePayee(
  pages: ReturnType<typeof signedInPages>,
  { db }: AppContext,
  web: Web,
): void {
  pages.get(PAYEE, (page) => showPayee(page))
  pages.post(PAYEE, async (page) => {
    assertSecondStep(page)
    const { session, now, request, form } = page
    try {
      await web.execute(setOwnPayee, {
        caller: { kind: 'page', user: session.user, partner: null },
        now,
        requestId: request.id,
        idempotency: () => idempotencyOf(page, `account:${session.user.id}`),
        input: () => parseInput(setOwnPayee, fieldsOf(form)),
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return await showPayee(page, form, error)
    }
    return page.goOn(PAYEE, 'Saved. We have told you by mail, too.')
  })

  async function showPayee(
    page: PageContext,
    typed?: URLSearchParams,
    problem?: ApiError,
  ): Promise<FastifyReply> {
    assertSecondStep(page)
    const partnerId = await findSellerPartner(db, page.session.user.id)
    const payee = partnerId === null ? undefined : await latestPayee(db, partnerId)
    return sendAccountPage(
      page,
      {
        title: 'Where you are paid',
        at: PAYEE,
        status: problem?.status ?? 200,
        notice: problem ? <Notice kind="error">{errorText(problem)}</Notice> : null,
      },
      <PayeePage
        path={PAYEE}
        payee={viewPayee(payee, 'live', page.now)}
        typed={typed}
        problem={problem}
      />,
    )
  }
}
