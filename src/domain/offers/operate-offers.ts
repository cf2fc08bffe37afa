import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import { idField, nextCursor, paging } from '../../core/fields.ts'
import { adminRead, adminWrite, partnerWrite } from '../../core/operation.ts'
import { BROKERS, CASE_READERS } from '../../core/roles.ts'
import { asOfNow } from './as-of-now.ts'
import { amountField, messageField } from './create-offer.ts'
import { offerFilters, readOffersPage } from './list-offers.ts'
import { moveOffer, RESPONSES } from './move-offer.ts'
import { findOffer, type Offer } from './offer.ts'
import { transferProblemOf } from './respond-to-offer.ts'
import { OfferView, viewOffer } from './view-offer.ts'

const ofOperators = {
  partner_id: idField('prt').describe('The partner who made the offer for the buyer.'),
  environment: z.enum(ENVIRONMENTS),
  seller_id: z
    .string()
    .nullable()
    .describe('The user whose domain it is and who responds, or null: operators respond.'),
}
// The buyer's link lets anyone who has it respond as the buyer.
const AdminOfferView = OfferView.omit({ offers_url: true }).extend(ofOperators)

function viewForOperator(
  app: Parameters<typeof viewOffer>[0],
  row: Offer,
): z.output<typeof AdminOfferView> {
  const { offers_url: _, ...shown } = viewOffer(app, row)
  const { partner_id, environment, seller_id } = row
  return { ...shown, partner_id, environment, seller_id }
}

const MoveInput = z.object({
  offer_id: idField('ofr').describe('The offer to respond to.'),
  move: z
    .enum(RESPONSES)
    .describe('The response of the seller: `accept`, `counter` with an amount, or `decline`.'),
  amount_cents: amountField.nullish().meta({
    description:
      'What the seller asks for, in cents; `counter` requires it. With `accept` it must be the amount on the table.',
    example: 110_000,
  }),
  message: messageField,
})

/** An operator responds for names that no user sells; a user's name is its seller's to sell. */
export const operateOffer = adminWrite({
  name: 'operate_offer',
  roles: BROKERS,
  summary: 'Respond to an offer as the seller: accept, counter, decline',
  method: 'POST',
  path: '/offers/{offer_id}/{move}',
  input: MoveInput,
  output: AdminOfferView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict', 'price_mismatch'],
  prepare: ({ db, app }, { offer_id }) => transferProblemOf({ db, app }, offer_id, 'operator'),
  async handler({ tx, now, app, prepared }, { offer_id, ...input }) {
    const found = await findOffer(tx, offer_id)
    if (found.seller_id !== null && input.move !== 'decline') {
      throw conflict(
        'not_applicable',
        `A user sells ${found.domain}, so only they can ${input.move} offers for it. You can decline this one.`,
      )
    }
    return viewForOperator(app, await moveOffer({ tx, now, app }, found, 'seller', input, prepared))
  },
})

/** In the sandbox the partner plays the seller (contract, section 18). */
export const sandboxMoveOffer = partnerWrite({
  name: 'sandbox_move_offer',
  tag: 'Sandbox',
  summary: 'Play the seller: respond to an offer',
  description:
    'Responds to one of your sandbox offers as its seller would: accepts it, declines it, or makes a counter-offer. Use it ' +
    'to test how your integration handles each outcome. A response out of turn, or a domain that is reserved or sold, ' +
    'gives `conflict`, and an amount above the price `price_mismatch`.',
  method: 'POST',
  path: '/sandbox/offers/{offer_id}/{move}',
  scope: 'buy',
  sandboxOnly: true,
  example: {
    input: { move: 'counter', amount_cents: 110_000 },
    output: { status: 'countered', turn: 'buyer', amount_cents: 110_000 },
  },
  input: MoveInput,
  output: OfferView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict', 'price_mismatch'],
  async handler({ tx, now, app, partner }, { offer_id, ...input }) {
    const found = await findOffer(tx, offer_id, partner)
    return viewOffer(app, await moveOffer({ tx, now, app }, found, 'seller', input, null))
  },
})

/** Offers of all partners: what waits for operators is `turn=seller` and `sold_by=operators`. */
export const listAllOffers = adminRead({
  name: 'list_all_offers',
  roles: CASE_READERS,
  summary: 'List offers of all partners, newest first',
  method: 'GET',
  path: '/offers',
  input: z.object({
    environment: z.enum(ENVIRONMENTS).optional().describe('Only offers of this environment.'),
    partner_id: idField('prt').optional().describe('Only offers of this partner.'),
    sold_by: z
      .enum(['operators', 'users'])
      .optional()
      .describe('Only offers for names that operators sell, or that users do.'),
    ...offerFilters,
    ...paging,
  }),
  output: z.object({ offers: z.array(AdminOfferView), next_cursor: nextCursor }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, now, app }, { environment, partner_id, sold_by, ...query }) {
    const whose = { environment, partner_id, sold_by }
    const { rows, next_cursor } = await readOffersPage(db, now, whose, query)
    return { offers: rows.map((row) => viewForOperator(app, row)), next_cursor }
  },
})

export const showOffer = adminRead({
  name: 'show_offer',
  roles: CASE_READERS,
  summary: 'Show an offer, with what both sides said',
  method: 'GET',
  path: '/offers/{offer_id}',
  input: z.object({ offer_id: idField('ofr').describe('The id of the offer.') }),
  output: AdminOfferView.extend({
    listing: z
      .object({
        price_cents: z.int(),
        floor_price_cents: z.int(),
        min_offer_cents: z.int().nullable(),
        status: z.string(),
      })
      .describe('What is asked for the name now.'),
  }),
  status: 200,
  errors: ['not_found'],
  async handler({ db, now, app }, { offer_id }) {
    const found = await findOffer(db, offer_id)
    const [[offer = found], listing] = await Promise.all([
      asOfNow(db, now, [found]),
      db
        .selectFrom('listings')
        .select(['price_cents', 'floor_price_cents', 'min_offer_cents', 'status'])
        .where('environment', '=', found.environment)
        .where('domain', '=', found.domain)
        .executeTakeFirstOrThrow(),
    ])
    return { ...viewForOperator(app, offer), listing }
  },
})
