import { type ParseArgsConfig, parseArgs } from 'node:util'
import { flawOf } from '../address.ts'

/** What stops a command before it began: shown as one line, with exit code 2. */
export class Usage extends Error {}

export interface Credential {
  baseUrl: string
  keyId: string
  secret: string
}

export const ADDRESS_OPTIONS = {
  'base-url': { type: 'string' },
  'key-id': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Options = NonNullable<ParseArgsConfig['options']>
type Parsed<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; strict: true; allowPositionals: false }>
>['values']

export function parse<T extends Options>(args: string[], options: T): Parsed<T> {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new Usage((error as Error).message)
  }
}

/** The same of a command that takes one file. */
export function parseWithFile<T extends Options>(
  args: string[],
  options: T,
): { values: Parsed<T>; file: string | undefined } {
  let parsed: { values: unknown; positionals: string[] }
  try {
    parsed = parseArgs({ args, options, strict: true, allowPositionals: true })
  } catch (error) {
    throw new Usage((error as Error).message)
  }
  const [file, ...more] = parsed.positionals
  if (more.length > 0) throw new Usage('name one file only.')
  return { values: parsed.values as Parsed<T>, file }
}

/** From the options, or from the environment, as everywhere in the guides. */
export function credentialOf(values: { 'base-url'?: string; 'key-id'?: string }): Credential {
  const { SERVICE_URL, SERVICE_KEY_ID, SERVICE_SECRET: secret } = process.env
  const baseUrl = values['base-url'] ?? (SERVICE_URL || 'http://localhost:3000')
  const keyId = values['key-id'] ?? SERVICE_KEY_ID
  const flaw = flawOf(baseUrl)
  if (flaw) {
    throw new Usage(`${values['base-url'] === undefined ? 'SERVICE_URL' : '--base-url'} ${flaw}`)
  }
  if (!keyId || !secret) {
    throw new Usage('Set SERVICE_KEY_ID and SERVICE_SECRET.')
  }
  if (!keyId.startsWith('pk_sandbox_')) {
    throw new Usage(`${keyId} is no sandbox credential, and this command is for the sandbox only.`)
  }
  return { baseUrl, keyId, secret }
}
