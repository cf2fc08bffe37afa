/** An amount as people read it: `$1,250.00`. */
export function money(cents: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const { maximumFractionDigits = 2 } = format.resolvedOptions()
  return format.format(cents / 10 ** maximumFractionDigits)
}

/** A moment as people read it: `5 January 2026, 09:30 UTC`. */
export function moment(at: Date): string {
  const text = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at)
  return `${text.replace(' at ', ', ')} UTC`
}
