import { partnerDocument } from '../src/http/openapi/partner.ts'
import { publicDocument } from '../src/http/openapi/public.ts'
import type { JsonSchema } from '../src/http/openapi/schema.ts'
import { PUBLIC_OPERATIONS } from '../src/http/public/operations.ts'

const HEAD = `"""What responses hold. Made by \`npm run python-models\` from the OpenAPI documents of the service."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union
`

/** The components of both documents as classes for type checkers. */
export function pythonModels(): string {
  const classes = new Map<string, string>()
  const documents = [
    partnerDocument('http://localhost:3000'),
    publicDocument(PUBLIC_OPERATIONS, 'http://localhost:3000'),
  ]
  const seen = new Map<string, string>()
  for (const { components } of documents) {
    const schemas = (components?.schemas ?? {}) as Record<string, JsonSchema>
    for (const [name, schema] of Object.entries(schemas)) {
      const text = JSON.stringify(schema)
      if (seen.has(name) && seen.get(name) !== text) throw new Error(`${name} is two things`)
      if (!seen.has(name)) define(name, schema)
      seen.set(name, text)
    }
  }
  return HEAD + [...classes.values()].join('')

  function define(name: string, schema: JsonSchema): void {
    const definition = schema.properties ? classOf(name, schema) : typeOf(schema, name)
    if (classes.has(name)) throw new Error(`${name} is defined twice`)
    classes.set(name, `\n${name} = ${definition}\n`)
  }

  function classOf(name: string, schema: JsonSchema): string {
    const { properties = {}, required = [] } = schema
    const fields = Object.entries(properties)
    // Names that Python keeps for itself can only stand in a string.
    const lines = fields.map(
      ([field, type]) => `    '${field}': ${typeOf(type, name + pascal(field))},`,
    )
    const total = required.length === fields.length ? '' : ', total=False'
    return `TypedDict('${name}', {\n${lines.join('\n')}\n}${total})`
  }

  function typeOf(schema: JsonSchema, name: string): string {
    const { $ref } = schema as { $ref?: string }
    if ($ref) return `'${$ref.split('/').at(-1)}'`
    const values = schema.const === undefined ? schema.enum : [schema.const]
    if (values) return `Literal[${values.map(literal).join(', ')}]`
    const options = schema.anyOf ?? schema.oneOf
    if (options) {
      const others = options.filter(({ type }) => type !== 'null')
      const types = others.map((one, index) =>
        typeOf(one, others.length === 1 ? name : name + optionName(one, index)),
      )
      const either = types.length === 1 ? (types[0] ?? 'Any') : `Union[${types.join(', ')}]`
      return types.length < options.length ? `Optional[${either}]` : either
    }
    if (schema.properties) {
      define(name, schema)
      return `'${name}'`
    }
    if (schema.type === 'array') return `List[${typeOf(schema.items ?? {}, name)}]`
    const { additionalProperties: each } = schema
    if (each && typeof each === 'object') return `Dict[str, ${typeOf(each as JsonSchema, name)}]`
    const plain: Record<string, string> = {
      string: 'str',
      integer: 'int',
      number: 'float',
      boolean: 'bool',
      object: 'Dict[str, Any]',
    }
    const kinds = [schema.type ?? []].flat()
    const [kind = ''] = kinds.filter((one) => one !== 'null')
    const type = plain[kind] ?? 'Any'
    return kinds.includes('null') ? `Optional[${type}]` : type
  }
}

/** What tells an option from the others: the first `type` that it has, or else its place. */
function optionName({ properties }: JsonSchema, index: number): string {
  const { const: only, enum: several } = properties?.['type'] ?? {}
  const type = only ?? several?.[0]
  return typeof type === 'string' ? pascal(type) : String(index + 1)
}

const literal = (value: unknown) =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)

function pascal(field: string): string {
  return field.replace(/(?:^|[_.])(\w)/g, (_, letter: string) => letter.toUpperCase())
}
