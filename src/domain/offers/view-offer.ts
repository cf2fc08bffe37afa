import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { centsView, createdAt, iso, timestamp, updatedAt } from '../../core/fields.ts'
import { OFFER_SIDES, offerFields } from '../events/event-view.ts'
import type { Offer } from './offer.ts'
import { offerUrl } from './offer-links.ts'

export const MAX_MESSAGE = 2_000

export const OfferView = z
  .object({
    ...offerFields,
    buyer: z
      .object({
        email: z.string().meta({
          description: 'The address at which the buyer is notified.',
          example: 'buyer@example.com',
        }),
        name: z
          .string()
          .nullable()
          .meta({ description: 'Their name, or null.', example: 'Ada Buyer' }),
        country: z
          .string()
          .nullable()
          .meta({ description: 'Their country, or null.', example: 'DE' }),
      })
      .describe('Who the offer is for.'),
    offers_url: z.string().meta({
      description:
        'The page on which the buyer follows the offer and responds, without signing in.',
      example: 'https://market.example/offers/5f0c',
    }),
    history: z
      .array(
        z.object({
          by: z.enum(OFFER_SIDES).describe('Who offered or asked for the amount.'),
          amount_cents: centsView(90_000).describe('The amount, in cents.'),
          at: timestamp.describe('When it was sent, in UTC.'),
          message: z
            .string()
            .nullable()
            .meta({ description: 'The message to the other side, or null.', example: null }),
        }),
      )
      .describe('The amounts that either side put on the table, oldest first.'),
    closed_by: z.enum(OFFER_SIDES).nullable().meta({
      description:
        'Who accepted, declined or withdrew it; null while it is running, when it expired, or when the domain was sold.',
      example: null,
    }),
    closing_message: z
      .string()
      .nullable()
      .meta({ description: 'The message that came with that, or null.', example: null }),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .meta({
    id: 'Offer',
    description: 'An amount that a buyer offers for a domain that is for sale.',
  })

/** An offer as its partner sees it. */
export function viewOffer(
  app: Pick<AppContext, 'secrets' | 'settings'>,
  row: Offer,
): z.output<typeof OfferView> {
  return {
    offer_id: row.offer_id,
    domain: row.domain,
    status: row.status,
    amount_cents: row.amount_cents,
    currency: row.currency,
    turn: row.turn,
    buyer: row.buyer,
    expires_at: iso(row.expires_at),
    quote_id: row.quote_id,
    offers_url: offerUrl(app, row, 'buyer'),
    history: row.history.map(({ by, amount_cents, at, message }) => ({
      by,
      amount_cents,
      at,
      message,
    })),
    closed_by: row.closed_by,
    closing_message: row.closing_message,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}
