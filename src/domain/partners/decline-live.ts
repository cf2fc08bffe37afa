import { z } from 'zod'
import { textField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { decideLiveRequest, LiveRequestView, viewLiveRequest } from './live-request.ts'

/** Turns a request down, with the reason that the partner reads; it may ask again. */
export const declineLive = adminWrite({
  name: 'decline_live',
  roles: ADMINS,
  summary: 'Decline a request for live access',
  method: 'POST',
  path: '/live-requests/{id}/decline',
  input: z.object({
    id: z.string(),
    reason: textField(1000).min(1).describe('Sent to the partner.'),
  }),
  output: LiveRequestView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  handler: async (context, { id, reason }) =>
    viewLiveRequest(await decideLiveRequest(context, id, 'declined', reason)),
})
