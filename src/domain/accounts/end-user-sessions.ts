import { z } from 'zod'
import { adminWrite } from '../../core/operation.ts'
import { endSessions } from './session.ts'
import { mustFindUser } from './user.ts'

/** Signs a user out everywhere; their tokens and apps stay. */
export const endUserSessions = adminWrite({
  name: 'end_user_sessions',
  summary: 'End all sessions of a user',
  method: 'POST',
  path: '/users/{user_id}/end-sessions',
  input: z.object({ user_id: z.string() }),
  output: z.object({ user_id: z.string(), ended: z.int() }),
  status: 200,
  errors: ['not_found'],
  async handler({ tx }, { user_id }) {
    await mustFindUser(tx, user_id)
    return { user_id, ended: await endSessions(tx, user_id) }
  },
})
