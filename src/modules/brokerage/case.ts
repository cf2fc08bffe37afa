import type { ColumnType, Selectable } from 'kysely'
import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { iso, timestamp } from '../../kernel/fields.ts'
import type { Environment, Partner, Tx } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { type NewEvent, TIERS } from '../events/event-view.ts'

declare module '../../kernel/schema.ts' {
  interface Schema {
    brokerage_cases: {
      case_id: string
      partner_id: string
      environment: Environment
      domain: string
      tier: Tier
      status: CaseStatus
      buyer_email: string
      budget: number
      currency: string
      note: string | null
      price_cents: number | null
      commission_bps: number
      commission_cents: number | null
      assignee: string | null
      progress_hash: Uint8Array | null
      progress_sealed: Uint8Array | null
      timeline: ColumnType<CaseStep[], string, string>
      created_at: Date
      updated_at: Date
      ended_at: Date | null
    }
    brokerage_offers: {
      offer_id: string
      case_id: string
      made_by: Side
      price_cents: number
      message: string | null
      status: OfferStatus
      created_at: Date
      answered_at: Date | null
    }
    brokerage_notes: { note_id: string; case_id: string; text: string; created_at: Date }
  }
}

type Tier = (typeof TIERS)[number]

export const CASE_STATUSES = [
  'open',
  'sourcing',
  'contacted',
  'negotiating',
  'agreed',
  'completed',
  'declined',
  'no_contact',
  'cancelled',
] as const
export type CaseStatus = (typeof CASE_STATUSES)[number]

/** Who makes an offer: the partner's user, or whoever has the domain. */
export const SIDES = ['buyer', 'owner'] as const
export type Side = (typeof SIDES)[number]

/** `countered` by the other side's, `replaced` by a new one of its own, `lapsed` with the case. */
const OFFER_STATUSES = ['open', 'accepted', 'rejected', 'countered', 'replaced', 'lapsed'] as const
export type OfferStatus = (typeof OFFER_STATUSES)[number]

/** What a timeline tells of, in the words of the API. */
const STEP_TYPES = [
  'brokerage.case_opened',
  'brokerage.case_sourcing',
  'brokerage.case_contacted',
  'brokerage.case_negotiating',
  'brokerage.case_agreed',
  'brokerage.case_completed',
  'brokerage.case_declined',
  'brokerage.case_no_contact',
  'brokerage.case_cancelled',
  'brokerage.contact_tried',
  'brokerage.offer_made',
  'brokerage.offer_accepted',
  'brokerage.offer_rejected',
  'brokerage.budget_raised',
] as const
export type StepType = (typeof STEP_TYPES)[number]

/** One step of a case, which everyone who follows it may see. */
export interface CaseStep {
  at: string
  type: StepType
  /** The case's status after it. */
  status: CaseStatus
  /** Whose doing it was; null: the house's. */
  by: Side | null
  price_cents: number | null
  note: string | null
}

export type Case = Selectable<Schema['brokerage_cases']>
export type Offer = Schema['brokerage_offers']

export const OfferView = z.object({
  offer_id: z.string(),
  made_by: z.enum(SIDES),
  price_cents: z.int(),
  message: z.string().nullable(),
  status: z.enum(OFFER_STATUSES),
  created_at: timestamp,
  answered_at: timestamp.nullable(),
})

/** What a list shows of a case, and an event. */
export const CaseSummary = z.object({
  case_id: z.string(),
  domain: z.string(),
  tier: z.enum(TIERS),
  status: z.enum(CASE_STATUSES),
  budget: z.int(),
  currency: z.string(),
  /** What was agreed; null until then. */
  price_cents: z.int().nullable(),
  /** The partner's share of a completed deal. */
  commission_cents: z.int().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
})

export const CaseView = CaseSummary.extend({
  buyer_email: z.string(),
  note: z.string().nullable(),
  /** The buyer's page, which needs no login; null once the link is revoked. */
  progress_url: z.string().nullable(),
  /** Oldest first, as the timeline. */
  offers: z.array(OfferView),
  timeline: z.array(
    z.object({
      at: timestamp,
      type: z.enum(STEP_TYPES),
      status: z.enum(CASE_STATUSES),
      by: z.enum(SIDES).nullable(),
      price_cents: z.int().nullable(),
      note: z.string().nullable(),
    }),
  ),
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

export function viewOffer(offer: Offer): z.output<typeof OfferView> {
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

/** What a completed case tells the partner. */
export function completedEvent(row: Case): NewEvent {
  const { case_id, domain, tier, budget, currency } = row
  const [price_cents, commission_cents] = [row.price_cents ?? 0, row.commission_cents ?? 0]
  const told = { case_id, domain, tier, status: 'completed' as const, budget, currency }
  return {
    type: 'brokerage.case_completed',
    data: { case: { ...told, price_cents, commission_cents } },
  }
}

export function isRunning({ ended_at }: Pick<Case, 'ended_at'>): boolean {
  return ended_at === null
}

/** The case, held for this transaction; absent also when it is another partner's. */
export async function lockCase(tx: Tx, caseId: string, partner?: Partner): Promise<Case> {
  let query = tx.selectFrom('brokerage_cases').selectAll().where('case_id', '=', caseId).forUpdate()
  if (partner) {
    query = query
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
  }
  const row = await query.executeTakeFirst()
  if (!row) throw notFound('case')
  return row
}

export async function readOffers(db: Pick<Tx, 'selectFrom'>, caseId: string): Promise<Offer[]> {
  return await db
    .selectFrom('brokerage_offers')
    .selectAll()
    .where('case_id', '=', caseId)
    .orderBy('offer_id')
    .execute()
}

/** Writes what may change of a case; its status is changed in `status.ts` alone. */
export async function writeCase(tx: Tx, row: Case): Promise<void> {
  await tx
    .updateTable('brokerage_cases')
    .set({
      status: row.status,
      budget: row.budget,
      price_cents: row.price_cents,
      commission_cents: row.commission_cents,
      timeline: JSON.stringify(row.timeline),
      updated_at: row.updated_at,
      ended_at: row.ended_at,
    })
    .where('case_id', '=', row.case_id)
    .execute()
}

/** The case after a step that leaves its status alone. */
export function withStep(
  row: Case,
  now: Date,
  type: StepType,
  step: Partial<Pick<CaseStep, 'by' | 'price_cents' | 'note'>> = {},
): Case {
  return {
    ...row,
    timeline: [
      ...row.timeline,
      { at: iso(now), type, status: row.status, by: null, price_cents: null, note: null, ...step },
    ],
    updated_at: now,
  }
}
