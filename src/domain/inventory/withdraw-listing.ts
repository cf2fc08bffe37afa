import { z } from 'zod'
import { ENVIRONMENTS, type Environment } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import { domainField, textField } from '../../core/fields.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { delist, lockOnMarket, reservationsOf } from '../listings/withdrawal.ts'
import { releaseQuotes } from '../quotes/quote.ts'

/**
 * Takes a listing off the market. What was promised to a buyer is kept, unless it is forced: then the quote is
 * released, and a payment that arrives is refunded (contract, section 16).
 */
export const withdrawListing = adminWrite({
  name: 'withdraw_listing',
  roles: ADMINS,
  summary: 'Take a listing off the market',
  method: 'DELETE',
  path: '/listings/{domain}',
  subject: 'domain',
  input: z.object({
    domain: domainField.describe('The domain to withdraw.'),
    environment: z.enum(ENVIRONMENTS).describe('The market that it is withdrawn from.'),
    reason: textField(1000).optional().describe('Why it is withdrawn, for the audit log.'),
    force: z
      .boolean()
      .optional()
      .describe(
        'Also release a quote that reserves it; a payment under way is refunded when it arrives.',
      ),
  }),
  output: z.object({
    environment: z.enum(ENVIRONMENTS),
    domain: z.string(),
    status: z.literal('delisted'),
    released: z.int().describe('How many reservations were released.'),
  }),
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { environment, domain, force = false }) {
    const released = await takeOffMarket(tx, now, environment, domain, force)
    return { environment, domain, status: 'delisted' as const, released }
  },
})

/** What a reservation is of, by its id. */
function kindOf(id: string): string {
  if (id.startsWith('pay_')) return 'A payment'
  return id.startsWith('cs_') ? 'A purchase by an accepted offer' : 'A quote'
}

/** Withdraws a listing in this transaction. Returns how many reservations it released. */
export async function takeOffMarket(
  tx: Tx,
  now: Date,
  environment: Environment,
  domain: string,
  force: boolean,
): Promise<number> {
  const listing = await lockOnMarket(tx, environment, domain)
  const [first, ...more] = await reservationsOf(tx, now, listing)
  if (first !== undefined && !force) {
    throw conflict(
      'domain_reserved',
      `${kindOf(first)} for ${domain} is under way. Wait for its end, or force ` +
        'the withdrawal to release it.',
    )
  }
  if (first !== undefined) await releaseQuotes(tx, [first, ...more])
  await delist(tx, now, listing)
  return first === undefined ? 0 : more.length + 1
}
