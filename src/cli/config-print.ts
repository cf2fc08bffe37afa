import { z } from 'zod'
import { ENVIRONMENT_VARIABLES } from '../core/environment.ts'
import { readSettings } from '../core/settings.ts'
import type { Terminal } from './terminal.ts'

/** The names of settings whose values let anyone who has them act: those are not printed. */
export const SECRET_NAME = /_(?:KEY|SECRET|TOKEN|HEADERS)$/
/** The same of a part of an address's query, such as `password` and `sslpassword` of PostgreSQL, and `pass` of SMTP. */
const SECRET_PART = /pass|pwd|secret|token|(?<!ssl)key|auth|sig|code|credential/i
/** A part of a path that nobody would type. */
const SECRET_SEGMENT = /(?<=\/)(?=[^/]*\d)(?=[^/]*[a-z])[\w-]{20,}(?=\/|$)/gi

/** Prints each setting with its value and where that is from; then fails, as the start would, on those that cannot be used. */
export function printConfig({ print }: Pick<Terminal, 'print'>): void {
  const settings = Object.entries(ENVIRONMENT_VARIABLES.shape).map(([variable, field]) => {
    const given = process.env[variable]
    return given
      ? { variable, value: shownValue(variable, given), from: 'environment' }
      : { variable, value: defaultText(field) ?? 'none', from: 'default' }
  })
  print({ settings }, { rows: 'settings', columns: ['variable', 'from', 'value'] })
  readSettings(process.env)
}

/** Without what is secret: of an address who signs in, by query as well, and what of its path may open it. */
function shownValue(variable: string, value: string): string {
  if (SECRET_NAME.test(variable)) return '(set)'
  if (!URL.canParse(value) || !value.includes('//')) {
    return variable.endsWith('_URL') ? '(set)' : value
  }
  const url = new URL(value)
  if (variable === 'ALERT_WEBHOOK_URL') return `${url.origin}/(set)`
  const before = url.href
  if (url.password !== '') url.password = 'hidden'
  // Alone, it may be a token.
  else if (url.username !== '' && url.protocol.startsWith('http')) url.username = 'hidden'
  const path = url.pathname.replace(SECRET_SEGMENT, 'hidden')
  if (path !== url.pathname) url.pathname = path
  for (const name of new Set(url.searchParams.keys())) {
    if (SECRET_PART.test(name)) url.searchParams.set(name, 'hidden')
  }
  return url.href === before ? value : url.href
}

/** What holds where a variable is not set: the value itself, or in words what it depends on; undefined is nothing. */
export function defaultText(field: z.core.$ZodType & { meta(): unknown }): string | undefined {
  const { otherwise } = (field.meta() ?? {}) as { otherwise?: string }
  if (otherwise !== undefined) return otherwise
  const value = defaultOf(field)
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
    ? String(value)
    : undefined
}

function defaultOf(field: z.core.$ZodType): unknown {
  if (field instanceof z.ZodDefault) return field.def.defaultValue
  return field instanceof z.ZodPipe ? defaultOf(field.def.in) : undefined
}
