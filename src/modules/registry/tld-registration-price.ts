import { z } from 'zod'
import { Refusal } from '../../kernel/errors.ts'
import { centsField, tldField } from '../../kernel/fields.ts'
import { publicRead } from '../../kernel/operation.ts'
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
    tld: tldField.describe('Such as com, co.uk or xn--p1ai; a leading dot is ignored'),
    op: z
      .enum(PRICE_OPS)
      .default('register')
      .describe('restore: take an expired name back, its renewal included'),
  }),
  output: z.object({
    tld: z.string().describe('Lower-case A-labels'),
    op: z.enum(PRICE_OPS),
    price_cents: centsField.describe('For all the years together'),
    currency: z.literal(HOME_CURRENCY),
    years: yearsField.describe('What the price is for: the fewest years that can be had'),
  }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  example: {
    input: { tld: 'com', op: 'register' },
    output: { tld: 'com', op: 'register', price_cents: 1_199, currency: 'USD', years: 1 },
  },
  async handler({ db }, { tld, op }) {
    mustFindTld(tld)
    const price = await registrationPrice(db, tld, op)
    if (!price) throw new Refusal('not_found', `There is no price to ${op} names on .${tld} here.`)
    return { tld, op, ...price }
  },
})
