import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import { domainField, textField, timestamp } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { freeze, unfreeze } from '../listings/withdrawal.ts'
import { takeOffMarket } from './withdraw-listing.ts'

const input = z.object({
  domain: domainField.describe('The domain.'),
  environment: z.enum(ENVIRONMENTS).describe('The market that it is in.'),
})
const output = z.object({
  environment: z.enum(ENVIRONMENTS),
  domain: z.string(),
  frozen_at: timestamp.nullable().describe('Since when it is for sale to nobody, or null.'),
})
const common = { output, status: 200, subject: 'domain' } as const

/** Takes a listing from everybody, those with a quote for it included, until an operator lifts it. */
export const freezeListing = adminWrite({
  ...common,
  name: 'freeze_listing',
  roles: ADMINS,
  summary: 'Freeze a listing: it is for sale to nobody until it is unfrozen',
  method: 'PUT',
  path: '/listings/{domain}/freeze',
  input: input.extend({
    reason: textField(1000).min(1, 'must not be empty').describe('Why it is frozen.'),
  }),
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now }, { domain, environment, reason }) {
    await takeOffMarket(tx, now, environment, domain, true)
    await freeze(tx, now, { environment, domain }, reason)
    return { environment, domain, frozen_at: now.toISOString() }
  },
})

/** Puts it back on the market, at the price that it had, unless it has been blocked or its seller has lost it. */
export const unfreezeListing = adminWrite({
  ...common,
  name: 'unfreeze_listing',
  roles: ADMINS,
  summary: 'Put a frozen listing back on the market',
  method: 'DELETE',
  path: '/listings/{domain}/freeze',
  input,
  output: output.extend({
    status: z
      .enum(['listed', 'delisted'])
      .describe(
        '`delisted` where the domain has been blocked, or its seller does not hold it any more.',
      ),
  }),
  errors: ['validation_error', 'not_found'],
  async handler({ tx, now }, { domain, environment }) {
    const status = await unfreeze(tx, now, { environment, domain })
    if (status === null) throw notFound('frozen listing')
    return { environment, domain, frozen_at: null, status }
  },
})
