import { isIP } from 'node:net'
import addressparser from 'nodemailer/lib/addressparser'
import { z } from 'zod'
import { TOKEN_RULE, TOKEN_TEXT } from '../lib/token-text.ts'

// How environment variables are read: each with what is said of a value that cannot be used.

export const whole = (least: number, most: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}`,
    )
    .transform(Number)

export const oneOf = <const Names extends string[]>(...names: Names) =>
  z.enum(names, `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`)

/** An address, a block of addresses, or one of the names that Fastify knows. */
export function isProxy(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(entry)
  const isPrefix = prefix === undefined || /^\d{1,3}$/.test(prefix)
  return rest.length === 0 && isPrefix && Number(prefix ?? 0) <= (version === 4 ? 32 : 128)
}

export function entries(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
}

/** Mounted secrets often end with a line break, which no header would carry. */
export const bearerToken = z.string().trim().regex(TOKEN_TEXT, TOKEN_RULE)

export const key = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must be of letters, digits and signs without blanks')

/** Keys of another service, separated by commas, none of which is of another kind of its keys. */
export const keyOf = (prefixes: string, others: readonly string[]) =>
  key.refine(
    (list) => !entries(list).some((one) => others.some((other) => one.startsWith(other))),
    `must start with ${prefixes}`,
  )

/** One address, with a name or without. Of a text without one nodemailer would send from nobody. */
export function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text)
  return others.length === 0 && /^[^\s@]+@[^\s@]+$/.test(sender?.address ?? '')
}

export const perMinute = whole(1, 100_000_000)
