import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { getPayee } from '../../domain/payees/get-payee.ts'
import { setOwnPayee } from '../../domain/payees/set-own-payee.ts'
import { Heading } from '../components/parts.tsx'
import { PayeePage } from '../components/payee.tsx'
import { assertSecondStep } from '../layout/page-context.ts'
import type { Portal, PortalContext } from './portal.tsx'

/** Where the partner is paid. */
export function servePayee(portal: Portal): void {
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

  async function showPayee(
    page: PortalContext & { form?: URLSearchParams },
    problem?: ApiError,
  ): Promise<FastifyReply> {
    assertSecondStep(page)
    const payee = await portal.read(page, getPayee, {})
    return portal.show(
      page,
      { title: 'Payee', at: '/payee', problem },
      <>
        <Heading title="Payee" />
        <p class="lead">The account that your payouts go to, of both environments.</p>
        <PayeePage path={`${page.base}/payee`} payee={payee} typed={page.form} problem={problem} />
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
