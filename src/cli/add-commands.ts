import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandSpec } from './command-spec.ts'
import { COMMANDS } from './commands.ts'
import { contractOf, type OperationContract, pathParameters } from './contract.ts'
import { domainsIn, type FieldOption, helpText, optionsFor } from './field-options.ts'
import { GROUPS } from './groups.ts'
import { readList } from './read-list.ts'
import { Failed, readSecret, readText, type Terminal } from './terminal.ts'

const ROWS = 100

type Values = Record<string, unknown>

/** Adds a command for each of the table, in groups. */
export function addCommands(program: Command, terminal: Terminal): void {
  for (const [name, description] of Object.entries(GROUPS)) {
    program.command(name).description(description)
  }
  for (const [words, spec] of Object.entries(COMMANDS)) {
    const [group = '', name] = words.split(' ')
    const parent = program.commands.find((command) => command.name() === group)
    addCommand(name && parent ? parent : program, name ?? group, spec, terminal)
  }
}

/** Adds the command of an operation: what its path holds as arguments, its other fields as options. */
export function addCommand(
  parent: Command,
  name: string,
  spec: CommandSpec,
  terminal: Terminal,
): Command {
  const contract = contractOf(spec.operation)
  const flags = spec.flags ?? {}
  const command = parent.command(name).description(spec.summary ?? contract.summary)
  const names = argumentsOf(spec, contract)
  for (const field of names) command.addArgument(argumentFor(field, spec, contract))
  const options = optionsOf(spec, contract, names)
  for (const { option } of options) command.addOption(option)
  if (contract.paged) {
    command
      .option('--limit <n>', 'How many rows at most.', atLeastOne, spec.limit ?? ROWS)
      .option('--cursor <next_cursor>', 'Go on where another list ended.')
  }
  return command.action(async (...given: unknown[]) => {
    const chosen = given[names.length] as Values
    const input: Values = { ...spec.fixed }
    for (const [at, field] of names.entries()) input[field] = given[at] ?? null
    for (const { option, field, isFile } of options) {
      const value = chosen[option.attributeName()]
      if (value === undefined || option.name() in flags) continue
      const isRemoved = value === false && contract.fields[field]?.nullable
      input[field] = isFile ? domainsIn(readText(value as string)) : isRemoved ? null : value
    }
    const raised = Object.entries(flags).filter(([flag]) => chosen[camelCase(flag)])
    for (const [, { sets }] of raised) Object.assign(input, sets)
    if (spec.secret) input[spec.secret] = await secretOf(spec.secret, input[spec.secret])
    const operation = raised.find(([, flag]) => flag.operation)?.[1].operation ?? spec.operation
    const { limit, cursor } = chosen as { limit: number; cursor?: string }
    await run(operation, input, contract.paged ? { limit, cursor } : null)
  })

  async function run(
    operation: string,
    input: Values,
    pages: { limit: number; cursor: string | undefined } | null,
  ): Promise<void> {
    const { method, path, rows, fields } = contractOf(operation)
    const table = spec.columns && rows ? { rows, columns: spec.columns } : undefined
    if (!pages || !rows) {
      return terminal.print(await call(terminal, method, path, input), table)
    }
    const list = await readList(rows, pages, fields.limit?.maximum ?? ROWS, (page) =>
      call(terminal, method, path, { ...input, ...page }),
    )
    terminal.print(list, table)
    if (list.next_cursor) process.stderr.write('there are more rows: use --limit or --cursor\n')
  }
}

/** Secrets on a command line stand in the shell's history and in the list of processes. */
async function secretOf(name: string, given: unknown): Promise<unknown> {
  if (given !== undefined && given !== '-') return given
  const secret = await readSecret(name)
  if (secret === '') throw new Failed(`error: standard input is empty: it must have the ${name}`)
  return secret
}

/** What a path names goes there, and the rest into the query or the body. */
async function call(
  { ask }: Terminal,
  method: string,
  path: string,
  input: Values,
): Promise<object> {
  const rest = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]))
    delete rest[name]
    return value
  })
  if (method !== 'GET' && method !== 'DELETE') return (await ask(method, filled, rest)) as object
  const given = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return (await ask(method, query.size > 0 ? `${filled}?${query}` : filled)) as object
}

function argumentsOf(spec: CommandSpec, { path }: OperationContract): string[] {
  const inPath = pathParameters(path).filter(
    (name) => !spec.options?.includes(name) && !(name in (spec.fixed ?? {})),
  )
  return [...inPath, ...(spec.arguments ?? [])]
}

function argumentFor(name: string, spec: CommandSpec, contract: OperationContract): Argument {
  const field = contract.fields[name]
  const shown = spec.names?.[name] ?? name
  const text = helpText(name, spec, field)
  return new Argument(field?.nullable ? `[${shown}]` : `<${shown}>`, text)
}

function optionsOf(
  spec: CommandSpec,
  contract: OperationContract,
  inArguments: readonly string[],
): FieldOption[] {
  const set = Object.values(spec.flags ?? {}).flatMap(({ sets }) => Object.keys(sets ?? {}))
  const fields = Object.entries(contract.fields)
    .filter(([name]) => !(name in (spec.fixed ?? {})) && !inArguments.includes(name))
    .filter(([name]) => !contract.paged || !['limit', 'cursor'].includes(name))
    .flatMap(([name, field]) => {
      const isOptional = set.includes(name) || name === spec.secret || name === 'domains'
      return optionsFor(name, field, Boolean(field.required) && !isOptional, spec, contract)
    })
  const flags = Object.entries(spec.flags ?? {}).map(([name, { summary, sets }]) => {
    const option = new Option(`--${name}`, summary)
    return { option: option.conflicts(Object.keys(sets ?? {}).map(camelCase)), field: name }
  })
  return [...fields, ...flags]
}

function atLeastOne(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number above 0.')
}

function camelCase(name: string): string {
  return name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
}
