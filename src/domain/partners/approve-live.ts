import { z } from 'zod'
import { textField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { decideLiveRequest, LiveRequestView, viewLiveRequest } from './live-request.ts'
import { allowLive, lockPartner } from './partner.ts'

/** Lets a partner sell for real: it may make live credentials from then on. */
export const approveLive = adminWrite({
  name: 'approve_live',
  roles: ADMINS,
  summary: 'Approve a request for live access',
  method: 'POST',
  path: '/live-requests/{id}/approve',
  input: z.object({
    id: z.string(),
    reason: textField(1000).nullish().describe('Sent to the partner.'),
  }),
  output: LiveRequestView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { id, reason = null }) {
    const { tx, now } = context
    const request = await decideLiveRequest(context, id, 'approved', reason)
    await allowLive(tx, now, await lockPartner(tx, request.partner_id))
    return viewLiveRequest(request)
  },
})
