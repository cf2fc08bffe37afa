import type { Mandate } from '../../domain/oauth/mandate.ts'
import { after, DAY } from '../../lib/clock.ts'
import { HOME_CURRENCY, isCurrency, MAX_CENTS } from '../../lib/money.ts'
import { parseAmount } from '../../web/components/money.ts'

const DEFAULTS = { perOrder: '500', total: '1000', days: 30 }
const LONGEST_DAYS = 366

/** What a person fills in about what an app may spend. */
export interface MandateFields {
  max_per_order: string
  max_total: string
  currency: string
  /** A date: its end, in UTC. */
  expires_at: string
}

export type MandateProblems = Partial<Record<keyof MandateFields, string>>

export function defaultMandate(now: Date): MandateFields {
  return {
    max_per_order: DEFAULTS.perOrder,
    max_total: DEFAULTS.total,
    currency: HOME_CURRENCY,
    expires_at: dayOf(after(now, DEFAULTS.days * DAY)),
  }
}

/** The first and the last day that may be chosen. */
export function mandateDays(now: Date): { min: string; max: string } {
  return { min: dayOf(now), max: dayOf(after(now, LONGEST_DAYS * DAY)) }
}

/**
 * Reads the form: amounts in units of the currency, or in cents under the names that the token response has, for
 * programs that fill it in.
 */
export function readMandate(
  form: URLSearchParams,
  now: Date,
): { mandate: Mandate } | { problems: MandateProblems; fields: MandateFields } {
  const initial = defaultMandate(now)
  const fields: MandateFields = {
    max_per_order: form.get('max_per_order')?.trim() ?? initial.max_per_order,
    max_total: form.get('max_total')?.trim() ?? initial.max_total,
    currency: (form.get('currency')?.trim() ?? initial.currency).toUpperCase(),
    expires_at: form.get('expires_at')?.trim() ?? initial.expires_at,
  }
  const problems: MandateProblems = {}
  const { currency } = fields
  if (!isCurrency(currency)) problems.currency = 'Enter a currency code such as USD.'
  const perOrder = centsOf(form.get('max_per_order_cents'), fields.max_per_order, currency)
  const total = centsOf(form.get('max_total_cents'), fields.max_total, currency)
  if (perOrder === null) problems.max_per_order = 'Enter an amount such as 500 or 1,250.00.'
  if (total === null) problems.max_total = 'Enter an amount such as 500 or 1,250.00.'
  if (perOrder !== null && total !== null && total < perOrder) {
    problems.max_total = 'Enter at least as much as one purchase may cost.'
  }
  const ends = endOf(fields.expires_at)
  if (ends === null || ends <= now) problems.expires_at = 'Choose a day that is still to come.'
  else if (ends > after(now, (LONGEST_DAYS + 1) * DAY)) {
    problems.expires_at = 'Choose a day within a year from now.'
  }
  if (Object.keys(problems).length > 0 || !perOrder || !total || !ends) return { problems, fields }
  return {
    mandate: {
      max_per_order_cents: perOrder,
      max_total_cents: total,
      currency,
      expires_at: ends,
    },
  }
}

function centsOf(cents: string | null, units: string, currency: string): number | null {
  if (cents !== null) return inRange(/^\d{1,15}$/.test(cents) ? Number(cents) : 0)
  return isCurrency(currency) ? parseAmount(units, currency) : null
}

function inRange(cents: number): number | null {
  return cents >= 1 && cents <= MAX_CENTS ? cents : null
}

/** The end of a day, or the moment that is named. */
function endOf(text: string): Date | null {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z$/i.test(text)
  if (!isDay && !isMoment) return null
  const moment = new Date(isDay ? `${text}T00:00:00Z` : text.toUpperCase())
  if (Number.isNaN(moment.getTime())) return null
  return isDay ? new Date(after(moment, DAY).getTime() - 1) : moment
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
