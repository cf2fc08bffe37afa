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
