import type { Selectable } from 'kysely'
import type { Partner } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import { iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import type { NewEvent, TIERS } from '../events/event-view.ts'

export type Tier = (typeof TIERS)[number]

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
export const OFFER_STATUSES = [
  'open',
  'accepted',
  'rejected',
  'countered',
  'replaced',
  'lapsed',
] as const
export type OfferStatus = (typeof OFFER_STATUSES)[number]

/** What a timeline tells of, in the words of the API. */
export const STEP_TYPES = [
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
  /** Whose doing it was; null: the marketplace's. */
  by: Side | null
  price_cents: number | null
  note: string | null
}

export type Case = Selectable<Schema['brokerage_cases']>
export type Offer = Schema['brokerage_offers']

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
