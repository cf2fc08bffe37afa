/** The one source of the present moment. Every lifetime and comparison reads it (contract, section 1). */
export interface Clock {
  now(): Date
}

/** The production clock. `Date` is asked anew each time, so that a moved system clock is seen at once. */
export const systemClock: Clock = { now: () => new Date() }

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export function after(moment: Date, milliseconds: number): Date {
  return new Date(moment.getTime() + milliseconds)
}

/** The same day of a later year; the 29th of February becomes the first of March. */
export function yearsAfter(moment: Date, years: number): Date {
  const later = new Date(moment)
  later.setUTCFullYear(later.getUTCFullYear() + years)
  return later
}

/** When the month of a moment began (UTC). */
export function monthStart(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), 1))
}

/** Midnight of the month after this one, UTC. */
export function nextMonthStart(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 1))
}

export function unixSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / SECOND)
}
