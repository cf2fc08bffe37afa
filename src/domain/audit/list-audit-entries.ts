import { z } from 'zod'
import { DONE } from '../../core/audit.ts'
import { readPage } from '../../core/cursor.ts'
import { iso, paging, timestamp } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'

/** Who did what: acts of operators and of the admin token, rejected ones too. */
export const listAuditEntries = adminRead({
  name: 'list_audit_entries',
  roles: READERS,
  summary: 'List the audit log, newest first',
  method: 'GET',
  path: '/audit-entries',
  input: z.object({
    actor: z.string().optional().describe('An e-mail address, or `admin token`.'),
    operation: z.string().optional().describe("An operation's name."),
    subject: z.string().optional().describe('The id of what it was about.'),
    refused: z.boolean().optional(),
    ...paging,
  }),
  output: z.object({
    entries: z.array(
      z.object({
        id: z.string(),
        at: timestamp,
        actor: z.string(),
        user_id: z.string().nullable(),
        operation: z.string(),
        subject: z.string().nullable(),
        /** As it was asked for, without secrets. */
        input: z.record(z.string(), z.unknown()),
        /** `done`, or the error code of the error. */
        outcome: z.string(),
        message: z.string().nullable(),
        request_id: z.string(),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'audit_entries', ...filters }
    const { refused: rejected, ...equal } = filters
    let query = db.selectFrom('audit_entries').selectAll()
    for (const [column, value] of Object.entries(equal)) {
      if (value !== undefined) query = query.where(column as keyof typeof equal, '=', value)
    }
    if (rejected !== undefined) query = query.where('outcome', rejected ? '<>' : '=', DONE)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return {
      entries: rows.map((entry) => ({ ...entry, at: iso(entry.at) })),
      next_cursor,
    }
  },
})
