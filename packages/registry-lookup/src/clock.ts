/** Where a lookup gets the time from. */
export interface Clock {
  now(): Date
}

const SECOND = 1000
export const MINUTE = 60 * SECOND

export function after(moment: Date, milliseconds: number): Date {
  return new Date(moment.getTime() + milliseconds)
}
