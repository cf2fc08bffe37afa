import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import {
  centsView,
  createdAt,
  currencyView,
  domainField,
  domainView,
  idField,
  iso,
  timestamp,
  updatedAt,
} from '../../core/fields.ts'
import { TIERS } from '../events/event-view.ts'
import { CASE_STATUSES, type Case, OFFER_STATUSES, type Offer, SIDES, STEP_TYPES } from './case.ts'
import { progressUrl } from './progress-link.ts'

/** A domain that is not for sale, which is why a broker is asked. */
const EXAMPLE_DOMAIN = 'harbourbakery.test'
export const brokeredDomainField = domainField.meta({ example: EXAMPLE_DOMAIN })
export const brokeredDomainView = domainView.meta({ example: EXAMPLE_DOMAIN })

export const tierField = z
  .enum(TIERS, 'must be managed or self_serve')
  .describe(
    '`managed`: a broker negotiates. `self_serve`: the buyer makes, accepts and rejects offers on the progress page.',
  )

export const progressUrlView = z.string().nullable().meta({
  description:
    'The page on which the buyer follows the case without signing in. Null once the link is revoked.',
  example: 'https://market.example/case/mkt_case_8f2c',
})

export const OfferView = z
  .object({
    offer_id: idField('off').describe('The id of the offer.'),
    made_by: z.enum(SIDES).describe('Who made the offer.'),
    price_cents: centsView(450_000).describe('The price offered, in cents.'),
    message: z
      .string()
      .nullable()
      .meta({ description: 'The message to the other side, or null.', example: null }),
    status: z
      .enum(OFFER_STATUSES)
      .describe(
        '`open` until it is `accepted` or `rejected`, `countered` by the other side, `replaced` by a new offer ' +
          'of the same side, or `lapsed` with the case.',
      ),
    created_at: createdAt,
    answered_at: timestamp
      .nullable()
      .meta({ description: 'When it stopped being open, or null.', example: null }),
  })
  .meta({ id: 'BrokerageOffer' })

/** What a list shows of a case, and an event. */
export const CaseSummary = z
  .object({
    case_id: idField('case').describe('The id of the case.'),
    domain: brokeredDomainView,
    tier: tierField,
    status: z
      .enum(CASE_STATUSES)
      .describe(
        'How far the case is. `completed`, `declined`, `no_contact` and `cancelled` are final.',
      ),
    budget: centsView(500_000).describe('The most that the buyer would pay, in cents.'),
    currency: currencyView,
    price_cents: z.int().nullable().meta({
      description: 'The price that was agreed, in cents; null until then.',
      example: null,
    }),
    commission_cents: z.int().nullable().meta({
      description: 'Your commission on the completed deal, in cents; null until then.',
      example: null,
    }),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .meta({ id: 'BrokerageCaseSummary' })

export const CaseView = CaseSummary.extend({
  buyer_email: z.string().meta({
    description: 'The address at which the buyer is notified about the case.',
    example: 'buyer@example.com',
  }),
  note: z
    .string()
    .nullable()
    .meta({ description: 'Your note for the broker, or null.', example: 'For a bakery chain.' }),
  progress_url: progressUrlView,
  offers: z
    .array(OfferView)
    .meta({ description: 'The offers of both sides, oldest first.', example: [] }),
  timeline: z
    .array(
      z.object({
        at: timestamp.describe('When it happened, in UTC.'),
        type: z.enum(STEP_TYPES).describe('What happened.'),
        status: z.enum(CASE_STATUSES).describe('The status of the case afterwards.'),
        by: z
          .enum(SIDES)
          .nullable()
          .meta({ description: 'Which side did it; null for the marketplace.', example: null }),
        price_cents: z
          .int()
          .nullable()
          .meta({ description: 'The price it was about, in cents, or null.', example: null }),
        note: z.string().nullable().meta({ description: 'A remark, or null.', example: null }),
      }),
    )
    .describe('What happened in the case, oldest first.'),
}).meta({
  id: 'BrokerageCase',
  description: 'A broker’s work for a buyer who wants a domain that is not for sale.',
})

export function summarizeCase(row: Case): z.output<typeof CaseSummary> {
  return {
    case_id: row.case_id,
    domain: row.domain,
    tier: row.tier,
    status: row.status,
    budget: row.budget,
    currency: row.currency,
    price_cents: row.price_cents,
    commission_cents: row.commission_cents,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}

function viewOffer(offer: Offer): z.output<typeof OfferView> {
  return {
    offer_id: offer.offer_id,
    made_by: offer.made_by,
    price_cents: offer.price_cents,
    message: offer.message,
    status: offer.status,
    created_at: iso(offer.created_at),
    answered_at: iso(offer.answered_at),
  }
}

/** A case as its partner sees it. */
export function viewCase(
  app: Pick<AppContext, 'secrets' | 'settings'>,
  row: Case,
  offers: Offer[],
): z.output<typeof CaseView> {
  return {
    ...summarizeCase(row),
    buyer_email: row.buyer_email,
    note: row.note,
    progress_url: progressUrl(app, row),
    offers: offers.map(viewOffer),
    timeline: row.timeline.map(({ at, type, status, by, price_cents, note }) => ({
      at,
      type,
      status,
      by,
      price_cents,
      note,
    })),
  }
}
