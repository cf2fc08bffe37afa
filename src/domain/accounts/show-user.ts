import { z } from 'zod'
import { iso, timestamp } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { listSessions } from './session.ts'
import { mustFindUser, UserView, viewUser } from './user.ts'

export const showUser = adminRead({
  name: 'show_user',
  roles: READERS,
  summary: 'Show an account with its sessions',
  method: 'GET',
  path: '/users/{user_id}',
  input: z.object({ user_id: z.string() }),
  output: UserView.extend({
    sessions: z.array(
      z.object({
        session_id: z.string(),
        user_agent: z.string(),
        address: z.string(),
        created_at: timestamp,
        last_seen_at: timestamp,
      }),
    ),
  }),
  status: 200,
  errors: ['not_found'],
  async handler({ db, now }, { user_id }) {
    const [user, sessions] = await Promise.all([
      mustFindUser(db, user_id),
      listSessions(db, now, user_id),
    ])
    return {
      ...viewUser(user),
      sessions: sessions.map(({ id, user_agent, address, created_at, last_seen_at }) => ({
        session_id: id,
        user_agent,
        address,
        created_at: iso(created_at),
        last_seen_at: iso(last_seen_at),
      })),
    }
  },
})
