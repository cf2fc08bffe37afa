import { z } from 'zod'
import { conflict } from '../../kernel/errors.ts'
import { centsField, textField } from '../../kernel/fields.ts'
import { adminWrite, partnerWrite, type WriteContext } from '../../kernel/operation.ts'
import {
  type Case,
  CaseView,
  isRunning,
  lockCase,
  readOffers,
  SIDES,
  withStep,
  writeCase,
} from './case.ts'
import { writeNote } from './notes.ts'
import { answerOffer, makeOffer } from './offers.ts'
import { AdminCaseView, operatorsPart } from './operate-case.ts'
import { viewCase } from './view-case.ts'

const caseId = { case_id: z.string() }

async function adminAnswer({ tx, house }: WriteContext, row: Case) {
  return { ...viewCase(house, row, await readOffers(tx, row.case_id)), ...operatorsPart(row) }
}

export const assignCase = adminWrite({
  name: 'assign_case',
  summary: 'Give a case to a broker, or back to the queue',
  method: 'POST',
  path: '/brokerage/{case_id}/assign',
  input: z.object({ ...caseId, assignee: textField(200).min(1).nullable() }),
  output: AdminCaseView,
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler(context, { case_id, assignee }) {
    const row = await lockCase(context.tx, case_id)
    await context.tx
      .updateTable('brokerage_cases')
      .set({ assignee, updated_at: context.now })
      .where('case_id', '=', case_id)
      .execute()
    return adminAnswer(context, { ...row, assignee, updated_at: context.now })
  },
})

export const noteCase = adminWrite({
  name: 'note_case',
  summary: 'Write a note that only brokers see',
  method: 'POST',
  path: '/brokerage/{case_id}/notes',
  input: z.object({ ...caseId, text: textField(4_000).min(1) }),
  output: AdminCaseView,
  status: 201,
  errors: ['validation_error', 'not_found'],
  async handler(context, { case_id, text }) {
    const row = await lockCase(context.tx, case_id)
    await writeNote(context.tx, context.now, case_id, text)
    return adminAnswer(context, row)
  },
})

/** A try to reach the owner: what it led to is for everyone to see, the rest for brokers. */
export const recordContact = adminWrite({
  name: 'record_contact',
  summary: 'Record a try to reach the owner',
  method: 'POST',
  path: '/brokerage/{case_id}/contacts',
  input: z.object({
    ...caseId,
    channel: z.enum(['email', 'phone', 'letter', 'message', 'other']),
    /** For brokers only. */
    text: textField(4_000).min(1).nullish(),
  }),
  output: AdminCaseView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, channel, text }) {
    const { tx, now } = context
    const row = await lockCase(tx, case_id)
    if (!isRunning(row)) throw conflict(`The case is ${row.status}.`, { status: row.status })
    const tried = withStep(row, now, 'brokerage.contact_tried', { note: channel })
    await writeCase(tx, tried)
    if (text) await writeNote(tx, now, case_id, text)
    return adminAnswer(context, tried)
  },
})

const OfferInput = z.object({
  ...caseId,
  made_by: z.enum(SIDES),
  price_cents: centsField,
  /** Shown to both sides. */
  message: textField(1_000).nullish(),
  buyer_consented: z.boolean().default(false),
})

const AnswerInput = z.object({
  ...caseId,
  offer_id: z.string(),
  answer: z.enum(['accept', 'reject']),
  buyer_consented: z.boolean().default(false),
})

export const recordOffer = adminWrite({
  name: 'record_offer',
  summary: 'Record an offer of either side',
  method: 'POST',
  path: '/brokerage/{case_id}/offers',
  input: OfferInput,
  output: AdminCaseView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, ...offer }) {
    const row = await lockCase(context.tx, case_id)
    return adminAnswer(context, await makeOffer(context, row, offer))
  },
})

export const recordAnswer = adminWrite({
  name: 'record_answer',
  summary: 'Record what the other side said to an offer: accept, reject',
  method: 'POST',
  path: '/brokerage/{case_id}/offers/{offer_id}/{answer}',
  input: AnswerInput,
  output: AdminCaseView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, offer_id, answer, buyer_consented }) {
    const row = await lockCase(context.tx, case_id)
    const answered = await answerOffer(context, row, offer_id, answer, { buyer_consented })
    return adminAnswer(context, answered)
  },
})

/** In the sandbox the partner plays the broker, who brings the owner's offers and answers. */
export const sandboxRecordOffer = partnerWrite({
  name: 'sandbox_record_offer',
  summary: 'Sandbox: play the broker, record an offer',
  method: 'POST',
  path: '/sandbox/brokerage/{case_id}/offers',
  scope: 'broker',
  sandboxOnly: true,
  input: OfferInput,
  output: CaseView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, ...offer }) {
    const row = await lockCase(context.tx, case_id, context.partner)
    const offered = await makeOffer(context, row, offer)
    return viewCase(context.house, offered, await readOffers(context.tx, case_id))
  },
})

export const sandboxRecordAnswer = partnerWrite({
  name: 'sandbox_record_answer',
  summary: 'Sandbox: play the broker, record the answer to an offer',
  method: 'POST',
  path: '/sandbox/brokerage/{case_id}/offers/{offer_id}/{answer}',
  scope: 'broker',
  sandboxOnly: true,
  input: AnswerInput,
  output: CaseView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, offer_id, answer, buyer_consented }) {
    const row = await lockCase(context.tx, case_id, context.partner)
    const answered = await answerOffer(context, row, offer_id, answer, { buyer_consented })
    return viewCase(context.house, answered, await readOffers(context.tx, case_id))
  },
})
