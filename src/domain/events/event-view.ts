import { z } from 'zod'
import {
  centsView,
  createdAt,
  currencyView,
  domainView,
  idField,
  timestamp,
} from '../../core/fields.ts'
import {
  CASE_EVENT,
  LISTING_EVENTS,
  OFFER_EVENTS,
  ORDER_EVENTS,
  TEST_EVENT,
  TRANSFER_EVENTS,
  TRANSFER_STEPS,
} from './event-types.ts'
import { TransferView } from './transfer-view.ts'

/** Words of orders and cases that events tell; their own modules come after this one. */
export const ORDER_STATUSES = [
  'EXTERNALLY_PAID',
  'PAID',
  'TRANSFER_IN_PROGRESS',
  'TRANSFER_COMPLETED',
  'SETTLED',
  'REFUNDED',
  'CANCELLED',
] as const
export const TIERS = ['managed', 'self_serve'] as const
export const OFFER_STATES = [
  'open',
  'countered',
  'accepted',
  'declined',
  'expired',
  'withdrawn',
] as const
export const OFFER_SIDES = ['seller', 'buyer'] as const

/** An order as every event shows it (specification, Resources). */
const EventOrder = z
  .object({
    public_id: idField('ord').describe('The id of the order.'),
    domain: domainView,
    status: z.enum(ORDER_STATUSES).describe('The status of the order when the event was emitted.'),
    sale_price_cents: centsView(129_500).describe('What the buyer paid, in cents.'),
    currency: currencyView,
  })
  .meta({ id: 'EventOrder', description: 'The order that the event is about.' })

/** What has become of a case (contract, section 9). */
const EventCase = z
  .object({
    case_id: idField('case').describe('The id of the case.'),
    domain: domainView.meta({ example: 'harbourbakery.test' }),
    tier: z
      .enum(TIERS)
      .describe('Who negotiated: a broker (`managed`) or the buyer (`self_serve`).'),
    status: z.literal('completed').describe('Always `completed`.'),
    budget: centsView(500_000).describe('The most that the buyer would pay, in cents.'),
    currency: currencyView,
    price_cents: centsView(450_000).describe('The price of the deal, in cents.'),
    commission_cents: centsView(45_000).describe('Your commission on the deal, in cents.'),
  })
  .meta({ id: 'EventCase', description: 'The brokerage case that the event is about.' })

/** A listing as its events show it (contract, section 16). */
const EventListing = z
  .object({
    domain: domainView,
    price_cents: centsView(129_500).describe('The price, in cents.'),
    currency: currencyView,
    status: z
      .enum(['listed', 'delisted', 'sold'])
      .describe('Whether it is for sale, was withdrawn (`delisted`), or was sold.'),
  })
  .meta({ id: 'EventListing', description: 'The listing that the event is about.' })

/** An offer as its events and responses show it (contract, section 18). */
export const offerFields = {
  offer_id: idField('ofr').describe('The id of the offer.'),
  domain: domainView,
  status: z
    .enum(OFFER_STATES)
    .describe(
      '`open` until the first response, `countered` while both sides negotiate, and then `accepted`, `declined`, ' +
        '`expired` or `withdrawn`.',
    ),
  amount_cents: centsView(90_000).describe('The amount on the table, in cents.'),
  currency: currencyView,
  turn: z
    .enum(OFFER_SIDES)
    .nullable()
    .describe('Whose response is awaited: `seller` or `buyer`; null once the offer has ended.'),
  expires_at: timestamp.describe(
    'When the offer expires unless someone responds. Once accepted: when the reservation ends.',
  ),
  quote_id: idField('qt').nullable().meta({
    description: 'The quote that reserves the domain once the offer is accepted; null until then.',
    example: null,
  }),
}
const EventOffer = z
  .object(offerFields)
  .meta({ id: 'EventOffer', description: 'The offer that the event is about.' })

function eventOf<Type extends z.ZodType, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    id: idField('evt').describe('The id of the event, the same on every delivery.'),
    type,
    created_at: createdAt,
    data: data.describe('What the event is about.'),
  })
}

const TYPE = 'What happened, which says what `data` holds.'
const OrderEventView = eventOf(z.enum(ORDER_EVENTS).describe(TYPE), z.object({ order: EventOrder }))
const TransferEventView = eventOf(
  z.enum(TRANSFER_EVENTS).describe(TYPE),
  z.object({
    order: EventOrder,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the transfer failed or needs action, or null.', example: null }),
  }),
)
const TransferStepView = eventOf(
  z.enum(TRANSFER_STEPS).describe(TYPE),
  z.object({ order: EventOrder, transfer: TransferView }),
)
const CaseEventView = eventOf(z.literal(CASE_EVENT).describe(TYPE), z.object({ case: EventCase }))
const ListingEventView = eventOf(
  z.enum(LISTING_EVENTS).describe(TYPE),
  z.object({ listing: EventListing }),
)
const OfferEventView = eventOf(z.enum(OFFER_EVENTS).describe(TYPE), z.object({ offer: EventOffer }))
const TestEventView = eventOf(
  z.literal(TEST_EVENT).describe(TYPE),
  z.object({
    message: z
      .string()
      .meta({ description: 'A text for people.', example: 'A test: nothing has happened.' }),
  }),
)

/** An event in the history; its type says what its data holds. */
export const HistoryEventView = z
  .discriminatedUnion('type', [
    OrderEventView,
    TransferEventView,
    TransferStepView,
    CaseEventView,
    ListingEventView,
    OfferEventView,
  ])
  .meta({ id: 'Event', description: 'An event of the history. More types may be added.' })

const delivered = { partner_id: idField('prt').describe('Your partner id.') }

/** An event as it is delivered. */
export const DeliveredEventView = z
  .discriminatedUnion('type', [
    OrderEventView.extend(delivered),
    TransferEventView.extend(delivered),
    TransferStepView.extend(delivered),
    CaseEventView.extend(delivered),
    ListingEventView.extend(delivered),
    OfferEventView.extend(delivered),
    TestEventView.extend(delivered),
  ])
  .meta({
    id: 'WebhookEvent',
    description: 'An event as it is delivered. More types may be added.',
  })

type Told<Event> = Event extends { type: infer Type; data: infer Data }
  ? { type: Type; data: Data }
  : never

/** An event as it is emitted: nobody is told what the documents do not say. Without an id it gets one. */
export type NewEvent = Told<z.output<typeof DeliveredEventView>> & { id?: string }
