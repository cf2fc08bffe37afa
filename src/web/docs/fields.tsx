import type { Parameter } from '../../http/openapi/document.ts'
import { Prose } from './prose.tsx'

type JsonSchema = Parameter['schema']

/** A field as the reference shows it; those of an object stand behind it, under its name and a dot. */
export interface Field {
  name: string
  type: string
  required: boolean
  description: string
}

/** A table of fields, each with an anchor of its own. */
export function Fields({ title, at, fields }: { title: string; at: string; fields: Field[] }) {
  if (fields.length === 0) return null
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {fields.map(({ name, type, required, description }) => (
          <tr id={anchorOf(at, name)}>
            <th scope="row">
              <code>
                {name.split(/(?<=[._])/).flatMap((part, at) => (at > 0 ? [<wbr />, part] : [part]))}
              </code>
              {required && <span class="required">required</span>}
            </th>
            <td>
              <span class="type">{type}</span>
              {description && <Prose text={description} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The anchor of a field: `create_order.buyer.email`, and `create_order.response.status` of a response. */
export function anchorOf(at: string, name: string): string {
  return `${at}.${name.replaceAll('[]', '')}`
}

export function parameterField({
  name,
  required,
  description = '',
  schema,
  in: place,
}: Parameter): Field {
  const where = place === 'header' ? ', header' : ''
  return { name, required, description, type: typeOf(schema) + where }
}

/** In a response every field is there, which is not worth a word. */
export function responseFields(schema: JsonSchema): Field[] {
  return fieldsOf(schema).map((field) => ({ ...field, required: false }))
}

/** The fields of an object and of what is in it; of alternatives each field once, with all that it may be. */
export function fieldsOf(schema: JsonSchema, prefix = ''): Field[] {
  const fields = new Map<string, Field>()
  for (const field of partsOf(schema).flatMap((part) => ownFieldsOf(part, prefix))) {
    const { type = field.type, required = field.required } = fields.get(field.name) ?? {}
    fields.set(field.name, {
      ...field,
      type: type === field.type ? type : `${type} · ${field.type}`,
      required: required && field.required,
    })
  }
  return [...fields.values()]
}

/** What a schema is put together from, or may be one of. */
function partsOf(schema: JsonSchema): JsonSchema[] {
  const { allOf } = schema as { allOf?: JsonSchema[] }
  const others = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(allOf ?? [])]
  return [schema, ...others.flatMap(partsOf)]
}

function ownFieldsOf(schema: JsonSchema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const items = partsOf(part).find((one) => one.items)?.items
    const field: Field = {
      name: prefix + name,
      type: typeOf(part),
      required: schema.required?.includes(name) ?? false,
      description: part.description ?? '',
    }
    return [field, ...fieldsOf(items ?? part, `${prefix}${name}${items ? '[]' : ''}.`)]
  })
}

function typeOf(schema: JsonSchema): string {
  const { enum: values, anyOf, type, items, format, minimum, maximum, maxLength } = schema
  const initial = schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`
  if (values) return values.map((value) => JSON.stringify(value)).join(' · ') + initial
  const either = anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(typeOf))].join(' or ') + initial
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum.toLocaleString('en-US')}`]),
    ...(maximum === undefined ? [] : [`to ${maximum.toLocaleString('en-US')}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ].join(' ')
  const name = [type].flat().join(' or ') || (schema.properties ? 'object' : 'any')
  const list = items ? ` of ${typeOf(items)}` : ''
  return `${name}${list}${format ? `, ${format}` : ''}${bounds ? `, ${bounds}` : ''}${initial}`
}
