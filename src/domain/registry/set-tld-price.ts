import { z } from 'zod'
import { centsField, timestamp, tldField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import { PRICE_OPS, putPrices, TldPriceView, viewPrice, yearsField } from './price-book.ts'
import { mustFindTld } from './tlds.ts'

/** Sets one price, from now on. */
export const setTldPrice = adminWrite({
  name: 'set_tld_price',
  roles: FINANCE,
  summary: 'Set a price of the price book',
  method: 'PUT',
  path: '/tld-prices/{tld}/{op}',
  input: z.object({
    tld: tldField,
    op: z.enum(PRICE_OPS),
    price_cents: centsField.nullable().describe('In US cents; null: the operation is not sold'),
    years: yearsField.default(1),
  }),
  output: TldPriceView.extend({ updated_at: timestamp }),
  status: 200,
  errors: ['validation_error', 'not_found'],
  async handler({ tx, now }, { tld, op, price_cents, years }) {
    mustFindTld(tld)
    await putPrices(tx, [{ tld, op, price_cents, years }], now)
    const row = await tx
      .selectFrom('tld_prices')
      .selectAll()
      .where('tld', '=', tld)
      .where('op', '=', op)
      .executeTakeFirstOrThrow()
    return viewPrice(row)
  },
})
