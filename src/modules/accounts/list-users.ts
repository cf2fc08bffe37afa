import { z } from 'zod'
import { page, readCursor } from '../../kernel/cursor.ts'
import { limitField } from '../../kernel/fields.ts'
import { adminRead } from '../../kernel/operation.ts'
import { UserView, viewUser } from './user.ts'

export const listUsers = adminRead({
  name: 'list_users',
  summary: 'Accounts, newest first',
  method: 'GET',
  path: '/users',
  input: z.object({
    email: z.string().max(254).optional(),
    limit: limitField,
    cursor: z.string().optional(),
  }),
  output: z.object({ users: z.array(UserView), next_cursor: z.string().nullable() }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { email, limit, cursor }) {
    const bound = { list: 'users', email: email ?? null }
    const before = readCursor(cursor, bound)
    let query = db
      .selectFrom('users')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (email !== undefined) query = query.where('email', '=', email.toLowerCase())
    if (before !== null) query = query.where('id', '<', before)
    const { items, next_cursor } = page(
      await query.execute(),
      limit,
      bound,
      ({ id }) => id,
      viewUser,
    )
    return { users: items, next_cursor }
  },
})
