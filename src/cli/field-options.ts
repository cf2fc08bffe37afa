import { Option } from 'commander'
import { parseDomainName } from 'domain-marketplace-domain-names'
import type { CommandSpec } from './command-spec.ts'
import type { Field, OperationContract } from './contract.ts'
import { Failed, readText } from './terminal.ts'

/** Words that are the same in every command. */
const NAMES: Record<string, string> = {
  environment: 'env',
  partner_id: 'partner',
  affiliate_id: 'affiliate',
  q: 'search',
}

/** What options say that mean the same in every command, where the contract says nothing. */
const TEXTS: Record<string, string> = {
  affiliate_id: 'The id of an affiliate account.',
  brokerage_bps: 'The share of a brokered price, in hundredths of a percent.',
  disabled: 'Whether nobody may sign in to the account.',
  domains: 'Domains, with commas between.',
  email: 'An e-mail address.',
  environment: 'The environment.',
  failing: 'Only endpoints whose last deliveries failed.',
  hosted_checkout_bps: 'The commission on hosted sales, in hundredths of a percent.',
  operator: 'Whether the account operates the marketplace.',
  partner_collected_bps: 'The commission on recorded sales, in hundredths of a percent.',
  partner_id: 'The id of a partner.',
  payment_id: 'The id of a payment.',
  public_id: 'The id of an order.',
  referral_bps: 'The commission on referred sales, in hundredths of a percent.',
  to: 'The address that mails went to.',
}

export interface FieldOption {
  option: Option
  field: string
  /** Whether its value names a file with a domain a line. */
  isFile?: boolean
}

/** One option; two where a boolean or a null has its own, and where domains come in a file. */
export function optionsFor(
  name: string,
  field: Field,
  isMandatory: boolean,
  spec: CommandSpec,
  { method }: OperationContract,
): FieldOption[] {
  const word = spec.names?.[name] ?? NAMES[name] ?? name
  const long = `--${word.replaceAll('_', '-')}`
  const isFlag = field.type === 'boolean'
  const text = [isMandatory && 'Required.', helpText(name, spec, field)].filter(Boolean).join(' ')
  const option = new Option(isFlag ? long : `${long} <${placeholder(name, field, word)}>`, text)
  option.makeOptionMandatory(isMandatory)
  if (spec.jsonFiles?.includes(name)) {
    option.flags = `${long} <file>`
    option.argParser(jsonIn)
  }
  if (field.type === 'integer') option.argParser(whole)
  if (field.type === 'array') option.argParser(name === 'domains' ? domainsIn : itemsIn)
  if (name === 'environment') option.choices(field.choices ?? [])
  if (spec.defaults?.[name] !== undefined) option.default(spec.defaults[name])
  const options: FieldOption[] = [{ option, field: name }]
  if (name === 'domains') {
    const file = new Option('--domains-file <file>', 'The same, from a file with a domain a line.')
    options.push({ option: file.conflicts('domains'), field: name, isFile: true })
  }
  // Null takes away what a replacement would keep; elsewhere it is as good as absent.
  const isRemovable = field.nullable && method === 'PUT' && !field.required
  if (isRemovable || (isFlag && field.default === undefined)) {
    const no = long.replace('--', '--no-')
    const off = method === 'GET' ? 'Only those of which it is not so.' : 'Switch it off.'
    options.push({ option: new Option(no, isRemovable ? 'Remove it.' : off), field: name })
  }
  return options
}

function placeholder(name: string, { type }: Field, word: string): string {
  if (type === 'array') return 'a,b,c'
  if (name.endsWith('_cents')) return 'cents'
  return name.endsWith('_id') ? name : word
}

export function helpText(name: string, spec: CommandSpec, field?: Field): string {
  if (name === spec.secret) {
    return 'Asked for, or read from standard input, if absent or -. Leave it out: others can read arguments.'
  }
  const { description, choices, type, default: standard } = field ?? {}
  const isShown = Boolean(standard) && !spec.defaults?.[name]
  return [
    description ?? spec.help?.[name] ?? TEXTS[name],
    choices &&
      name !== 'environment' &&
      `${type === 'array' ? 'Any' : 'One'} of: ${choices.join(', ')}.`,
    isShown && `Default: ${standard}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Each once, so that a file with repeats is no longer than it says. */
export function domainsIn(text: string): string[] {
  const names = text.split(/[\s,]+/).filter(Boolean)
  const domains = names.map((name) => {
    const { domain } = parseDomainName(name) ?? {}
    if (!domain) throw new Failed(`validation_error: domains: "${name}" is not a domain name`)
    return domain
  })
  return [...new Set(domains)]
}

/** The value in a file, so that secrets stand in no shell's history. */
function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readText(file))
  } catch (error) {
    if (error instanceof Failed) throw error
    throw new Failed(`error: ${file} is not JSON`)
  }
}

/** What is no whole number goes to the service as it is, which says so. */
function whole(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text
}

function itemsIn(list: string): string[] {
  return list.split(',').map((item) => item.trim())
}
