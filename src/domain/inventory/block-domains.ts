import { sql } from 'kysely'
import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { domainField, iso, limitField, timestamp } from '../../core/fields.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import { block, unblock } from '../listings/blocked-domain.ts'
import { takeOffMarket } from './withdraw-listing.ts'

const MAX_DOMAINS = 10_000
const BODY_LIMIT = 4 * 1024 * 1024

/** Names that nobody may list or import. Those that are on the market are withdrawn, as a withdrawal would. */
export const blockDomains = adminWrite({
  name: 'block_domains',
  roles: ADMINS,
  summary: 'Block domains: nobody may list or import them',
  method: 'POST',
  path: '/blocked-domains',
  bodyLimit: BODY_LIMIT,
  input: z.object({
    domains: z.array(domainField).min(1).max(MAX_DOMAINS).describe('The domains to block.'),
  }),
  output: z.object({
    blocked: z.int().describe('How many are blocked by this request.'),
    withdrawn: z.int().describe('How many listings were taken off the market.'),
  }),
  status: 200,
  errors: ['validation_error', 'conflict'],
  audited: ({ domains }) => ({ count: domains.length, domains: domains.slice(0, 100) }),
  async handler({ tx, now }, input) {
    const domains = [...new Set(input.domains)].toSorted()
    const blocked = await block(tx, now, domains)
    const listed = await tx
      .selectFrom('listings')
      .select(['environment', 'domain'])
      .where('domain', '=', sql<string>`any(${domains}::text[])`)
      .where('status', '=', 'listed')
      .orderBy('environment')
      .orderBy('domain')
      .execute()
    for (const { environment, domain } of listed) {
      await takeOffMarket(tx, now, environment, domain, false)
    }
    return { blocked, withdrawn: listed.length }
  },
})

export const unblockDomain = adminWrite({
  name: 'unblock_domain',
  roles: ADMINS,
  summary: 'Let a blocked domain be listed again',
  method: 'DELETE',
  path: '/blocked-domains/{domain}',
  input: z.object({ domain: domainField.describe('The domain.') }),
  output: z.object({ domain: z.string(), blocked: z.boolean() }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx }, { domain }) {
    if (!(await unblock(tx, domain))) throw notFound('blocked domain')
    return { domain, blocked: false }
  },
})

export const listBlockedDomains = adminRead({
  name: 'list_blocked_domains',
  roles: READERS,
  summary: 'List the domains that nobody may list, by name',
  method: 'GET',
  path: '/blocked-domains',
  input: z.object({
    limit: limitField,
    cursor: domainField.optional().describe('The last domain of the page before.'),
  }),
  output: z.object({
    domains: z.array(z.object({ domain: z.string(), blocked_at: timestamp })),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db }, { limit, cursor = '' }) {
    const rows = await db
      .selectFrom('blocked_domains')
      .selectAll()
      .where('domain', '>', cursor)
      .orderBy('domain')
      .limit(limit + 1)
      .execute()
    const shown = rows.slice(0, limit)
    return {
      domains: shown.map(({ domain, blocked_at }) => ({ domain, blocked_at: iso(blocked_at) })),
      next_cursor: rows.length > limit ? (shown.at(-1)?.domain ?? null) : null,
    }
  },
})
