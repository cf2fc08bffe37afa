import { z } from 'zod'
import { textField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { removeFactors, tell } from './second-factor.ts'
import { lockUser, noteNewAccess } from './user.ts'

/** Lets somebody in by their password again who lost their device and their recovery codes. */
export const resetSecondFactor = adminWrite({
  name: 'reset_second_factor',
  roles: ADMINS,
  recent: true,
  summary: 'Remove the second factors of a user who lost them',
  description:
    'Passkeys, authenticator apps and recovery codes: from then on the password is enough. Make sure first that it is ' +
    'the user who asks. They are told by mail.',
  method: 'POST',
  path: '/users/{user_id}/reset-second-factor',
  input: z.object({
    user_id: z.string(),
    reason: textField(1000).min(1, 'must not be empty').describe('Why, for the audit log.'),
  }),
  output: z.object({ user_id: z.string(), removed: z.int().describe('How many factors.') }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx, now }, { user_id }) {
    const user = await lockUser(tx, user_id)
    const removed = await removeFactors(tx, user_id)
    if (removed > 0) {
      await noteNewAccess(tx, now, user_id)
      await tell(tx, now, user, 'An operator removed all second factors')
    }
    return { user_id, removed }
  },
})
