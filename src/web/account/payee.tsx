import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import type { PageWrite } from '../../core/operation.ts'
import { findSellerPartner } from '../../domain/partners/seller-partner.ts'
import { connectPayee, lookUpPayee, onboardingPage } from '../../domain/payees/connect-payee.ts'
import { latestPayee, viewPayee } from '../../domain/payees/payee.ts'
import { setOwnPayee } from '../../domain/payees/set-own-payee.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { PayeePage } from '../components/payee.tsx'
import {
  assertSecondStep,
  type FormContext,
  idempotencyOf,
  type PageContext,
  type signedInPages,
} from '../layout/page-context.ts'
import { fieldsOf } from '../portal/payee.tsx'
import { sendAccountPage } from './account-page.tsx'
import { PAYEE } from './paths.ts'

const CONNECT = `${PAYEE}/connect`

/** Where a user is paid for the domains that they sell. */
export function servePayee(
  pages: ReturnType<typeof signedInPages>,
  app: AppContext,
  web: Web,
): void {
  const { db, settings } = app
  pages.get(PAYEE, (page) => showPayee(page))
  pages.post(PAYEE, async (page) => {
    assertSecondStep(page)
    try {
      await write(page, setOwnPayee, fieldsOf(page.form))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return await showPayee(page, page.form, error)
    }
    return page.goOn(PAYEE, 'Saved. We have told you by mail, too.')
  })
  pages.get(CONNECT, async ({ goOn }) => goOn(PAYEE))
  pages.post(CONNECT, async (page) => {
    assertSecondStep(page)
    try {
      const { payee_id } = await write(page, connectPayee, { country: page.form.get('country') })
      const theirs = await onboardingPage(app, payee_id, `${settings.baseUrl}${PAYEE}`)
      return page.reply.redirect(theirs, 303)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return await showPayee(page, page.form, error)
    }
  })

  async function write<Input extends z.ZodObject, Output extends z.ZodType>(
    page: FormContext,
    operation: PageWrite<Input, Output>,
    input: object,
  ): Promise<z.output<Output>> {
    const { session, now, request } = page
    const { value } = await web.execute(operation, {
      caller: { kind: 'page', user: session.user, partner: null },
      now,
      requestId: request.id,
      idempotency: () => idempotencyOf(page, `account:${session.user.id}`),
      input: () => parseInput(operation, input),
    })
    return value
  }

  async function showPayee(
    page: PageContext,
    typed?: URLSearchParams,
    problem?: ApiError,
  ): Promise<FastifyReply> {
    assertSecondStep(page)
    const partnerId = await findSellerPartner(db, page.session.user.id)
    if (partnerId !== null) await lookUpPayee(app, await latestPayee(db, partnerId))
    const payee = partnerId === null ? undefined : await latestPayee(db, partnerId)
    return sendAccountPage(
      page,
      {
        title: 'Where you are paid',
        at: PAYEE,
        status: problem?.status ?? 200,
        formTargets: [...(app.payoutRail?.pageOrigins ?? [])],
        notice: problem ? <Notice kind="error">{errorText(problem)}</Notice> : null,
      },
      <PayeePage
        path={PAYEE}
        payee={viewPayee(payee, 'live', page.now)}
        provider={app.payoutRail?.label ?? null}
        typed={typed}
        problem={problem}
      />,
    )
  }
}
