import { z } from 'zod'
import { ApiError } from '../../core/errors.ts'
import { centsField, tldField } from '../../core/fields.ts'
import { publicRead } from '../../core/operation.ts'
import { MINUTE, SECOND } from '../../lib/clock.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { PRICE_OPS, registrationPrice, yearsField } from './price-book.ts'
import { mustFindTld } from './tlds.ts'

export const tldRegistrationPrice = publicRead({
  name: 'tld_registration_price',
  summary: 'The price to register, renew, transfer or restore on a top-level domain',
  description:
    'Tells the current USD price of one operation on a top-level domain (or a suffix such as co.uk). ' +
    'It is the price of an ordinary name; names listed in the marketplace have prices of their own.',
  method: 'GET',
  path: '/api/pricing/tld',
  rate: 'public',
  cacheSeconds: (5 * MINUTE) / SECOND,
  input: z.object({
    tld: tldField,
    op: z
      .enum(PRICE_OPS)
      .default('register')
      .describe(
        'What is done with the name. `restore` takes an expired one back, and includes its renewal.',
      ),
  }),
  output: z
    .object({
      tld: z.string().describe('The top-level domain or suffix, in lower-case A-labels.'),
      op: z.enum(PRICE_OPS).describe('What the price is for.'),
      price_cents: centsField.describe('The price of all the years together, in cents.'),
      currency: z.literal(HOME_CURRENCY).describe('The ISO 4217 code of the currency.'),
      years: yearsField.describe('The years that the price is for: the fewest that can be had.'),
    })
    .meta({ id: 'TldPrice', description: 'The price of an operation on a top-level domain.' }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  aliases: { op: ['operation'] },
  example: {
    input: { tld: 'com', op: 'register' },
    output: { tld: 'com', op: 'register', price_cents: 1_199, currency: 'USD', years: 1 },
  },
  async handler({ db }, { tld, op }) {
    mustFindTld(tld)
    const price = await registrationPrice(db, tld, op)
    if (!price) throw new ApiError('not_found', `There is no price to ${op} names on .${tld} here.`)
    return { tld, op, ...price }
  },
})
