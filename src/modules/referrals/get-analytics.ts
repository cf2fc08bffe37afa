import { z } from 'zod'
import { iso, timestamp } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { windowFields } from './get-clicks.ts'
import { addUp, readDays, type Totals, wholeDays } from './referral-days.ts'
import { requireAffiliate } from './referral-link.ts'

const Funnel = z.object({
  clicks: z.int(),
  /** Checkouts that visitors of your links opened. */
  checkouts: z.int(),
  /** Sales and what they sold for; one that was taken back stays counted. */
  sales: z.int(),
  gmv_cents: z.int(),
  /** What you earn by them; a sale that was taken back earns nothing. */
  commission_cents: z.int(),
})

export const getAnalytics = partnerRead({
  name: 'get_analytics',
  summary: 'From click to commission: what your tracked links brought',
  method: 'GET',
  path: '/analytics',
  scope: 'report',
  input: z.object(windowFields),
  output: z.object({
    from: timestamp.nullable(),
    to: timestamp.nullable(),
    totals: Funnel,
    series: z.array(Funnel.extend({ date: z.iso.date() })),
  }),
  status: 200,
  errors: ['validation_error', 'forbidden'],
  refuseCaller: requireAffiliate,
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
