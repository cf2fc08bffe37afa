import fc from 'fast-check'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import type { JsonSchema } from '../../src/http/openapi/schema.ts'

/** A request as it goes over the wire, and the path and method of the document that it was made for. */
export interface Generated {
  path: string
  method: string
  target: string
  headers: Record<string, string>
  body: string | undefined
}

const ODD = [
  'petpantry.com',
  'dogs',
  'bücher.de',
  'register',
  'com',
  'co.uk',
  '',
  ' ',
  '..',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '%',
  '%zz',
  "'; drop table",
  '{}',
]

const HEADERS = fc.record(
  {
    authorization: fc.constantFrom('Bearer good', 'Bearer good', 'Bearer bad', '', 'Basic eA=='),
    accept: fc.constantFrom('application/x-ndjson', 'text/csv', '*/*', 'application/json', ';;,'),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'application/x+json', ';'),
    'idempotency-key': fc.constantFrom('one', 'two', 'three', '', 'not one'),
    origin: fc.constantFrom('https://page.example', 'null'),
  },
  { requiredKeys: [] },
)

/**
 * Requests of every operation of a document: as its schemas say, and with something wrong in them.
 *
 * @param known strings that mean something to the service, such as ids of what is there
 */
export function requestsOf(
  document: OpenApiDocument,
  known: readonly string[] = [],
): fc.Arbitrary<Generated> {
  const text = fc.oneof(
    fc.constantFrom(...ODD, ...known),
    ...(known.length > 0 ? [fc.constantFrom(...known)] : []),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
  )
  const names = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )

  /** Values of a schema. */
  function valid(schema: JsonSchema): fc.Arbitrary<unknown> {
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valid))
    switch (schema.type) {
      case 'integer':
        return fc.integer({
          min: schema.minimum ?? -10,
          max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1),
        })
      case 'boolean':
        return fc.boolean()
      case 'array':
        return fc.array(valid(schema.items ?? {}), {
          minLength: Number(schema.minItems ?? 0),
          maxLength: Math.min(Number(schema.maxItems ?? 3), 4),
        })
      case 'object':
        return fc.record(
          Object.fromEntries(
            Object.entries(schema.properties ?? {}).map(([name, part]) => [
              name,
              name === 'op' ? fc.oneof(fc.constantFrom(...names), text) : valid(part),
            ]),
          ),
          { requiredKeys: schema.required ?? [] },
        )
      case 'string':
        return text
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }

  /** The same with something wrong in it, or something more. */
  function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      text,
      fc.constantFrom(-0, 1e308, 1e-7, null),
    )
    return fc.oneof(
      { weight: 3, arbitrary: value },
      { weight: 1, arbitrary: odd },
      {
        weight: 3,
        arbitrary: fc
          .tuple(value, fc.nat(5), odd, fc.boolean())
          .map(([whole, place, other, isRemoved]) => {
            if (typeof whole !== 'object' || whole === null) return other
            const keys = Object.keys(whole)
            const key = keys[place % Math.max(1, keys.length)] ?? 'more'
            const rest = Object.entries(whole).filter(([name]) => name !== key)
            return Object.fromEntries(isRemoved ? rest : [...rest, [key, other]])
          }),
      },
    )
  }

  const each = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters = [], requestBody } = operation
      const inQuery = parameters.filter((parameter) => parameter.in === 'query')
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      const schema = requestBody?.content['application/json']?.schema
      const query = fc.record(
        Object.fromEntries(
          inQuery.map(({ name, schema }) => [name, fc.oneof(valid(schema), text)]),
        ),
        { requiredKeys: [] },
      )
      return fc
        .record({
          query,
          junk: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, text),
          names: fc.array(text, { minLength: inPath.length, maxLength: inPath.length }),
          headers: fc.oneof(fc.constant({}), HEADERS),
          body: schema
            ? fc.oneof(
                {
                  weight: 9,
                  arbitrary: mutated(valid(schema)).map((value) => JSON.stringify(value)),
                },
                { weight: 1, arbitrary: text },
              )
            : fc.constant(undefined),
        })
        .map(({ query, junk, names, headers, body }): Generated => {
          let filled = path
          for (const [index, { name }] of inPath.entries()) {
            filled = filled.replace(`{${name}}`, () => encoded(names[index] ?? ''))
          }
          const pairs = Object.entries(query).map(
            ([key, value]) => `${key}=${encoded(String(value))}`,
          )
          if (junk !== '') pairs.push(encoded(junk))
          const target = pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
          return { path, method: method.toUpperCase(), target, headers, body }
        })
    }),
  )
  return fc.oneof(...each)
}

const encoded = (value: string) => encodeURIComponent(value.toWellFormed())
