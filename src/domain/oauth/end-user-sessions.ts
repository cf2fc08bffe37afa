import { z } from 'zod'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { revokePersonalTokens } from '../accounts/personal-token.ts'
import { endSessions } from '../accounts/session.ts'
import { mustFindUser } from '../accounts/user.ts'
import { revokeGrants } from './access.ts'

/** Signs a user out everywhere, with their tokens and apps. */
export const endUserSessions = adminWrite({
  name: 'end_user_sessions',
  roles: ADMINS,
  summary: 'End all sessions, tokens and apps of a user',
  method: 'POST',
  path: '/users/{user_id}/end-sessions',
  input: z.object({ user_id: z.string() }),
  output: z.object({
    user_id: z.string(),
    ended: z.int().describe('How many sessions.'),
    tokens_ended: z.int(),
  }),
  status: 200,
  errors: ['not_found'],
  async handler({ tx, now }, { user_id }) {
    await mustFindUser(tx, user_id)
    await revokeGrants(tx, now, user_id)
    return {
      user_id,
      ended: await endSessions(tx, user_id),
      tokens_ended: await revokePersonalTokens(tx, user_id),
    }
  },
})
