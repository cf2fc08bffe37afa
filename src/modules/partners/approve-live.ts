import { z } from 'zod'
import { textField } from '../../kernel/fields.ts'
import { adminWrite } from '../../kernel/operation.ts'
import { decideLiveRequest, LiveRequestView, viewLiveRequest } from './live-request.ts'
import { allowLive, lockPartner } from './partner.ts'

/** Lets a partner sell for real: it may make live credentials from then on. */
export const approveLive = adminWrite({
  name: 'approve_live',
  summary: 'Approve a request for live access',
  method: 'POST',
  path: '/live-requests/{id}/approve',
  input: z.object({
    id: z.string(),
    /** Told to the partner. */
    reason: textField(1000).nullish(),
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
