import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import { idField } from '../../core/fields.ts'
import { partnerWrite, type ReadContext } from '../../core/operation.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { amountField, messageField } from './create-offer.ts'
import { moveOffer } from './move-offer.ts'
import { findOffer } from './offer.ts'
import { OfferView, viewOffer } from './view-offer.ts'

const offerId = { offer_id: idField('ofr').describe('The id of the offer.') }
const acceptedAmount = amountField.nullish().meta({
  description:
    'The amount that you expect to accept, in cents. Any other amount is rejected with `price_mismatch`.',
  example: 90_000,
})

/** What every response of a buyer has in common. */
const response = {
  tag: 'Offers',
  method: 'POST',
  scope: 'buy',
  output: OfferView,
  status: 200,
} as const

/** Asked before the transaction, since the registry is asked: whether a name that is to be promised can be handed over. */
export async function transferProblemOf(
  { db, app }: Pick<ReadContext, 'db' | 'app'>,
  offerId: string,
  client: string,
  partner?: Partner,
) {
  const { environment, domain } = await findOffer(db, offerId, partner)
  return await findTransferProblem(app, environment, domain, client)
}

export const counterOffer = partnerWrite({
  ...response,
  name: 'counter_offer',
  summary: 'Make a counter-offer',
  description:
    'Offers another amount in response to the counter-offer of the seller, whose turn it is afterwards. At or above the ' +
    'floor price it is accepted at once. The time to respond starts again. A response out of turn gives `conflict`.',
  path: '/offers/{offer_id}/counter',
  example: { output: { status: 'countered', turn: 'seller' } },
  input: z.object({ ...offerId, amount_cents: amountField, message: messageField }),
  errors: ['validation_error', 'not_found', 'conflict', 'price_mismatch', 'offer_too_low'],
  prepare: ({ db, app, partner }, { offer_id }) =>
    transferProblemOf({ db, app }, offer_id, partner.partnerId, partner),
  async handler({ tx, now, app, partner, prepared }, { offer_id, ...input }) {
    const found = await findOffer(tx, offer_id, partner)
    const move = { move: 'counter', ...input } as const
    return viewOffer(app, await moveOffer({ tx, now, app }, found, 'buyer', move, prepared))
  },
})

export const acceptOfferOfSeller = partnerWrite({
  ...response,
  name: 'accept_offer',
  summary: 'Accept a counter-offer',
  description:
    'Accepts the amount that the seller asks for, on behalf of the buyer. The domain is reserved for 72 hours at that ' +
    'amount by the quote in `quote_id`. A response out of turn, or a domain that is sold or reserved, gives `conflict`.',
  path: '/offers/{offer_id}/accept',
  example: { output: { status: 'accepted', turn: null, closed_by: 'buyer' } },
  input: z.object({ ...offerId, amount_cents: acceptedAmount, message: messageField }),
  errors: ['validation_error', 'not_found', 'conflict', 'price_mismatch'],
  prepare: ({ db, app, partner }, { offer_id }) =>
    transferProblemOf({ db, app }, offer_id, partner.partnerId, partner),
  async handler({ tx, now, app, partner, prepared }, { offer_id, ...input }) {
    const found = await findOffer(tx, offer_id, partner)
    const move = { move: 'accept', ...input } as const
    return viewOffer(app, await moveOffer({ tx, now, app }, found, 'buyer', move, prepared))
  },
})

export const declineOffer = partnerWrite({
  ...response,
  name: 'decline_offer',
  summary: 'Decline a counter-offer',
  description:
    'Declines the amount that the seller asks for, on behalf of the buyer, and ends the offer. A response out of turn ' +
    'gives `conflict`; to end an offer that waits for the seller, withdraw it.',
  path: '/offers/{offer_id}/decline',
  example: { output: { status: 'declined', turn: null, closed_by: 'buyer' } },
  input: z.object({ ...offerId, message: messageField }),
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, app, partner }, { offer_id, message }) {
    const found = await findOffer(tx, offer_id, partner)
    const move = { move: 'decline', message } as const
    return viewOffer(app, await moveOffer({ tx, now, app }, found, 'buyer', move, null))
  },
})

export const withdrawOffer = partnerWrite({
  ...response,
  name: 'withdraw_offer',
  summary: 'Withdraw an offer',
  description:
    'Withdraws an offer on behalf of the buyer, in either turn, and ends it. An offer that has ended gives ' +
    '`conflict`; release the quote of an accepted one instead.',
  path: '/offers/{offer_id}/withdraw',
  example: { output: { status: 'withdrawn', turn: null, closed_by: 'buyer' } },
  input: z.object({ ...offerId, message: messageField }),
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, app, partner }, { offer_id, message }) {
    const found = await findOffer(tx, offer_id, partner)
    const move = { move: 'withdraw', message } as const
    return viewOffer(app, await moveOffer({ tx, now, app }, found, 'buyer', move, null))
  },
})
