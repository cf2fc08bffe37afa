import { z } from 'zod'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { mustFindUser } from '../accounts/user.ts'
import { readUserData } from './user-data.ts'

/** A write, so that each look at all of a person stands in the audit log. */
export const exportUser = adminWrite({
  name: 'export_user',
  roles: ADMINS,
  recent: true,
  summary: 'Get all that is kept of a person, as they may ask for',
  method: 'POST',
  path: '/users/{user_id}/export',
  input: z.object({ user_id: z.string() }),
  output: z.object({
    user_id: z.string(),
    data: z.record(z.string(), z.unknown()).describe('By the kinds of what is kept.'),
  }),
  status: 200,
  errors: ['not_found'],
  audited: ({ user_id }) => ({ user_id }),
  async handler({ tx }, { user_id }) {
    const data = await readUserData(tx, await mustFindUser(tx, user_id))
    return { user_id, data: JSON.parse(JSON.stringify(data)) as Record<string, unknown> }
  },
})
