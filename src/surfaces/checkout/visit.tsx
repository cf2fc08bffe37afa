import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import type { Session } from '../../modules/checkout/session.ts'
import type { PaymentProvider } from '../../modules/payments/provider.ts'
import { rawQueryOf } from '../input.ts'
import { sendPage } from '../pages/frame.tsx'

/** Where Stripe asks for cards: browsers may be led there from our forms. */
export const STRIPE_PAGES = 'https://checkout.stripe.com'

/** A page of a checkout: its forms may lead on to the partner's pages and the provider's. */
export function page(
  { payments, settings }: House,
  reply: FastifyReply,
  session: Session,
  title: string,
  status: number,
  body: Parameters<typeof sendPage>[2],
): FastifyReply {
  // Browsers hold the redirect behind a form to the same rule as the form.
  const formTargets = [session.return_url, session.cancel_url]
    .filter((url) => url !== null)
    .map((url) => new URL(url).origin)
  if (payments.of(session.environment)?.name === 'stripe') {
    formTargets.push(STRIPE_PAGES, new URL(settings.stripe?.apiBase ?? STRIPE_PAGES).origin)
  }
  return sendPage(reply, { title, status, formTargets, hidden: true }, body)
}

export function providerOf({ payments }: House, { environment }: Session): PaymentProvider {
  const provider = payments.of(environment)
  if (provider) return provider
  throw new Refusal('unavailable', 'Payments are not set up here yet.', { retryAfter: 3_600 })
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
