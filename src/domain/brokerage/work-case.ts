import { z } from 'zod'
import { notAllowedNow } from '../../core/errors.ts'
import { centsField, idField, textField } from '../../core/fields.ts'
import { adminWrite, partnerWrite, type WriteContext } from '../../core/operation.ts'
import { BROKERS } from '../../core/roles.ts'
import { type Case, isRunning, lockCase, readOffers, SIDES, withStep, writeCase } from './case.ts'
import { writeNote } from './notes.ts'
import { answerOffer, makeOffer } from './offers.ts'
import { AdminCaseView, operatorsPart } from './operate-case.ts'
import { CaseView, type OfferView, viewCase } from './view-case.ts'

const caseId = { case_id: idField('case').describe('The id of the case.') }
const consentField = z
  .boolean()
  .default(false)
  .describe('Whether the buyer agreed to a price above the budget.')

async function adminAnswer({ tx, app }: WriteContext, row: Case) {
  return { ...viewCase(app, row, await readOffers(tx, row.case_id)), ...operatorsPart(row) }
}

export const assignCase = adminWrite({
  name: 'assign_case',
  roles: BROKERS,
  summary: 'Give a case to a broker, or back to the queue',
  method: 'POST',
  path: '/brokerage/{case_id}/assign',
  input: z.object({
    ...caseId,
    assignee: textField(200)
      .min(1)
      .nullable()
      .describe('The broker who works on it; null gives it back to the queue.'),
  }),
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
  roles: BROKERS,
  summary: 'Write a note that only brokers see',
  method: 'POST',
  path: '/brokerage/{case_id}/notes',
  input: z.object({
    ...caseId,
    text: textField(4_000).min(1).describe('The note, which only brokers can read.'),
  }),
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
  roles: BROKERS,
  summary: 'Record a try to reach the owner',
  method: 'POST',
  path: '/brokerage/{case_id}/contacts',
  input: z.object({
    ...caseId,
    channel: z
      .enum(['email', 'phone', 'letter', 'message', 'other'])
      .describe('How the owner was contacted.'),
    text: textField(4_000).min(1).nullish().describe('A note that only brokers can read.'),
  }),
  output: AdminCaseView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, channel, text }) {
    const { tx, now } = context
    const row = await lockCase(tx, case_id)
    if (!isRunning(row)) throw notAllowedNow('case', row.status, `The case is ${row.status}.`)
    const tried = withStep(row, now, 'brokerage.contact_tried', { note: channel })
    await writeCase(tx, tried)
    if (text) await writeNote(tx, now, case_id, text)
    return adminAnswer(context, tried)
  },
})

const OfferInput = z.object({
  ...caseId,
  made_by: z.enum(SIDES).describe('Who makes the offer.'),
  price_cents: centsField.meta({
    description: 'The price offered, in cents.',
    example: 450_000,
  }),
  message: textField(1_000).nullish().describe('A message that both sides can read.'),
  buyer_consented: consentField,
})

const EXAMPLE_OFFER: z.output<typeof OfferView> = {
  offer_id: 'off_01k8zd6y3vj5r2m4n6p8q0s1t3',
  made_by: 'buyer',
  price_cents: 450_000,
  message: null,
  status: 'open',
  created_at: '2026-01-05T09:30:00.000Z',
  answered_at: null,
}

const AnswerInput = z.object({
  ...caseId,
  offer_id: idField('off').describe('The open offer.'),
  answer: z.enum(['accept', 'reject']).describe('What the other side said.'),
  buyer_consented: consentField,
})

export const recordOffer = adminWrite({
  name: 'record_offer',
  roles: BROKERS,
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
  roles: BROKERS,
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

/** In the sandbox the partner plays the broker, who brings the owner's offers and responses. */
export const sandboxRecordOffer = partnerWrite({
  name: 'sandbox_record_offer',
  tag: 'Sandbox',
  summary: 'Play the broker: record an offer',
  description:
    'Records an offer of the buyer or of the owner in one of your sandbox cases. It counters the open offer of the other ' +
    'side, or replaces one of the same side. The owner can make offers once the case is `contacted`. An offer ' +
    'that the status of the case does not allow, or one of the buyer above the budget without consent, gives ' +
    '`conflict`.',
  method: 'POST',
  path: '/sandbox/brokerage/{case_id}/offers',
  scope: 'broker',
  sandboxOnly: true,
  example: { output: { status: 'negotiating', offers: [EXAMPLE_OFFER] } },
  input: OfferInput,
  output: CaseView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, ...offer }) {
    const row = await lockCase(context.tx, case_id, context.partner)
    const offered = await makeOffer(context, row, offer)
    return viewCase(context.app, offered, await readOffers(context.tx, case_id))
  },
})

export const sandboxRecordAnswer = partnerWrite({
  name: 'sandbox_record_answer',
  tag: 'Sandbox',
  summary: 'Play the broker: accept or reject an offer',
  description:
    'Records that the other side accepts or rejects an open offer in one of your sandbox cases. An accepted offer makes ' +
    'the case `agreed` at its price. An offer that is no longer open gives `conflict`.',
  method: 'POST',
  path: '/sandbox/brokerage/{case_id}/offers/{offer_id}/{answer}',
  scope: 'broker',
  sandboxOnly: true,
  example: {
    output: {
      status: 'agreed',
      price_cents: EXAMPLE_OFFER.price_cents,
      offers: [{ ...EXAMPLE_OFFER, status: 'accepted', answered_at: '2026-01-05T09:35:00.000Z' }],
    },
  },
  input: AnswerInput,
  output: CaseView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { case_id, offer_id, answer, buyer_consented }) {
    const row = await lockCase(context.tx, case_id, context.partner)
    const answered = await answerOffer(context, row, offer_id, answer, { buyer_consented })
    return viewCase(context.app, answered, await readOffers(context.tx, case_id))
  },
})
