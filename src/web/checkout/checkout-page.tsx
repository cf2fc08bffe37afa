import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { Session } from '../../domain/checkout/session.ts'
import { findLook } from '../../domain/partners/partner-brand.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { PaymentProvider } from '../../domain/payments/provider.ts'
import { rawQueryOf } from '../../http/input.ts'
import { sendPage } from '../layout/frame.tsx'
import { checkoutPath } from './forms.tsx'

/** A page of a checkout, in the look of its partner: its forms may lead on to their pages and the provider's. */
export async function page(
  { payments, db, brand }: AppContext,
  reply: FastifyReply,
  session: Session,
  title: string,
  status: number,
  body: Parameters<typeof sendPage>[2],
): Promise<FastifyReply> {
  // Browsers hold the redirect behind a form to the same rule as the form.
  const formTargets = [session.return_url, session.cancel_url]
    .filter((url) => url !== null)
    .map((url) => new URL(url).origin)
  formTargets.push(...(payments.of(session.environment)?.pageOrigins ?? []))
  const look = await findLook(db, brand, session.partner_id)
  return sendPage(reply, { title, status, formTargets, hidden: true, look }, body)
}

/** Where the buyer confirms the payment, or comes back to from where the provider asks for that. */
export function returnUrl(
  { settings }: AppContext,
  { confirmsHere }: PaymentProvider,
  token: string,
  paymentId: string,
): string {
  return confirmsHere
    ? `${checkoutPath(token, '/confirm')}&payment=${paymentId}`
    : `${settings.baseUrl}${checkoutPath(token)}&payment=${paymentId}`
}

/** Whether the buyer confirms this payment on a page of ours. */
export function confirmsHere({ payments }: AppContext, { provider }: Payment): boolean {
  return payments.byId(provider).confirmsHere
}

export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(rawQueryOf(request))
}

/** The region that a browser's first language names, such as CH of `de-CH`. */
export function countryOf(request: FastifyRequest): string | null {
  const [, region = null] =
    /^[a-z]{2,3}-([A-Z]{2})\b/.exec(request.headers['accept-language'] ?? '') ?? []
  return region
}
