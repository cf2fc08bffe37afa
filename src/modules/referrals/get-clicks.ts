import { z } from 'zod'
import { iso, momentField, timestamp } from '../../kernel/fields.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { addUp, readDays, wholeDays } from './referral-days.ts'
import { requireAffiliate } from './referral-link.ts'

/** A window of whole UTC days. */
export const windowFields = {
  /** At or after; absent: since the beginning. */
  from: momentField.optional(),
  /** Before; absent: until now. */
  to: momentField.optional(),
}

export const getClicks = partnerRead({
  name: 'get_clicks',
  summary: 'Clicks on your tracked links, by day',
  method: 'GET',
  path: '/me/clicks',
  scope: 'report',
  input: z.object(windowFields),
  output: z.object({
    /** Without bots; repeats of a visitor within a day included. */
    total: z.int(),
    unique: z.int(),
    bots: z.int(),
    from: timestamp.nullable(),
    to: timestamp.nullable(),
    series: z.array(z.object({ date: z.iso.date(), clicks: z.int() })),
  }),
  status: 200,
  errors: ['validation_error', 'forbidden'],
  refuseCaller: requireAffiliate,
  async handler({ db, partner }, input) {
    const window = wholeDays(input)
    const days = await readDays(db, partner, window)
    const { clicks, unique_clicks, bots } = addUp(days)
    return {
      total: clicks,
      unique: unique_clicks,
      bots,
      from: iso(window.from),
      to: iso(window.to),
      series: days.map(({ date, clicks }) => ({ date, clicks })),
    }
  },
})
