import { z } from 'zod'
import type { Contract } from '../../core/contract.ts'
import { type ApiError, invalid } from '../../core/errors.ts'
import { readFields } from '../../http/input.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { Check, Field, Select, TextArea } from './form.tsx'
import { fieldText, stateText } from './humanize.ts'
import { parseAmount } from './money.ts'

/** Text that may be longer gets several lines. */
const ONE_LINE = 300

/** How a form or a filter shows one field of an operation, where the field's schema does not say it. */
export interface FieldOptions {
  label: string
  hint?: string
  placeholder?: string
  /** What stands in the field at first. */
  value?: string
  /** The choices in words, and in their order; absent: all choices of the schema by their names. */
  choices?: Readonly<Record<string, string>>
  /** Where the schema leaves the field optional and the form does not. */
  required?: boolean
  type?: 'password' | 'search' | 'date'
}

/** The fields to show, by their names in the operation's input: a label, or a label with more. */
export type FieldsOf<I extends z.ZodObject> = {
  readonly [Name in keyof z.input<I>]?: string | FieldOptions
}

type Shape = Pick<Contract, 'input'>

interface FieldSchema {
  type?: string
  enum?: string[]
  default?: string | number | boolean
  maxLength?: number
  format?: string
  items?: { enum?: string[] }
  isRequired: boolean
}

const known = new WeakMap<z.ZodObject, Map<string, FieldSchema>>()

/** What the schema of an operation's input says of a field. */
function schemaOf({ input }: Shape, name: string): FieldSchema {
  let fields = known.get(input)
  if (!fields) {
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    const { properties = {}, required = [] } = schema
    fields = new Map(
      Object.entries(properties as Record<string, z.core.JSONSchema.BaseSchema>).map(
        ([field, { anyOf, ...rest }]) => {
          const value = anyOf?.find((each) => typeof each === 'object' && each.type !== 'null')
          const isRequired = required.includes(field)
          return [field, { ...(value as object), ...rest, isRequired } as FieldSchema]
        },
      ),
    )
    known.set(input, fields)
  }
  const found = fields.get(name)
  if (!found) throw new Error(`The operation has no field ${name}`)
  return found
}

/** What was typed into a form or a filter, and what is wrong with each of its fields. */
export interface Typed {
  value(name: string): string | undefined
  problem(name: string): string | undefined
}

export function typedIn(
  values: { get(name: string): string | null | undefined } | undefined,
  error: ApiError | null | undefined,
): Typed {
  const issues = error?.issues ?? []
  return {
    value: (name) => values?.get(formName(name)) ?? undefined,
    problem(name) {
      const found = issues.find(({ field }) => field === name || field === formName(name))
      return found && fieldText(found)
    },
  }
}

/** The fields of a form that sends an operation's input. */
export function OperationFields<I extends z.ZodObject>({
  operation,
  fields,
  typed,
}: {
  operation: Pick<Contract<I>, 'input'>
  fields: FieldsOf<I>
  typed: Typed
}) {
  return (
    <>
      {entriesOf(fields).map(([name, options]) => (
        <OperationField schema={schemaOf(operation, name)} {...{ name, options, typed }} />
      ))}
    </>
  )
}

function OperationField({
  schema,
  name,
  options,
  typed,
}: {
  schema: FieldSchema
  name: string
  options: FieldOptions
  typed: Typed
}) {
  const { label, hint, placeholder = '', choices, type } = options
  const { required = schema.isRequired && schema.default === undefined } = options
  const value = typed.value(name) ?? options.value ?? String(schema.default ?? '')
  const shown = { label, name: formName(name), hint, problem: typed.problem(name) }
  const { maxLength: maxlength = 0 } = schema
  if (schema.type === 'array' && !schema.items?.enum) {
    const named = { name: `${name}_lines`, value: typed.value(`${name}_lines`) ?? '' }
    return <TextArea {...shown} {...named} rows={6} required={required} />
  }
  if (schema.type === 'array') {
    return (
      <fieldset>
        <legend>{label}</legend>
        {schema.items?.enum?.map((each) => (
          <Check label={each} name={name} value={each} checked={value.split(' ').includes(each)} />
        ))}
      </fieldset>
    )
  }
  if (schema.type === 'boolean') {
    return <Check {...shown} value="true" checked={value === 'true'} required={required} />
  }
  if (schema.enum) {
    return <Select {...shown} value={value} options={choicesOf(schema.enum, choices)} />
  }
  if (schema.type === 'object') {
    const named = { name: `${name}_json`, value: typed.value(`${name}_json`) ?? '' }
    return <TextArea {...shown} {...named} rows={8} required={required} />
  }
  const limits = {
    required,
    ...(maxlength > 0 && { maxlength }),
    ...(placeholder && { placeholder }),
  }
  if (maxlength > ONE_LINE) return <TextArea {...shown} {...limits} value={value} rows={2} />
  return <Field {...shown} {...limits} {...inputOf(name, schema, type)} value={value} />
}

