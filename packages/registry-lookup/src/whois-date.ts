const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * The moment that a WHOIS response's date means, in RFC 3339; null of what could be read in two ways, such as
 * 03/04/2020. Without a time it is midnight, without a zone UTC.
 */
export function whoisDate(text: string): string | null {
  const zone = /[+-]\d\d:?\d\d\b|\(JST\)/.exec(text.slice(10))?.[0] ?? 'Z'
  const time = /(?<!\d)(\d\d):(\d\d)(?::(\d\d))?/.exec(text)
  const date = readDate(text)
  if (!date) return null
  const [year, month, day] = date
  const clock = time ? `${time[1]}:${time[2]}:${time[3] ?? '00'}` : '00:00:00'
  const offset = zone.replace('(JST)', '+0900').replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')
  return `${year}-${month}-${day}T${clock}${time ? offset : 'Z'}`
}

function readDate(text: string): [year: string, month: string, day: string] | null {
  const yearFirst = /^(\d{4})[-/.]?\s?(\d\d)[-/.]?\s?(\d\d)(?!\d)/.exec(text)
  if (yearFirst) return [yearFirst[1] ?? '', yearFirst[2] ?? '', yearFirst[3] ?? '']
  const compact = /^(\d{4})(\d\d)(\d\d)\d{6}\b/.exec(text)
  if (compact) return [compact[1] ?? '', compact[2] ?? '', compact[3] ?? '']
  const american =
    /\b([A-Za-z]{3})[a-z]*\.? +(\d{1,2})(?:,? | [\d:]{5,8} (?:[A-Z]{3,4} )?)(\d{4})\b/.exec(text)
  if (american) return withName(american[3], american[1], american[2])
  const named = /\b(\d{1,2})[-. ]([A-Za-z]{3})[a-z]*[-. ](\d{4})\b/.exec(text)
  if (named) return withName(named[3], named[2], named[1])
  const yearName = /^(\d{4})-([A-Za-z]{3})[a-z]*-(\d{1,2})\b/.exec(text)
  if (yearName) return withName(yearName[1], yearName[2], yearName[3])
  // Days come first where dots or hyphens stand between numbers; with slashes only the size tells.
  const dayFirst = /^(\d{1,2})([-./])\s?(\d{1,2})[-./]\s?(\d{4})\b/.exec(text)
  if (!dayFirst || (dayFirst[2] === '/' && Number(dayFirst[1]) <= 12)) return null
  return [
    dayFirst[4] ?? '',
    (dayFirst[3] ?? '').padStart(2, '0'),
    (dayFirst[1] ?? '').padStart(2, '0'),
  ]
}

function withName(
  year: string | undefined,
  name: string | undefined,
  day: string | undefined,
): [string, string, string] | null {
  const month = MONTHS.indexOf((name ?? '').toLowerCase()) + 1
  if (month === 0) return null
  return [year ?? '', String(month).padStart(2, '0'), (day ?? '').padStart(2, '0')]
}
