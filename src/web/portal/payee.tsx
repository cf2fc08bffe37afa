import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { connectPayee, lookUpPayee, onboardingPage } from '../../domain/payees/connect-payee.ts'
import { getPayee } from '../../domain/payees/get-payee.ts'
import { latestPayee } from '../../domain/payees/payee.ts'
import { setOwnPayee } from '../../domain/payees/set-own-payee.ts'
import { Heading } from '../components/parts.tsx'
import { PayeePage } from '../components/payee.tsx'
import { assertSecondStep } from '../layout/page-context.ts'
import type { Portal, PortalContext } from './portal.tsx'

/** Where the partner is paid. */
export function servePayee(portal: Portal): void {
  const { app } = portal
  portal.get('/payee', (page) => showPayee(page))
  portal.post(
    '/payee',
    async (page) => {
      assertSecondStep(page)
      const { form, base } = page
      await portal.write(page, setOwnPayee, fieldsOf(form), `payee:${page.partner.partnerId}`)
      return page.goOn(`${base}/payee`, 'Saved. You and all members are told by mail.')
    },
    showPayee,
  )

  portal.post(
    '/payee/connect',
    async (page) => {
      assertSecondStep(page)
      const { form, base, partner } = page
      const input = { country: form.get('country') }
      const { payee_id } = await portal.write(
        page,
        connectPayee,
        input,
        `payee:${partner.partnerId}`,
      )
      const ourPage = `${app.settings.baseUrl}${base}/payee`
      return page.reply.redirect(await onboardingPage(app, payee_id, ourPage), 303)
    },
    showPayee,
  )

  async function showPayee(
    page: PortalContext & { form?: URLSearchParams },
    problem?: ApiError,
  ): Promise<FastifyReply> {
    assertSecondStep(page)
    await lookUpPayee(app, await latestPayee(app.db, page.partner.partnerId))
    const payee = await portal.read(page, getPayee, {})
    return portal.show(
      page,
      {
        title: 'Payee',
        at: '/payee',
        problem,
        formTargets: [...(app.payoutRail?.pageOrigins ?? [])],
      },
      <>
        <Heading title="Payee" />
        <p class="lead">The account that your payouts go to, of both environments.</p>
        <PayeePage
          path={`${page.base}/payee`}
          payee={payee}
          provider={app.payoutRail?.label ?? null}
          typed={page.form}
          problem={problem}
        />
      </>,
    )
  }
}

/** The fields of an account that were filled in. */
export function fieldsOf(form: URLSearchParams): Record<string, string> {
  const names = Object.keys(setOwnPayee.input.shape)
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name)?.trim()
      return value ? [[name, value]] : []
    }),
  )
}
