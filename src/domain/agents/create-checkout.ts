import { z } from 'zod'
import { domainField, domainView } from '../../core/fields.ts'
import { userWrite } from '../../core/operation.ts'
import { confirmedEmail, mustFindUser } from '../accounts/user.ts'
import { openMarketplaceSession } from '../checkout/open-marketplace-session.ts'
import { findTransferProblem } from '../listings/transferable.ts'
import { promisedLink } from '../offers/pay-link.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'

/** Where the user pays themselves, beyond whatever an app may spend. */
export const createCheckout = userWrite({
  name: 'create_checkout',
  summary: 'A link on which the user buys a domain themselves',
  description:
    'Makes a page on which the user pays for one domain with a card of their choice. Use it when the purchase is beyond ' +
    'the mandate, when no card is saved, or when the user would rather pay themselves. It buys and reserves nothing, and ' +
    'spends nothing of the mandate: give the link to the user. It works for an hour. For a domain that is reserved for the ' +
    'user, whose offer was accepted, it returns the page on which they pay what was agreed.',
  method: 'POST',
  path: '/api/agent/checkouts',
  rate: 'public',
  scope: 'orders:create',
  cacheSeconds: 0,
  input: z.object({ domain: domainField.describe('The domain to buy, such as example.com.') }),
  output: z.object({
    domain: domainView,
    checkout_url: z.url().describe('Where the user sees the price and pays.'),
  }),
  status: 201,
  errors: ['validation_error', 'unauthorized', 'insufficient_scope', 'not_found', 'conflict'],
  aliases: { domain: ['name'] },
  example: {
    input: { domain: 'petpantry.test' },
    output: {
      domain: 'petpantry.test',
      checkout_url: 'https://market.example/checkout?pt=eyJhbGciOiJFZERTQSJ9',
    },
  },
  prepare: ({ app }, { domain }) => findTransferProblem(app, 'live', domain, MARKETPLACE_PARTNER),
  async handler({ prepared, userId, ...context }, { domain }) {
    if (prepared) throw prepared
    const email = confirmedEmail(await mustFindUser(context.tx, userId))
    const promised = email && (await promisedLink(context, domain, email))
    return {
      domain,
      checkout_url:
        promised ?? (await openMarketplaceSession(context, 'live', domain, { click: null })),
    }
  },
})
