import type { JsonSchema } from './document.ts'

const ID = '01k8zd6y3vj5r2m4n6p8q0s1t3'

/** Whose id it is, by the name of the field or of what it is in: what each begins with. */
const PREFIXES: [RegExp, string][] = [
  [/^public/, 'ord'],
  [/^case/, 'case'],
  [/^quote/, 'qt'],
  [/^checkout/, 'cs'],
  [/^refund/, 'rf'],
  [/^offer/, 'off'],
  [/^settlement/, 'stl'],
  [/^payout/, 'po'],
  [/^link/, 'lnk'],
  [/^(?:event|after)/, 'evt'],
  [/^deliver/, 'att'],
  [/^replay/, 'rpl'],
  [/^entr/, 'cme'],
  [/^sale/, 'ord'],
  [/^partner/, 'prt'],
]

/** What fields of these names look like; the others are made up from their types. */
const KNOWN: [name: RegExp, value: unknown, within?: RegExp][] = [
  // A broker asks for what is not for sale.
  [/^domain$/, 'harbourbakery.test', /^(?:brokerage|case|eligibility)/],
  [/^(?:domain|name)$/, 'petpantry.test'],
  [/^tld$/, 'test'],
  [/^currency$/, 'USD'],
  [/(?:^|_)email$/, 'buyer@example.com'],
  [/^country$/, 'DE'],
  [/^q(?:uery)?$/, 'dog food'],
  [/^budget$/, 500_000],
  [/^external_payment_ref$/, 'pay_1001'],
  [/^(?:return|cancel)_url$/, 'https://partner.example/orders/1001'],
  [/^destination_url$/, '/d/petpantry.test'],
  [/^checkout_url$/, 'https://market.example/checkout?pt=eyJhbGciOiJFZERTQSJ9'],
  [/^progress_url$/, 'https://market.example/case/mkt_case_8f2c'],
  [/^url$/, 'https://market.example/r/q3V9xTz1LmKd', /^link/],
  [/url$/, 'https://partner.example/webhooks'],
  [/^secret$/, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  [/^commission(?:_retained)?_cents$/, 12_950],
  [/owed_cents$/, 116_550],
  [/^refunded_cents$/, 0],
  [/(?:_cents|^expected_price)$/, 129_500],
  [/^held$/, false],
  [/^score$/, 0.58],
  [/^why$/, 'matches pet for dog, pantry for food'],
  [/^quote_token$/, 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJxdF8wMWs4In0.c2lnbmF0dXJl'],
  [/^external_ref$/, 'basket_1001'],
  [/^(?:product|label)$/, 'Spring newsletter'],
  [/^(?:message|error|response_body)$/, null],
  [/^buyer$/, 'b***@example.com'],
  [/^status$/, 'EXTERNALLY_PAID'],
  [/^type$/, 'order.recorded'],
  [/(?:reason|note)$/, null],
  [/^date$/, '2026-01-05'],
  // What is shown has just begun.
  [/^(?:started|completed|answered|ended|paid)_at$/, null],
  [/^expires_at$/, '2026-01-05T09:40:00.000Z', /^quote/],
  [/^expires_at$/, '2026-01-12T09:30:00.000Z', /^checkout/],
  [/(?:^to|_end)$/, '2026-02-01T00:00:00.000Z'],
  [/(?:_at|^at|^from|_start)$/, '2026-01-05T09:30:00.000Z'],
  [/_seconds$/, 600],
  [/^next_cursor$/, null],
]

/** An example that fits a schema, where no one has written a better one; `within` is what the field is in. */
export function sampleOf(schema: JsonSchema, name = '', within = ''): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const known = KNOWN.find(
    ([pattern, value, place]) =>
      pattern.test(name) && (!place || place.test(within)) && fits(value, schema),
  )
  if (known) return known[1]
  if (schema.default !== undefined) return schema.default
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return sampleOf(first, name, within)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, part]) => [
          key,
          // Who has an address is a person, not a domain.
          key === 'name' && schema.properties?.email ? 'Ada Buyer' : sampleOf(part, key, name),
        ]),
      )
    case 'array':
      return schema.items ? [sampleOf(schema.items, name.replace(/s$/, ''))] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string':
      return /_id$|^id$/.test(name) ? idOf(name === 'id' ? within : name) : 'text'
    default:
      return {}
  }
}

function idOf(whose: string): string {
  const [, prefix = 'id'] = PREFIXES.find(([pattern]) => pattern.test(whose)) ?? []
  return `${prefix}_${ID}`
}

function fits(value: unknown, schema: JsonSchema): boolean {
  const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? [])
  if (value === null) return types.includes('null')
  return types.includes(Number.isInteger(value) ? 'integer' : typeof value)
}
