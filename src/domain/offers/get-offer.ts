import { z } from 'zod'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { asOfNow } from './as-of-now.ts'
import { findOffer } from './offer.ts'
import { OfferView, viewOffer } from './view-offer.ts'

export const getOffer = partnerRead({
  name: 'get_offer',
  tag: 'Offers',
  summary: 'Get an offer',
  description:
    'Returns one of your offers with the amounts that both sides put on the table. Once accepted it has the `quote_id` ' +
    'for the order, and stays `accepted` after the reservation has ended.',
  method: 'GET',
  path: '/offers/{offer_id}',
  scope: 'buy',
  input: z.object({ offer_id: idField('ofr').describe('The id of the offer to get.') }),
  output: OfferView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, now, app, partner }, { offer_id }) {
    const found = await findOffer(db, offer_id, partner)
    const [offer = found] = await asOfNow(db, now, [found])
    return viewOffer(app, offer)
  },
})
