import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { canCancel } from '../../domain/agents/list-app-spending.ts'
import { invoicesOf } from '../../domain/invoices/invoice.ts'
import { findOrderByToken, revealCode } from '../../domain/orders/reveal-code.ts'
import { readForm } from '../../http/same-origin.ts'
import { readSession } from '../../http/session-cookie.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { sendInvoice } from '../components/send-pdf.ts'
import { sendPage } from '../layout/frame.tsx'
import { OrderPage, type Shown } from './page.tsx'

type Params = { token: string }

/** The buyer's page of an order, behind a link that was mailed: no login is asked for. */
export function serveOrderPages(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const config = { page: true, operation: 'order_page' } as const

  fastify.get<{ Params: Params }>('/orders/:token', { config }, async (request, reply) => {
    await web.countUnauthenticated(request, app.clock.now())
    return show(request, reply, {})
  })

  // A form, since a link that is only looked at, as mail scanners do, must not read the code.
  fastify.post<{ Params: Params }>(
    '/orders/:token',
    { config: { ...config, operation: 'order_page_code' } },
    async (request, reply) => {
      const now = app.clock.now()
      await web.countUnauthenticated(request, now)
      readForm(request, app.settings.baseUrl)
      try {
        const { value } = await web.execute(revealCode, {
          caller: { kind: 'page', user: null, partner: null },
          now,
          requestId: request.id,
          input: () => ({ token: request.params.token }),
        })
        return await show(request, reply, { code: value.auth_code })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'not_found') throw error
        return await show(request, reply, { problem: errorText(error), status: error.status })
      }
    },
  )

  fastify.get<{ Params: Params & { number: string } }>(
    '/orders/:token/invoices/:number',
    { config: { ...config, operation: 'order_page_invoice' } },
    async (request, reply) => {
      await web.countUnauthenticated(request, app.clock.now())
      const { token, number } = request.params
      const { public_id } = await findOrderByToken(app, token)
      return await sendInvoice(reply, await invoicesOf(app.db, public_id), number)
    },
  )

  async function show(
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
    shown: Shown,
  ): Promise<FastifyReply> {
    const { token } = request.params
    const [order, session] = await Promise.all([
      findOrderByToken(app, token),
      readSession(request, app),
    ])
    const invoices = await invoicesOf(app.db, order.public_id)
    return sendPage(
      reply,
      {
        title: nameText(order.domain),
        status: shown.status ?? 200,
        hidden: true,
        // Who came from their account finds the way back.
        ...(session && { viewer: session.user, at: 'Account' }),
      },
      <OrderPage
        order={order}
        action={`/orders/${token}`}
        shown={shown}
        isSignedIn={session !== null}
        canCancel={session !== null && (await canCancel(app.db, session.user.id, order))}
        documents={invoices.map(({ kind, number }) => ({
          kind,
          number,
          href: `/orders/${token}/invoices/${number}`,
        }))}
      />,
    )
  }
}
