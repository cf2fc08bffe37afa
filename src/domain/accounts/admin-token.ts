import { z } from 'zod'
import type { Actor } from '../../core/caller.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { iso, timestamp } from '../../core/fields.ts'
import { ADMIN_TOKEN } from '../../core/four-eyes.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { ADMINS, ROLES } from '../../core/roles.ts'
import type { Database } from '../../db/dialect.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, MINUTE } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { sha256 } from '../../lib/signature.ts'

/** How exactly a token's last use is known. */
const USED_MS = 5 * MINUTE

const AdminTokenView = z.object({
  token_id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  created_by: z.string(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
})

/** For a program that operates the market: it has a name in the audit log, a role, and an end. */
export const createAdminToken = adminWrite({
  name: 'create_admin_token',
  roles: ADMINS,
  recent: true,
  summary: 'Make a token of the admin API; it is shown only once',
  method: 'POST',
  path: '/admin-tokens',
  subject: 'token_id',
  input: z.object({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens')
      .describe('What it is for: the audit log names it so.'),
    role: z.enum(ROLES).describe('What it may do.'),
    days: z.int().min(1).max(366).default(90).describe('How many days it works, 366 at most.'),
  }),
  output: AdminTokenView.extend({ token: z.string() }),
  status: 201,
  errors: ['validation_error', 'conflict'],
  audited: ({ name, role, days }) => ({ name, role, days }),
  async handler({ tx, now, actor }, { name, role, days }) {
    const { token, hash } = newToken('mkt_admin')
    const token_id = newId('atk', now)
    const row = {
      token_id,
      name,
      role,
      created_by: actor.name,
      // Tokens made with the installation's token are for others.
      person: actor.person === ADMIN_TOKEN ? token_id : actor.person,
      created_at: now,
      expires_at: after(now, days * DAY),
      last_used_at: null,
      revoked_at: null,
    }
    const added = await tx
      .insertInto('admin_tokens')
      .values({ ...row, token_hash: hash })
      .onConflict((known) => known.column('name').doNothing())
      .returning('token_id')
      .executeTakeFirst()
    if (!added) throw conflict('already_exists', `There is a token ${name} already.`)
    return { ...viewToken(row), token }
  },
})

export const listAdminTokens = adminRead({
  name: 'list_admin_tokens',
  roles: ADMINS,
  summary: 'List the tokens of the admin API beside that of the installation',
  method: 'GET',
  path: '/admin-tokens',
  input: z.object({}),
  output: z.object({ tokens: z.array(AdminTokenView) }),
  status: 200,
  errors: [],
  async handler({ db }) {
    const rows = await db
      .selectFrom('admin_tokens')
      .selectAll()
      .orderBy('token_id', 'desc')
      .execute()
    return { tokens: rows.map(viewToken) }
  },
})

export const revokeAdminToken = adminWrite({
  name: 'revoke_admin_token',
  roles: ADMINS,
  summary: 'Revoke a token of the admin API',
  method: 'DELETE',
  path: '/admin-tokens/{token_id}',
  input: z.object({ token_id: z.string().describe('The id of the token.') }),
  output: AdminTokenView,
  status: 200,
  errors: ['not_found'],
  async handler({ tx, now }, { token_id }) {
    const row = await tx
      .updateTable('admin_tokens')
      .set((each) => ({ revoked_at: each.fn.coalesce('revoked_at', each.val(now)) }))
      .where('token_id', '=', token_id)
      .returningAll()
      .executeTakeFirst()
    if (!row) throw notFound('admin token')
    return viewToken(row)
  },
})

function viewToken(
  row: Omit<z.output<typeof AdminTokenView>, `${string}_at`> & {
    created_at: Date
    expires_at: Date | null
    last_used_at: Date | null
    revoked_at: Date | null
  },
): z.output<typeof AdminTokenView> {
  return {
    token_id: row.token_id,
    name: row.name,
    role: row.role,
    created_by: row.created_by,
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
    last_used_at: iso(row.last_used_at),
    revoked_at: iso(row.revoked_at),
  }
}

/** Who acts by a token; null when it is none that is good now. */
export async function verifyAdminToken(
  db: Database,
  now: Date,
  token: string,
): Promise<Actor | null> {
  if (!token.startsWith('mkt_admin_')) return null
  const found = await db
    .selectFrom('admin_tokens')
    .selectAll()
    .where('token_hash', '=', sha256(token))
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .executeTakeFirst()
  if (!found) return null
  if (found.last_used_at === null || found.last_used_at < after(now, -USED_MS)) {
    await db
      .updateTable('admin_tokens')
      .set({ last_used_at: now })
      .where('token_id', '=', found.token_id)
      .execute()
  }
  const { name, person, token_id, role } = found
  return { userId: null, name: `token ${name}`, person: person ?? token_id, role }
}
