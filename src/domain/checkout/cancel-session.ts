import { z } from 'zod'
import { notAllowedNow } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { isUnderWay, lastPayment } from '../payments/payment.ts'
import { letGo, lockSession, SESSION_STATUSES, sessionStatus, updateSession } from './session.ts'

/** Ends a link on which nobody has paid. A payment under way is waited for, since money may be on its way. */
export const cancelCheckoutSession = adminWrite({
  name: 'cancel_checkout_session',
  roles: ADMINS,
  summary: 'Cancel a checkout session that is not paid',
  method: 'POST',
  path: '/checkout-sessions/{session_id}/cancel',
  input: z.object({ session_id: idField('cs').describe('The id of the session.') }),
  output: z.object({
    id: z.string(),
    domain: z.string(),
    status: z.enum(SESSION_STATUSES),
  }),
  status: 200,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now }, { session_id }) {
    const session = await lockSession(tx, session_id)
    const status = sessionStatus(session, now)
    if (status === 'cancelled') return { id: session.id, domain: session.domain, status }
    if (status !== 'open') {
      throw notAllowedNow('checkout session', status, `This session is ${status} already.`)
    }
    const payment = await lastPayment(tx, session_id)
    if (payment && isUnderWay(payment, now)) {
      throw notAllowedNow(
        'checkout session',
        payment.status,
        'A payment is under way. Wait for its end, then refund it if need be.',
      )
    }
    await updateSession(tx, session_id, now, { status: 'cancelled' })
    await letGo(tx, session)
    return { id: session.id, domain: session.domain, status: 'cancelled' as const }
  },
})
