import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { readSession, SessionView, viewSession } from './session.ts'

export const getCheckoutSession = partnerRead({
  name: 'get_checkout_session',
  tag: 'Checkout',
  summary: 'Get a checkout session',
  description:
    'Returns one of your checkout sessions. Use it when the buyer returns to your `return_url`, to see whether it is ' +
    'paid and which order it made: the query of that address is not signed.',
  method: 'GET',
  path: '/checkout-session/{id}',
  scope: 'embed',
  input: z.object({ id: idField('cs').describe('The checkout session to get.') }),
  output: SessionView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, now, app, partner }, { id }) {
    const session = await readSession(db, id)
    if (session?.partner_id !== partner.partnerId || session.environment !== partner.environment) {
      throw notFound('checkout session')
    }
    return viewSession(app, session, now)
  },
})
