import { z } from 'zod'
import { readPage } from '../../kernel/cursor.ts'
import { notFound } from '../../kernel/errors.ts'
import { centsField, domainField, iso, paging, textField, timestamp } from '../../kernel/fields.ts'
import { adminRead, adminWrite, ENVIRONMENTS, partnerWrite } from '../../kernel/operation.ts'
import {
  CASE_STATUSES,
  type Case,
  CaseSummary,
  CaseView,
  lockCase,
  readOffers,
  summarizeCase,
} from './case.ts'
import { MOVE_NAMES, moveCase } from './status.ts'
import { viewCase } from './view-case.ts'

const ofOperators = {
  partner_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  /** Which broker has it; null while it waits. */
  assignee: z.string().nullable(),
}
export const AdminCaseView = CaseView.extend(ofOperators)

export function operatorsPart({ partner_id, environment, assignee }: Case) {
  return { partner_id, environment, assignee }
}

const MoveInput = z.object({
  case_id: z.string(),
  move: z.enum(MOVE_NAMES),
  /** What was agreed; needed to agree, and to complete at another price. */
  price_cents: centsField.nullish(),
  /** Shown to the buyer and the partner. */
  note: textField(1_000).nullish(),
  /** The buyer gave their word for a price above the budget. */
  buyer_consented: z.boolean().default(false),
})

/** An operator's move on any case. */
export const operateCase = adminWrite({
  name: 'operate_case',
  summary: 'Move a case: source, contact, negotiate, agree, complete, decline, no-contact, cancel',
  method: 'POST',
  path: '/brokerage/{case_id}/{move}',
  input: MoveInput,
  output: AdminCaseView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, move, ...details }) {
    const row = await lockCase(context.tx, case_id)
    const moved = await moveCase(context, row, move, details)
    const offers = await readOffers(context.tx, case_id)
    return { ...viewCase(context.house, moved, offers), ...operatorsPart(moved) }
  },
})

/** In the sandbox the partner plays the broker (contract, section 6). */
export const sandboxMoveCase = partnerWrite({
  name: 'sandbox_move_case',
  summary: 'Sandbox: play the broker, move a case',
  method: 'POST',
  path: '/sandbox/brokerage/{case_id}/{move}',
  scope: 'broker',
  sandboxOnly: true,
  input: MoveInput,
  output: CaseView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, move, ...details }) {
    const row = await lockCase(context.tx, case_id, context.partner)
    const moved = await moveCase(context, row, move, details)
    return viewCase(context.house, moved, await readOffers(context.tx, case_id))
  },
})

/** Cases of all partners: the brokers' queue is `running=true`, what waits for one `assigned=false`. */
export const listAllCases = adminRead({
  name: 'list_all_cases',
  summary: 'Brokerage cases of all partners, newest first',
  method: 'GET',
  path: '/brokerage',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional(),
    partner_id: z.string().optional(),
    status: z.enum(CASE_STATUSES).optional(),
    domain: domainField.optional(),
    assignee: z.string().optional(),
    running: z.boolean().optional(),
    assigned: z.boolean().optional(),
    ...paging,
  }),
  output: z.object({
    cases: z.array(CaseSummary.extend({ ...ofOperators, buyer_email: z.string() })),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'all_cases', ...filters }
    const { running, assigned, ...equal } = filters
    let query = db.selectFrom('brokerage_cases').selectAll()
    for (const [column, value] of Object.entries(equal)) {
      if (value !== undefined)
        query = query.where(column as keyof typeof equal, '=', value as never)
    }
    if (running !== undefined) query = query.where('ended_at', running ? 'is' : 'is not', null)
    if (assigned !== undefined) query = query.where('assignee', assigned ? 'is not' : 'is', null)
    const { rows, next_cursor } = await readPage(query, 'case_id', { cursor, limit, bound })
    return {
      cases: rows.map((row) => ({
        ...summarizeCase(row),
        ...operatorsPart(row),
        buyer_email: row.buyer_email,
      })),
      next_cursor,
    }
  },
})

/** Any case, with what only brokers see. */
export const showCase = adminRead({
  name: 'show_case',
  summary: 'Any brokerage case, with the notes of its brokers',
  method: 'GET',
  path: '/brokerage/{case_id}',
  input: z.object({ case_id: z.string() }),
  output: AdminCaseView.extend({
    notes: z.array(z.object({ note_id: z.string(), text: z.string(), created_at: timestamp })),
  }),
  status: 200,
  errors: ['not_found'],
  async handler({ db, house }, { case_id }) {
    const [row, offers, notes] = await Promise.all([
      db
        .selectFrom('brokerage_cases')
        .selectAll()
        .where('case_id', '=', case_id)
        .executeTakeFirst(),
      readOffers(db, case_id),
      db
        .selectFrom('brokerage_notes')
        .selectAll()
        .where('case_id', '=', case_id)
        .orderBy('note_id')
        .execute(),
    ])
    if (!row) throw notFound('case')
    return {
      ...viewCase(house, row, offers),
      ...operatorsPart(row),
      notes: notes.map(({ note_id, text, created_at }) => ({
        note_id,
        text,
        created_at: iso(created_at),
      })),
    }
  },
})
