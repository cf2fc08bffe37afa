import { z } from 'zod'
import { timestamp } from '../../kernel/fields.ts'
import { CASE_EVENT, ORDER_EVENTS, TEST_EVENT, TRANSFER_EVENTS } from './tables.ts'

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

/** An order as every event shows it (specification, Resources). */
const ToldOrder = z.object({
  public_id: z.string(),
  domain: z.string(),
  status: z.enum(ORDER_STATUSES),
  sale_price_cents: z.int(),
  currency: z.string(),
})

/** What has become of a case (contract, section 9). */
const ToldCase = z.object({
  case_id: z.string(),
  domain: z.string(),
  tier: z.enum(TIERS),
  status: z.literal('completed'),
  budget: z.int(),
  currency: z.string(),
  price_cents: z.int(),
  commission_cents: z.int(),
})

function eventOf<Type extends z.ZodType, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({ id: z.string(), type, created_at: timestamp, data })
}

const OrderEventView = eventOf(z.enum(ORDER_EVENTS), z.object({ order: ToldOrder }))
const TransferEventView = eventOf(
  z.enum(TRANSFER_EVENTS),
  z.object({ order: ToldOrder, reason: z.string().nullable() }),
)
const CaseEventView = eventOf(z.literal(CASE_EVENT), z.object({ case: ToldCase }))
const TestEventView = eventOf(z.literal(TEST_EVENT), z.object({ message: z.string() }))

/** An event in the history; its type says what its data holds. */
export const HistoryEventView = z.discriminatedUnion('type', [
  OrderEventView,
  TransferEventView,
  CaseEventView,
])

const delivered = { partner_id: z.string() }

/** An event as it is delivered. */
export const DeliveredEventView = z.discriminatedUnion('type', [
  OrderEventView.extend(delivered),
  TransferEventView.extend(delivered),
  CaseEventView.extend(delivered),
  TestEventView.extend(delivered),
])

type Told<Event> = Event extends { type: infer Type; data: infer Data }
  ? { type: Type; data: Data }
  : never

/** An event as it is emitted: nobody is told what the documents do not say. */
export type NewEvent = Told<z.output<typeof DeliveredEventView>>
