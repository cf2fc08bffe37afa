import { sql } from 'kysely'
import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { likeText, paging } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { UserView, viewUser } from './user.ts'

export const listUsers = adminRead({
  name: 'list_users',
  roles: READERS,
  summary: 'List accounts, newest first',
  method: 'GET',
  path: '/users',
  input: z.object({
    email: z.string().max(254).optional(),
    q: z.string().max(254).optional().describe('How the address begins.'),
    operator: z.boolean().optional(),
    disabled: z.boolean().optional(),
    partner_id: z.string().optional(),
    ...paging,
  }),
  output: z.object({ users: z.array(UserView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const { email, q, operator, disabled, partner_id } = filters
    const bound = { list: 'users', ...filters }
    let query = db.selectFrom('users').selectAll()
    if (email !== undefined) query = query.where('email', '=', email.toLowerCase())
    if (q !== undefined) query = query.where('email', 'like', `${likeText(q.toLowerCase())}%`)
    if (operator !== undefined)
      query = query.where(sql<boolean>`is_operator = ${sql.lit(operator)}`)
    if (disabled !== undefined) query = query.where('disabled_at', disabled ? 'is not' : 'is', null)
    if (partner_id !== undefined) query = query.where('partner_id', '=', partner_id)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return { users: rows.map(viewUser), next_cursor }
  },
})
