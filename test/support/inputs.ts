import type { z } from 'zod'
import { exampleOf, inlined, type JsonSchema, schemaOf } from '../../src/http/openapi/schema.ts'

/** An input that is well-formed, about things that nobody has: by its examples, or else by its types. */
export function inputFor(schema: z.ZodObject): {
  schema: JsonSchema
  input: Record<string, unknown>
} {
  const published = inlined(schemaOf(schema, 'input'))
  const input = { ...(exampleOf(published) as object) } as Record<string, unknown>
  for (const name of published.required ?? []) input[name] ??= anyOf(published.properties?.[name])
  return { schema: published, input }
}

function anyOf(schema: JsonSchema | undefined): unknown {
  switch ([schema?.anyOf?.[0]?.type ?? schema?.type].flat()[0]) {
    case 'integer':
      return schema?.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return [anyOf(schema?.items)]
    default:
      return 'text'
  }
}

/** What is no amount of money, as it may stand in a body. */
export const BAD_CENTS: [shown: string, value: unknown][] = [
  ['-1', -1],
  ['0', 0],
  ['1.5', 1.5],
  ['1e30', 1e30],
  ['"100"', '100'],
  ['true', true],
  ['[100]', [100]],
  ['{}', {}],
]

/** What is no domain name; each can stand in a JSON body and, encoded, in a URL. */
export const BAD_DOMAINS = [
  '',
  ' ',
  'test',
  'petpantry.test.',
  '.petpantry.test',
  'pet pantry.test',
  'petpantry..test',
  '-petpantry.test',
  'petpantry-.test',
  'pet_pantry.test',
  'petpantry.test/',
  'petpantry.test?x=1',
  'petpantry.test#x',
  'petpantry.test:80',
  'user@petpantry.test',
  'https://petpantry.test',
  '*.test',
  '10.0.0.1',
  '[::1]',
  'xn--a.test',
  'ab--cd.test',
  '-ü.test',
  'ü-.test',
  'xn----eha.test',
  'äb--cd.test',
  'petpantry.test\u0000',
  'pet\npantry.test',
  `${'a'.repeat(64)}.test`,
  `${'abcdefgh.'.repeat(30)}test`,
  '%',
]

/** A query in its canonical form, which is what gets signed; a parameter that is undefined is left out. */
export function queryOf(parameters: Record<string, string | number | undefined>): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${encode(key)}=${encode(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.toSorted().join('&')}`
}
