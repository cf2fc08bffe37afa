import { z } from 'zod'

/** A JSON Schema, as far as the documents look into one. */
export interface JsonSchema {
  type?: string | string[]
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  $ref?: string
  $defs?: Record<string, JsonSchema>
  [keyword: string]: unknown
}

const SAFE = Number.MAX_SAFE_INTEGER

/**
 * A schema as it is published, without what only says that numbers are JavaScript's. A schema within it that
 * has a name (`.meta({ id })`) is a `$ref` to one of its `$defs`; a `.meta({ example })` becomes its `examples`.
 */
export function schemaOf(type: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const schema = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.minimum === -SAFE) delete jsonSchema.minimum
      if (jsonSchema.maximum === SAFE) delete jsonSchema.maximum
      // Fields are added over time, and a client that validates must let them pass.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // Not written as `examples` in the first place: zod drops these from the input of a transform.
      const { example } = jsonSchema
      if (example !== undefined) jsonSchema.examples = [example]
      delete jsonSchema.example
    },
  })
  return tidied(schema) as JsonSchema
}

/** Without its dialect, and with the words of a field that may be null beside the field. */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied)
  if (typeof value !== 'object' || value === null) return value
  const { $schema: _dialect, '~standard': _standard, ...rest } = value as Record<string, unknown>
  const part = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, tidied(each)]))
  const [first, other] = Array.isArray(part.anyOf) ? (part.anyOf as JsonSchema[]) : []
  if (!first || other?.type !== 'null') return part
  const { description, examples, ...type } = first
  return {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...part,
    anyOf: [type, other],
  }
}

const NAMED = /^#\/(?:\$defs|components\/schemas)\/(.+)$/

/** A schema, or a whole document, with every named schema in the place of its reference. */
export function inlined<Root extends object>(root: Root): Root {
  const { $defs, components } = root as JsonSchema & { components?: { schemas?: object } }
  const named = { ...components?.schemas, ...$defs } as Record<string, JsonSchema>
  const known = new Map<string, unknown>()
  return walk(root) as Root

  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const { $defs: _named, ...rest } = value as JsonSchema
    const part = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, walk(each)]))
    const [, name] = NAMED.exec(String(part.$ref)) ?? []
    if (name === undefined) return part
    if (!known.has(name)) known.set(name, walk(named[name]))
    const { $ref: _reference, ...beside } = part
    return { ...(known.get(name) as object), ...beside }
  }
}

/**
 * An example of a schema without references: its own, or composed of those of its fields. An optional field without
 * an example is left out.
 */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const [either] = schema.anyOf ?? schema.oneOf ?? []
  if (either) return exampleOf(either)
  if (schema.type === 'array') {
    const item = schema.items && exampleOf(schema.items)
    return item === undefined ? undefined : [item]
  }
  if (schema.type !== 'object') return undefined
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]) => [
    name,
    exampleOf(part),
  ])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}
