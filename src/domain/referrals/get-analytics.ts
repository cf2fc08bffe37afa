import { z } from 'zod'
import { centsView, iso } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { dayView, windowFields, windowView } from './get-clicks.ts'
import { addUp, readDays, type Totals, wholeDays } from './referral-days.ts'
import { requireAffiliate } from './referral-link.ts'

const Funnel = z.object({
  clicks: z
    .int()
    .meta({ description: 'The number of clicks, without those of bots.', example: 12 }),
  checkouts: z
    .int()
    .meta({ description: 'The number of checkouts that visitors opened.', example: 2 }),
  sales: z.int().meta({ description: 'The number of sales, including refunded ones.', example: 1 }),
  gmv_cents: centsView(129_500).describe('The prices of the sales together, in cents.'),
  commission_cents: centsView(12_950).describe(
    'Your commission on the sales, in cents. A refunded sale earns nothing.',
  ),
})

export const getAnalytics = partnerRead({
  name: 'get_analytics',
  tag: 'Referral',
  summary: 'Get analytics',
  description:
    'Returns what your tracked links brought, from click to commission, together and by UTC day. Available to affiliates; ' +
    'other partners get `forbidden`.',
  method: 'GET',
  path: '/analytics',
  scope: 'report',
  input: z.object(windowFields),
  output: z
    .object({
      ...windowView,
      totals: Funnel.describe('All days together.'),
      series: z.array(Funnel.extend({ date: dayView })).describe('The days, oldest first.'),
    })
    .meta({ id: 'Analytics' }),
  status: 200,
  errors: ['validation_error', 'forbidden'],
  assertCaller: requireAffiliate,
  async handler({ db, partner }, input) {
    const window = wholeDays(input)
    const days = await readDays(db, partner, window)
    return {
      from: iso(window.from),
      to: iso(window.to),
      totals: funnel(addUp(days)),
      series: days.map((day) => ({ date: day.date, ...funnel(day) })),
    }
  },
})

function funnel({ clicks, checkouts, sales, gmv_cents, commission_cents }: Totals) {
  return { clicks, checkouts, sales, gmv_cents, commission_cents }
}
