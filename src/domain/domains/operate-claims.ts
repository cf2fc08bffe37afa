import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { conflict } from '../../core/errors.ts'
import { domainField, nextCursor, paging, textField } from '../../core/fields.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import { mustFindUser } from '../accounts/user.ts'
import { CLAIM_STATUSES, ClaimView, viewClaim } from '../claims/claim.ts'
import { lockMarket } from '../listings/seller-listing.ts'
import { loseDomains, sellProven } from './claim-outcome.ts'
import { addOwnedDomains } from './owned-domain.ts'

const AdminClaimView = ClaimView.extend({
  user_id: z.string().describe('The user who claims it.'),
  email: z.string().describe("The user's e-mail address."),
})

/** Claims of all users. */
export const listAllClaims = adminRead({
  name: 'list_all_claims',
  roles: READERS,
  summary: 'List claims of all users, newest first',
  method: 'GET',
  path: '/claims',
  input: z.object({
    status: z.enum(CLAIM_STATUSES).optional().describe('Only claims in this status.'),
    domain: domainField.optional().describe('Only claims of this domain.'),
    user_id: z.string().optional().describe('Only claims of this user.'),
    ...paging,
  }),
  output: z.object({ claims: z.array(AdminClaimView), next_cursor: nextCursor }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, app }, { limit, cursor, ...filters }) {
    const bound = { list: 'all_claims', ...filters }
    let query = db
      .selectFrom('claims as c')
      .innerJoin('users as u', 'u.id', 'c.user_id')
      .selectAll('c')
      .select('u.email')
    if (filters.status) query = query.where('c.status', '=', filters.status)
    if (filters.domain) query = query.where('c.domain', '=', filters.domain)
    if (filters.user_id) query = query.where('c.user_id', '=', filters.user_id)
    const { rows, next_cursor } = await readPage(query, 'c.claim_id', { cursor, limit, bound })
    const claims = rows.map((row) => ({
      ...viewClaim(app.settings, row),
      user_id: row.user_id,
      email: row.email,
    }))
    return { claims, next_cursor }
  },
})

/** Whose a domain is, where two users say that it is theirs, or nothing but an operator can say. */
export const decideClaim = adminWrite({
  name: 'decide_claim',
  roles: ADMINS,
  summary: 'Decide whose a domain is',
  description:
    'Gives the domain to the user, verified by `operator`. If another user had it, it leaves the market and their ' +
    'account, and they are mailed.',
  method: 'PUT',
  path: '/claims/{domain}',
  subject: 'domain',
  input: z.object({
    domain: domainField.describe('The domain.'),
    user_id: z.string().describe('The user whose it is.'),
    reason: textField(1000).min(1, 'must not be empty').describe('Why, for the audit log.'),
  }),
  output: AdminClaimView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, app }, { domain, user_id }) {
    const { email } = await mustFindUser(tx, user_id)
    const market = await lockMarket(tx, [domain])
    if (market.get(domain)?.status === 'sold' && market.get(domain)?.is_awaited) {
      throw conflict('domain_sold', `${domain} has been sold, and is being delivered.`)
    }
    const holder = await tx
      .selectFrom('owned_domains')
      .select('user_id')
      .where('domain', '=', domain)
      .forUpdate()
      .executeTakeFirst()
    if (holder && holder.user_id !== user_id) {
      await loseDomains({ tx, now }, holder.user_id, [domain])
    }
    await addOwnedDomains({ tx, now, app }, user_id, [domain])
    await sellProven({ tx, now, app }, user_id, [domain])
    const claim = await tx
      .selectFrom('claims')
      .selectAll()
      .where('domain', '=', domain)
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    return { ...viewClaim(app.settings, claim), user_id, email }
  },
})
