import { z } from 'zod'
import { domainField } from '../../core/fields.ts'
import { pageWrite } from '../../core/operation.ts'
import { describeListing, listedProblem, lockMarket } from '../listings/seller-listing.ts'
import { descriptionField } from './bulk-op.ts'

/** A seller says what is good about a name of theirs; empty takes it back. */
export const describeName = pageWrite({
  name: 'describe_listing',
  input: z.object({ domain: domainField, description: descriptionField }),
  output: z.object({ domain: z.string() }),
  async handler({ tx, now, caller }, { domain, description }) {
    const sellerId = caller.user?.id ?? ''
    const market = await lockMarket(tx, [domain])
    const problem = listedProblem(market.get(domain), sellerId)
    if (problem) throw problem
    await describeListing(tx, now, domain, description)
    return { domain }
  },
})