/** The filters of a list: choices can be left open, and none is required. */
export function OperationFilters<I extends z.ZodObject>({
  operation,
  fields,
  typed,
}: {
  operation: Pick<Contract<I>, 'input'>
  fields: FieldsOf<I>
  typed: Typed
}) {
  return (
    <>
      {entriesOf(fields).map(([name, { label, choices, placeholder, type = 'search' }]) => {
        const schema = schemaOf(operation, name)
        const value = typed.value(name) ?? String(schema.default ?? '')
        const shown = { label, name, value, problem: typed.problem(name) }
        const names = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
        if (!names) return <Field {...shown} type={type} {...(placeholder && { placeholder })} />
        const any: [string, string][] = schema.default === undefined ? [['', 'Any']] : []
        return <Select {...shown} options={[...any, ...choicesOf(names, choices)]} />
      })}
    </>
  )
}

/**
 * Reads a form as the operation's input. People write amounts in units (`price_amount`) of the form's `currency`, by
 * default `HOME_CURRENCY`, and shares in percent (`referral_percent`), which become `price_cents` and `referral_bps`; an
 * object is JSON (`config_json`), a list one entry a line (`domains_lines`).
 * Fields in `emptied` are taken away by leaving them empty.
 */
export function readForm<I extends z.ZodObject>(
  operation: Contract<I>,
  form: URLSearchParams,
  emptied: readonly string[] = [],
): z.output<I> {
  const fields = new URLSearchParams(form)
  const currency = form.get('currency') || HOME_CURRENCY
  for (const [name, text] of form) {
    const amount = /^(\w+)_amount$/.exec(name)?.[1]
    if (amount !== undefined) fields.set(`${amount}_cents`, centsOf(name, text, currency))
    const share = /^(\w+)_percent$/.exec(name)?.[1]
    if (share !== undefined) fields.set(`${share}_bps`, bpsOf(name, text))
  }
  const given: Record<string, unknown> = {}
  for (const [name, text] of form) {
    const object = /^(\w+)_json$/.exec(name)?.[1]
    if (object !== undefined) given[object] = jsonOf(object, text)
    const list = /^(\w+)_lines$/.exec(name)?.[1]
    if (list !== undefined) given[list] = text.split(/\s+/).filter(Boolean)
  }
  for (const name of emptied) if (fields.get(name) === '') given[name] = null
  return readFields(operation, fields, given)
}

function jsonOf(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid({ field, issue: 'must be JSON' })
  }
}

function centsOf(field: string, text: string, currency: string): string {
  if (text.trim() === '') return ''
  const cents = parseAmount(text, currency)
  if (cents === null) {
    throw invalid({ field, issue: 'Write an amount such as 1250 or 1,250.50, above zero.' })
  }
  return String(cents)
}

function bpsOf(field: string, text: string): string {
  if (text.trim() === '') return ''
  if (!/^\d{1,3}(?:\.\d{1,2})?$/.test(text.trim())) {
    throw invalid({ field, issue: 'Write a percentage such as 10 or 7.5.' })
  }
  return String(Math.round(Number(text) * 100))
}

/** The name of a field in a form, where people write amounts and shares otherwise than programs. */
function formName(name: string): string {
  return name.replace(/_cents$/, '_amount').replace(/_bps$/, '_percent')
}

function inputOf(name: string, schema: FieldSchema, type: FieldOptions['type']) {
  if (type === 'password') return { type, autocomplete: 'new-password' }
  if (type) return { type }
  if (schema.format === 'email') return { type: 'email' }
  if (/_(?:cents|bps)$/.test(name)) return { inputmode: 'decimal' as const }
  return schema.type === 'integer' ? { inputmode: 'numeric' as const } : {}
}

function entriesOf(fields: object): [name: string, options: FieldOptions][] {
  return Object.entries(fields as Record<string, string | FieldOptions>).map(([name, given]) => [
    name,
    typeof given === 'string' ? { label: given } : given,
  ])
}

function choicesOf(
  names: readonly string[],
  choices: FieldOptions['choices'],
): [value: string, label: string][] {
  if (choices) return Object.entries(choices)
  return names.map((name) => [name, stateText(name)])
}
