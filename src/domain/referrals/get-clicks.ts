import { z } from 'zod'
import { iso, timestamp, timestampField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { addUp, readDays, wholeDays } from './referral-days.ts'
import { requireAffiliate } from './referral-link.ts'

/** A window of whole UTC days. */
export const windowFields = {
  from: timestampField
    .optional()
    .describe('Only from this UTC day on: a date, or a time on that day. Default: the beginning.'),
  to: timestampField
    .optional()
    .describe('Only before this UTC date; of a time, its whole UTC day counts. Default: now.'),
}

/** The window as it was read. */
export const windowView = {
  from: timestamp
    .nullable()
    .meta({ description: 'The beginning of the first day, or null.', example: null }),
  to: timestamp
    .nullable()
    .meta({ description: 'The end of the last day, or null.', example: null }),
}
export const dayView = z.iso.date().meta({ description: 'The UTC day.', example: '2026-01-05' })

export const getClicks = partnerRead({
  name: 'get_clicks',
  tag: 'Referral',
  summary: 'Get clicks by day',
  description:
    'Returns the clicks on all your tracked links, together and by UTC day. Programs are counted apart. Available to ' +
    'affiliates; other partners get `forbidden`.',
  method: 'GET',
  path: '/me/clicks',
  scope: 'report',
  input: z.object(windowFields),
  output: z
    .object({
      total: z.int().meta({
        description: 'The number of clicks of people, with repeats of a visitor within a day.',
        example: 12,
      }),
      unique: z.int().meta({
        description: 'The number of clicks of people, without repeats of a visitor within a day.',
        example: 9,
      }),
      bots: z.int().meta({
        description: 'The number of clicks of programs, which `total` leaves out.',
        example: 3,
      }),
      ...windowView,
      series: z
        .array(
          z.object({
            date: dayView,
            clicks: z
              .int()
              .meta({ description: 'The number of clicks of people on that day.', example: 12 }),
          }),
        )
        .describe('The days, oldest first.'),
    })
    .meta({ id: 'Clicks' }),
  status: 200,
  errors: ['validation_error', 'forbidden'],
  assertCaller: requireAffiliate,
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
