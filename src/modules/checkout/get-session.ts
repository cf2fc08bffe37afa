import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { readSession, SessionView, viewSession } from './session.ts'

export const getCheckoutSession = partnerRead({
  name: 'get_checkout_session',
  summary: 'One of your checkout sessions',
  method: 'GET',
  path: '/checkout-session/{id}',
  scope: 'embed',
  input: z.object({ id: z.string() }),
  output: SessionView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, now, house, partner }, { id }) {
    const session = await readSession(db, id)
    if (session?.partner_id !== partner.partnerId || session.environment !== partner.environment) {
      throw notFound('checkout session')
    }
    return viewSession(house, session, now)
  },
})
