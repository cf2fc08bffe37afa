import { z } from 'zod'
import {
  countryField,
  domainField,
  emailField,
  lineField,
  textField,
  webUrlField,
} from '../../kernel/fields.ts'
import { partnerWrite, type Tx } from '../../kernel/operation.ts'
import { after } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type Listing, lockListing, notListed } from '../inventory/listing.ts'
import { refuseTaken } from '../quotes/reservation.ts'
import { SESSION_LIFETIME_MS, type Session, SessionView, viewSession } from './session.ts'

const MAX_METADATA = 50

const Input = z.object({
  domain: domainField,
  /** What is known of the buyer, to be filled in beforehand. */
  buyer: z
    .object({
      email: emailField.nullish(),
      name: lineField(200).nullish(),
      country: countryField.nullish(),
    })
    .nullish(),
  /** Where the buyer goes after paying, and from where one who would not pay goes back. */
  return_url: webUrlField.nullish(),
  cancel_url: webUrlField.nullish(),
  external_ref: textField(255).nullish(),
  metadata: z
    .record(
      textField(40).min(1),
      z.union([textField(500), z.number(), z.boolean(), z.null()], {
        error: 'must be text, a number, true, false or null',
      }),
    )
    .refine((data) => Object.keys(data).length <= MAX_METADATA, `may hold ${MAX_METADATA} keys`)
    .nullish(),
})

/** A link on which the house collects the payment, and the sale is the partner's. */
export const createCheckoutSession = partnerWrite({
  name: 'create_checkout_session',
  summary: 'Make a checkout link: the house collects, you earn a commission',
  method: 'POST',
  path: '/checkout-session',
  scope: 'embed',
  input: Input,
  output: SessionView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, house, partner }, input) {
    const listing = await lockListing(tx, partner.environment, input.domain)
    if (!listing) throw notListed(input.domain)
    await refuseTaken(tx, listing, partner.partnerId, now)
    const session = newSession(listing, partner.partnerId, now)
    session.buyer = {
      email: input.buyer?.email ?? null,
      name: input.buyer?.name ?? null,
      country: input.buyer?.country ?? null,
    }
    session.return_url = input.return_url ?? null
    session.cancel_url = input.cancel_url ?? null
    session.external_ref = input.external_ref ?? null
    session.metadata = input.metadata ?? {}
    await insertSession(tx, session)
    return viewSession(house, session, now)
  },
})

export function newSession(listing: Listing, partnerId: string, now: Date): Session {
  return {
    id: newId('cs', now),
    partner_id: partnerId,
    environment: listing.environment,
    domain: listing.domain,
    price_cents: listing.price_cents,
    currency: listing.currency,
    seller_id: listing.seller_id,
    status: 'open',
    buyer: { email: null, name: null, country: null },
    registrant: null,
    return_url: null,
    cancel_url: null,
    external_ref: null,
    metadata: {},
    link_id: null,
    clicked_at: null,
    public_id: null,
    created_at: now,
    updated_at: now,
    expires_at: after(now, SESSION_LIFETIME_MS),
  }
}

export async function insertSession(tx: Tx, session: Session): Promise<void> {
  await tx
    .insertInto('checkout_sessions')
    .values({
      ...session,
      buyer: JSON.stringify(session.buyer),
      registrant: session.registrant && JSON.stringify(session.registrant),
      metadata: JSON.stringify(session.metadata),
    })
    .execute()
}
