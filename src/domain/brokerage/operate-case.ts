import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { readPage } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import {
  centsField,
  createdAt,
  domainField,
  idField,
  iso,
  nextCursor,
  paging,
  textField,
} from '../../core/fields.ts'
import { adminRead, adminWrite, partnerWrite } from '../../core/operation.ts'
import { BROKERS, CASE_READERS } from '../../core/roles.ts'
import { CASE_STATUSES, type Case, lockCase, readOffers } from './case.ts'
import { MOVE_NAMES, moveCase } from './status.ts'
import { CaseSummary, CaseView, summarizeCase, viewCase } from './view-case.ts'

const ofOperators = {
  partner_id: idField('prt').describe('The partner who opened the case.'),
  environment: z.enum(ENVIRONMENTS),
  assignee: z.string().nullable().describe('The broker who works on it, or null while it waits.'),
}
export const AdminCaseView = CaseView.extend(ofOperators)

export function operatorsPart({ partner_id, environment, assignee }: Case) {
  return { partner_id, environment, assignee }
}

const MoveInput = z.object({
  case_id: idField('case').describe('The case to move.'),
  move: z
    .enum(MOVE_NAMES)
    .describe(
      'What happens: `source`, `contact`, `negotiate`, `agree` and `complete` in this order; `decline`, ' +
        '`no-contact` and `cancel` end the case.',
    ),
  price_cents: centsField.nullish().meta({
    description:
      'The price that was agreed, in cents. `agree` requires it, and `complete` may correct it.',
    example: 450_000,
  }),
  note: textField(1_000).nullish().describe('A note that the buyer and the partner can read.'),
  buyer_consented: z
    .boolean()
    .default(false)
    .describe('Whether the buyer agreed to a price above the budget.'),
})

/** An operator's move on any case. */
export const operateCase = adminWrite({
  name: 'operate_case',
  roles: BROKERS,
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
    return { ...viewCase(context.app, moved, offers), ...operatorsPart(moved) }
  },
})

/** In the sandbox the partner plays the broker (contract, section 6). */
export const sandboxMoveCase = partnerWrite({
  name: 'sandbox_move_case',
  tag: 'Sandbox',
  summary: 'Play the broker: move a case',
  description:
    'Moves one of your sandbox cases as a broker would. Use it to test how your integration handles each state of a case; ' +
    'completing one credits your commission and emits `brokerage.case_completed`. A move that the status of the case ' +
    'does not allow, or a price above the budget without the consent of the buyer, gives `conflict`.',
  method: 'POST',
  path: '/sandbox/brokerage/{case_id}/{move}',
  scope: 'broker',
  sandboxOnly: true,
  example: { input: { move: 'agree' }, output: { status: 'agreed', price_cents: 450_000 } },
  input: MoveInput,
  output: CaseView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, move, ...details }) {
    const row = await lockCase(context.tx, case_id, context.partner)
    const moved = await moveCase(context, row, move, details)
    return viewCase(context.app, moved, await readOffers(context.tx, case_id))
  },
})

/** Cases of all partners: the brokers' queue is `running=true`, what waits for one `assigned=false`. */
export const listAllCases = adminRead({
  name: 'list_all_cases',
  roles: CASE_READERS,
  summary: 'List brokerage cases of all partners, newest first',
  method: 'GET',
  path: '/brokerage',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional().describe('Only cases of this environment.'),
    partner_id: idField('prt').optional().describe('Only cases of this partner.'),
    status: z.enum(CASE_STATUSES).optional().describe('Only cases in this status.'),
    domain: domainField.optional().describe('Only cases for this domain.'),
    assignee: z.string().optional().describe('Only cases of this broker.'),
    running: z.boolean().optional().describe('Only cases that are running, or that have ended.'),
    assigned: z.boolean().optional().describe('Only cases that have a broker, or that have none.'),
    ...paging,
  }),
  output: z.object({
    cases: z.array(CaseSummary.extend({ ...ofOperators, buyer_email: z.string() })),
    next_cursor: nextCursor,
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
  roles: CASE_READERS,
  summary: 'Show a brokerage case, with the notes of its brokers',
  method: 'GET',
  path: '/brokerage/{case_id}',
  input: z.object({ case_id: idField('case').describe('The id of the case.') }),
  output: AdminCaseView.extend({
    notes: z.array(z.object({ note_id: z.string(), text: z.string(), created_at: createdAt })),
  }),
  status: 200,
  errors: ['not_found'],
  async handler({ db, app, actor }, { case_id }) {
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
    const shown = viewCase(app, row, offers)
    return {
      ...shown,
      ...operatorsPart(row),
      // Anyone who has it can act as the buyer.
      progress_url: BROKERS.includes(actor.role) ? shown.progress_url : null,
      notes: notes.map(({ note_id, text, created_at }) => ({
        note_id,
        text,
        created_at: iso(created_at),
      })),
    }
  },
})
