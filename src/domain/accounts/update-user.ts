import { z } from 'zod'
import { conflict, invalid, notFound } from '../../core/errors.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS, ROLES } from '../../core/roles.ts'
import { endInvitationsOf } from './member.ts'
import { endSessions } from './session.ts'
import { lockUser, UserView, viewUser } from './user.ts'

/** What an account is linked to, and whether it may be used. Absent fields stay as they are. */
export const updateUser = adminWrite({
  name: 'update_user',
  roles: ADMINS,
  recent: true,
  summary:
    'Link an account to a partner or affiliate, make it an operator with a role, or disable it',
  method: 'PUT',
  path: '/users/{user_id}',
  input: z.object({
    user_id: z.string(),
    operator: z.boolean().optional(),
    role: z
      .enum(ROLES)
      .optional()
      .describe('What the operator may do. Absent: as it is, or `admin` for a new operator.'),
    partner_id: z.string().nullable().optional(),
    affiliate_id: z.string().nullable().optional(),
    disabled: z.boolean().optional(),
  }),
  output: UserView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, actor }, input) {
    const { user_id, operator, partner_id, affiliate_id, disabled } = input
    const isLess = disabled === true || operator === false || input.role !== undefined
    if (actor.userId !== null && isLess) {
      if (user_id === actor.userId) {
        throw conflict(
          'not_applicable',
          'That would lock yourself out: let another operator do it.',
        )
      }
      await mustBeOperator(tx, actor.userId)
    }
    const user = await lockUser(tx, user_id)
    if (partner_id) await mustExist(tx, 'partners', partner_id, 'partner')
    if (affiliate_id) await mustExist(tx, 'affiliates', affiliate_id, 'affiliate')
    const is_operator = operator ?? user.is_operator
    if (input.role !== undefined && !is_operator) {
      throw invalid({ field: 'role', issue: 'is for operators: set operator too' })
    }
    const role = is_operator ? (input.role ?? user.role ?? 'admin') : null
    const row = await tx
      .updateTable('users')
      .set({
        is_operator,
        role,
        partner_id: partner_id === undefined ? user.partner_id : partner_id,
        affiliate_id: affiliate_id === undefined ? user.affiliate_id : affiliate_id,
        disabled_at: disabled === undefined ? user.disabled_at : disabled ? now : null,
      })
      .where('id', '=', user_id)
      .returningAll()
      .executeTakeFirstOrThrow()
    // When it is enabled again, too: what was opened in the moment of disabling must not come to life then.
    if (user.disabled_at !== null || row.disabled_at !== null) await endSessions(tx, user_id)
    if (row.disabled_at !== null || row.partner_id !== user.partner_id) {
      await endInvitationsOf(tx, now, user_id)
    }
    return viewUser(row)
  },
})

/** All are held: of two operators who shut each other out at once, the second waits and is none any more. */
async function mustBeOperator(tx: Tx, userId: string): Promise<void> {
  const operators = await tx
    .selectFrom('users')
    .select('id')
    .where('is_operator', '=', true)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  if (operators.some(({ id }) => id === userId)) return
  throw conflict('changed_meanwhile', 'Another operator has shut you out meanwhile.')
}

async function mustExist(
  tx: Tx,
  table: 'partners' | 'affiliates',
  id: string,
  what: string,
): Promise<void> {
  const row = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound(what)
}
