// node --import tsx scripts/make-signing-vectors.ts
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { canonicalString, requestSignature } from '../src/lib/signature.ts'

export interface SigningVector {
  name: string
  secret: string
  method: string
  path: string
  raw_query: string
  body_base64: string
  timestamp: string
  nonce: string
  canonical_query: string
  canonical_string: string
  signature: string
}

export interface SigningVectors {
  description: string
  scheme: 'v1'
  vectors: SigningVector[]
}

interface SigningCase {
  name: string
  secret?: string
  method?: string
  path?: string
  /** Canonical forms are written by hand, so that a fault in src/lib cannot slip into the file. */
  query?: readonly [raw: string, canonical: string]
  body?: string | Uint8Array
  timestamp?: string
  nonce?: string
}

export const VECTORS_URL = new URL('../docs/signing-vectors.json', import.meta.url)

const DESCRIPTION = `Test vectors for signing requests to the partner API. The secrets are samples.

raw_query: all that follows the first "?" of the request target; empty if nothing does.

canonical_query: split raw_query at each "&" and drop empty pieces. Split each piece at its first
"="; without one the value is blank. Read "+" as a space, then decode percent escapes once, leaving
a "%" that two hex digits do not follow as it is. Read the bytes as UTF-8: a BOM is kept, and each
maximal subpart of an ill-formed sequence becomes U+FFFD (WHATWG Encoding; Unicode, 3.9). Sort by
key, then by value, by Unicode code point. Percent-encode the UTF-8 bytes of all characters but
A-Z a-z 0-9 - . _ ~ with upper-case hex. Join as key=value with "&".

canonical_string: method, path, canonical_query, timestamp, nonce and the lower-case hex SHA-256 of
the body bytes, joined by line feeds. The path is the one sent, neither decoded nor normalised.

signature: "v1=" and the lower-case hex HMAC-SHA256 of the UTF-8 bytes of canonical_string, keyed
with the UTF-8 bytes of the secret.`.replace(/(?<!\n)\n(?!\n)/g, ' ')

const DEFAULTS = {
  secret: 'sample-secret-of-the-signing-vectors',
  method: 'GET',
  path: '/api/partner/v1/domains/search',
  query: ['', ''],
  body: '',
  timestamp: '1767225600',
  nonce: '6f1d3c52-9a0e-4b7d-8c21-5e4f7a9b0d13',
} as const satisfies Omit<Required<SigningCase>, 'name'>

/** What is tried, the raw query, its canonical form. */
type QueryCase = readonly [about: string, raw: string, canonical: string]

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const padded = (value: number) => String(value).padStart(3, '0')
const escapedByte = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
const REPLACEMENT = '%EF%BF%BD'

const SHAPES: readonly QueryCase[] = [
  ['none', '', ''],
  ['one pair', 'q=shop', 'q=shop'],
  ['two pairs in order', 'a=1&b=2', 'a=1&b=2'],
  ['a blank value is kept', 'q=', 'q='],
  ['a key without an equals sign', 'q', 'q='],
  ['keys without an equals sign are sorted', 'b&a', 'a=&b='],
  ['a blank value beside a full one', 'a=&b=2', 'a=&b=2'],
  ['a blank value sorts before a full one', 'a=1&a=', 'a=&a=1'],
  ['with and without an equals sign is the same pair', 'a=&a', 'a=&a='],
  ['a blank key', '=value', '=value'],
  ['a blank key and a blank value', '=', '='],
  ['a blank key sorts first', 'a=1&=2', '=2&a=1'],
  ['an equals sign in the value', 'a=b=c', 'a=b%3Dc'],
  ['two equals signs', 'a==', 'a=%3D'],
  ['two equals signs and no key', '==', '=%3D'],
  ['base64 padding unescaped', 'cursor=b3JkXzE=', 'cursor=b3JkXzE%3D'],
  ['an empty piece in the middle', 'a=1&&b=2', 'a=1&b=2'],
  ['an empty piece at the start', '&a=1', 'a=1'],
  ['an empty piece at the end', 'a=1&', 'a=1'],
  ['an ampersand alone', '&', ''],
  ['ampersands alone', '&&&', ''],
  ['an escaped ampersand does not split', 'a=1%26b=2', 'a=1%26b%3D2'],
  ['an escaped equals sign does not split', 'a%3D1=2', 'a%3D1=2'],
  ['an escaped equals sign and no other', 'a%3D1', 'a%3D1='],
  ['a semicolon does not split', 'a=1;b=2', 'a=1%3Bb%3D2'],
  ['an escaped semicolon', 'a=1%3Bb', 'a=1%3Bb'],
  ['the HTML entity of an ampersand', 'a=1&amp;b=2', 'a=1&amp%3Bb=2'],
  ['a second question mark belongs to the key', '?', '%3F='],
  ['a second question mark before a pair', '?a=1', '%3Fa=1'],
  ['a second and a third question mark', '??a=1&b=2', '%3F%3Fa=1&b=2'],
  ['an escaped question mark starts the key', '%3Fa=1', '%3Fa=1'],
  ['a question mark in the value', 'a=?', 'a=%3F'],
  ['brackets in the key', 'status[]=paid&status[]=held', 'status%5B%5D=held&status%5B%5D=paid'],
  ['an array index in the key', 'f[10]=a&f[9]=b', 'f%5B10%5D=a&f%5B9%5D=b'],
]

const ORDER: readonly QueryCase[] = [
  ['by key', 'c=1&b=2&a=3', 'a=3&b=2&c=1'],
  ['by value where keys are equal', 'a=3&a=1&a=2', 'a=1&a=2&a=3'],
  ['exact repeats are kept', 'a=1&b=2&a=1', 'a=1&a=1&b=2'],
  ['repeated keys apart', 'b=2&a=2&b=1&a=1', 'a=1&a=2&b=1&b=2'],
  ['numbers as text', 'n=10&n=9&n=100', 'n=10&n=100&n=9'],
  ['upper case before lower case', 'a=1&B=2&A=3&b=4', 'A=3&B=2&a=1&b=4'],
  ['digits, upper case, underscore, lower case', 'a=&_=&A=&0=', '0=&A=&_=&a='],
  ['a key before the keys it starts', 'abc=1&ab=2&a=3', 'a=3&ab=2&abc=1'],
  ['a key before itself with a hyphen', 'a-b=1&a=2', 'a=2&a-b=1'],
  ['a key before itself with a dot', 'a.b=1&a=2', 'a=2&a.b=1'],
  ['a key before itself with a digit', 'a1=1&a=2', 'a=2&a1=1'],
  ['a key before itself with a space', 'a+b=1&a=2', 'a=2&a%20b=1'],
  ['a key before itself with a NUL', 'a%00=1&a=2', 'a=2&a%00=1'],
  ['a value before the values it starts', 'a=xy&a=x&a=', 'a=&a=x&a=xy'],
  ['not by the joined pair', 'a=z&a!=b', 'a=z&a%21=b'],
  ['on the decoded key, escaped letter', '%7A=1&b=2', 'b=2&z=1'],
  ['on the decoded value, escaped letter', 'a=%62&a=a', 'a=a&a=b'],
  ['on the decoded key, slash after hyphen', 'a/=1&a-=2', 'a-=2&a%2F=1'],
  ['on the decoded key, brace after letter', '%7B=1&z=2', 'z=2&%7B=1'],
  ['on the decoded value, bracket after Z', 'a=%5B&a=Z', 'a=Z&a=%5B'],
  ['on the decoded key, accent after tilde', '%C3%A9=1&~=2', '~=2&%C3%A9=1'],
  ['on the decoded value, plus after asterisk', 'a=%2B&a=*&a=+', 'a=%20&a=%2A&a=%2B'],
  ['on the decoded key, percent sign', '%2541=1&A=2', '%2541=1&A=2'],
  ['accents after all of ASCII', '%C3%A4=1&z=2&a=3', 'a=3&z=2&%C3%A4=1'],
  ['composed and decomposed stay apart', '%C3%A9=1&e%CC%81=2', 'e%CC%81=2&%C3%A9=1'],
  ['two-byte before three-byte', 'a=%E2%82%AC&a=%C3%BF', 'a=%C3%BF&a=%E2%82%AC'],
  ['U+E000 before an astral key', '%F0%9F%98%80=1&%EE%80%80=2', '%EE%80%80=2&%F0%9F%98%80=1'],
  ['U+E000 before an astral value', 'a=%F0%9F%98%80&a=%EE%80%80', 'a=%EE%80%80&a=%F0%9F%98%80'],
  ['U+FFFF before U+10000', 'a=%F0%90%80%80&a=%EF%BF%BF', 'a=%EF%BF%BF&a=%F0%90%80%80'],
  [
    'U+D7FF, U+E000, U+10000',
    '%F0%90%80%80&%EE%80%80&%ED%9F%BF',
    '%ED%9F%BF=&%EE%80%80=&%F0%90%80%80=',
  ],
  [
    'full-width before astral, after a prefix',
    'x%F0%9F%98%80=1&x%EF%BC%A1=2',
    'x%EF%BC%A1=2&x%F0%9F%98%80=1',
  ],
  ['two astral characters', 'a=%F0%9F%98%81&a=%F0%9F%98%80', 'a=%F0%9F%98%80&a=%F0%9F%98%81'],
  ['the last code point', '%F4%8F%BF%BF=1&%F0%90%80%80=2', '%F0%90%80%80=2&%F4%8F%BF%BF=1'],
  [
    'an astral key before the one it starts',
    '%F0%9F%98%80a&%F0%9F%98%80',
    '%F0%9F%98%80=&%F0%9F%98%80a=',
  ],
  [
    'an astral key prefix against a BMP one',
    '%F0%9F%98%80&%EF%BF%BDa&%EF%BF%BD',
    '%EF%BF%BD=&%EF%BF%BDa=&%F0%9F%98%80=',
  ],
]

const ESCAPES: readonly QueryCase[] = [
  ['plus is a space', 'q=a+b', 'q=a%20b'],
  ['%20 is a space', 'q=a%20b', 'q=a%20b'],
  ['%2B is a plus', 'q=a%2Bb', 'q=a%2Bb'],
  ['%2b is a plus', 'q=a%2bb', 'q=a%2Bb'],
  ['plus, %20 and %2B together', 'q=+%20%2B', 'q=%20%20%2B'],
  ['plus in a key', 'a+b=1', 'a%20b=1'],
  ['a plus alone is a key', '+', '%20='],
  ['plus around the value', 'q=+a+', 'q=%20a%20'],
  ['an escaped percent sign before 2B', 'q=%252B', 'q=%252B'],
  ['lower-case hex digits', 'q=%c3%bc', 'q=%C3%BC'],
  ['mixed-case hex digits', 'q=%c3%Bc%2f', 'q=%C3%BC%2F'],
  ['escaped letters and digits', '%61%4A=%30%39', 'aJ=09'],
  ['an escaped word', 'q=%73%68%6f%70', 'q=shop'],
  ['escaped unreserved punctuation', 'q=%2D%2E%5F%7E', 'q=-._~'],
  ['escaped unreserved punctuation, lower case', 'q=%2d%2e%5f%7e', 'q=-._~'],
  ['decoded once only', 'q=%2541', 'q=%2541'],
  ['a twice escaped ampersand', 'q=%2526', 'q=%2526'],
  ['an accented letter', 'q=caf%C3%A9', 'q=caf%C3%A9'],
  ['an accented letter in a key', 'caf%C3%A9=1', 'caf%C3%A9=1'],
  ['an emoji', 'q=%F0%9F%98%80', 'q=%F0%9F%98%80'],
  [
    'an emoji of several code points',
    'q=%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB',
    'q=%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB',
  ],
  ['Chinese', 'q=%E5%9F%9F%E5%90%8D', 'q=%E5%9F%9F%E5%90%8D'],
  ['right to left', 'q=%D9%86%D8%B7%D8%A7%D9%82', 'q=%D9%86%D8%B7%D8%A7%D9%82'],
  ['an internationalised name', 'domain=b%C3%BCcher.example', 'domain=b%C3%BCcher.example'],
  ['a line feed', 'a=x%0Ay', 'a=x%0Ay'],
  ['a line feed, lower case', 'a=x%0ay', 'a=x%0Ay'],
  ['carriage return and line feed', 'a=x%0D%0Ay', 'a=x%0D%0Ay'],
  ['a line feed in a key', 'a%0Ab=1', 'a%0Ab=1'],
  ['a forged line', 'a=%0A1767225600%0Anonce', 'a=%0A1767225600%0Anonce'],
  ['a tab', 'a=%09', 'a=%09'],
  ['a line separator', 'a=%E2%80%A8', 'a=%E2%80%A8'],
  ['NUL in a value', 'a=x%00y', 'a=x%00y'],
  ['NUL alone as a key', '%00', '%00='],
  ['DEL', 'a=%7F', 'a=%7F'],
  ['a no-break space is not trimmed', 'a=%C2%A0x', 'a=%C2%A0x'],
  ['a BOM at the start of a value', 'q=%EF%BB%BFa', 'q=%EF%BB%BFa'],
  ['a BOM at the start of the query', '%EF%BB%BFq=a', '%EF%BB%BFq=a'],
  ['a BOM at the start of a later key', 'q=a&%EF%BB%BFa=1', 'q=a&%EF%BB%BFa=1'],
  ['a BOM alone', 'q=%EF%BB%BF', 'q=%EF%BB%BF'],
  ['a BOM before a byte that is not UTF-8', 'q=%EF%BB%BF%FF', `q=%EF%BB%BF${REPLACEMENT}`],
  ['a BOM before an escape that is none', 'q=%EF%BB%BF%zz', 'q=%EF%BB%BF%25zz'],
  [
    'all of ASCII escaped in one value',
    `a=${numbers(128).map(escapedByte).join('')}`,
    `a=${numbers(128)
      .map((code) =>
        /[\w.~-]/.test(String.fromCharCode(code)) ? String.fromCharCode(code) : escapedByte(code),
      )
      .join('')}`,
  ],
]

const MALFORMED: readonly QueryCase[] = [
  ['%zz', 'a=%zz', 'a=%25zz'],
  ['%zz in a key', '%zz=1', '%25zz=1'],
  ['a percent sign at the end', 'a=100%', 'a=100%25'],
  ['a percent sign alone', '%', '%25='],
  ['one hex digit at the end', 'a=%2', 'a=%252'],
  ['one hex digit before an ampersand', 'a=%2&0=1', '0=1&a=%252'],
  ['one hex digit before an equals sign', '%4=1', '%254=1'],
  ['a good and a bad digit', 'a=%4g', 'a=%254g'],
  ['a bad and a good digit', 'a=%g4', 'a=%25g4'],
  ['a doubled percent sign', 'a=%%41', 'a=%25A'],
  ['an escape inside an escape', 'a=%4%31', 'a=%2541'],
  ['a plus inside an escape', 'a=%+41', 'a=%25%2041'],
  ['a plus after one hex digit', 'a=%4+1', 'a=%254%201'],
  ['a sign is no digit', 'a=%-1', 'a=%25-1'],
  ['the %u form', 'a=%u00e9', 'a=%25u00e9'],
  ['good beside bad', 'a=%41%zz%42', 'a=A%25zzB'],
  ['good UTF-8 beside bad', 'a=%C3%A9%zz', 'a=%C3%A9%25zz'],
]

const NOT_UTF8: readonly QueryCase[] = [
  ['%ff', 'a=%ff', `a=${REPLACEMENT}`],
  ['%ff in a key', '%ff=1', `${REPLACEMENT}=1`],
  ['%fe%ff', 'a=%fe%ff', `a=${REPLACEMENT.repeat(2)}`],
  ['Latin-1', 'q=caf%E9', `q=caf${REPLACEMENT}`],
  ['a continuation byte alone', 'a=%80', `a=${REPLACEMENT}`],
  ['an overlong slash of two bytes', 'a=%C0%AF', `a=${REPLACEMENT.repeat(2)}`],
  ['an overlong slash of three bytes', 'a=%E0%80%AF', `a=${REPLACEMENT.repeat(3)}`],
  ['an overlong slash of four bytes', 'a=%F0%80%80%AF', `a=${REPLACEMENT.repeat(4)}`],
  ['an overlong NUL', 'a=%C0%80', `a=${REPLACEMENT.repeat(2)}`],
  ['a high surrogate', 'a=%ED%A0%80', `a=${REPLACEMENT.repeat(3)}`],
  ['a low surrogate', 'a=%ED%BF%BF', `a=${REPLACEMENT.repeat(3)}`],
  ['a surrogate pair', 'a=%ED%A0%BD%ED%B8%80', `a=${REPLACEMENT.repeat(6)}`],
  ['beyond the last code point', 'a=%F4%90%80%80', `a=${REPLACEMENT.repeat(4)}`],
  ['a five-byte sequence', 'a=%F8%88%80%80%80', `a=${REPLACEMENT.repeat(5)}`],
  ['cut short after one byte of two', 'a=%C3', `a=${REPLACEMENT}`],
  ['cut short after two bytes of three', 'a=%E2%82', `a=${REPLACEMENT}`],
  ['cut short after three bytes of four', 'a=%F0%9F%98', `a=${REPLACEMENT}`],
  ['cut short before a letter', 'a=%F0%9F%98A', `a=${REPLACEMENT}A`],
  ['cut short before a good sequence', 'a=%E2%82%C3%A9', `a=${REPLACEMENT}%C3%A9`],
  ['a letter in the middle', 'a=%E2%28%A1', `a=${REPLACEMENT}%28${REPLACEMENT}`],
  ['a plus in the middle', 'a=%C3+%A9', `a=${REPLACEMENT}%20${REPLACEMENT}`],
  ['an ampersand in the middle', 'a=%C3&b=%A9', `a=${REPLACEMENT}&b=${REPLACEMENT}`],
  ['beside an escape that is none', 'a=%ff%zz', `a=${REPLACEMENT}%25zz`],
  ['U+FFFD sent as such', 'a=%EF%BF%BD', `a=${REPLACEMENT}`],
  ['sorted as U+FFFD, before astral', 'a=%F0%90%80%80&a=%ff', `a=${REPLACEMENT}&a=%F0%90%80%80`],
  ['sorted as U+FFFD, among equals', 'a=%fe2&a=%ff1', `a=${REPLACEMENT}1&a=${REPLACEMENT}2`],
  ['a noncharacter is kept', 'a=%EF%BF%BE', 'a=%EF%BF%BE'],
]

/** Each character of `characters` unescaped and escaped, in a key and in a value. */
function characterCases(characters: string, encoded: (character: string) => string): QueryCase[] {
  return [...characters].flatMap((character): QueryCase[] => {
    const escape = escapedByte(character.charCodeAt(0))
    const canonical = `k${encoded(character)}=v${encoded(character)}`
    return [
      [`${character} unescaped`, `k${character}=v${character}`, canonical],
      [`${character} as ${escape}`, `k${escape}=v${escape}`, canonical],
    ]
  })
}

const UNRESERVED = characterCases('~-._', (character) => character)
const SUB_DELIMITERS = characterCases("!'()*", (character) => escapedByte(character.charCodeAt(0)))
const RESERVED = characterCases(':/?[]@$,;', (character) => escapedByte(character.charCodeAt(0)))

const OTHER_CHARACTERS: readonly QueryCase[] = [
  ['a hash and other escapes that must stay', 'a=%23%26%2B%3D%25', 'a=%23%26%2B%3D%25'],
  ['unescaped characters that no URL may hold', 'a="<>\\^`{|}', 'a=%22%3C%3E%5C%5E%60%7B%7C%7D'],
  [
    'a URL as value, unescaped',
    'u=https://a.example/p?x=1',
    'u=https%3A%2F%2Fa.example%2Fp%3Fx%3D1',
  ],
  [
    'a date and time, unescaped',
    'from=2026-01-01T00:00:00.000Z',
    'from=2026-01-01T00%3A00%3A00.000Z',
  ],
  [
    'a time offset with a bare plus',
    'to=2026-01-01T00:00:00+02:00',
    'to=2026-01-01T00%3A00%3A00%2002%3A00',
  ],
  [
    'a time offset with an escaped plus',
    'to=2026-01-01T00:00:00%2B02:00',
    'to=2026-01-01T00%3A00%3A00%2B02%3A00',
  ],
]

const LONG: readonly QueryCase[] = [
  ['a value of 6,000 characters', `q=${'x'.repeat(6000)}`, `q=${'x'.repeat(6000)}`],
  ['a key of 3,000 characters', 'k'.repeat(3000), `${'k'.repeat(3000)}=`],
  ['1,000 spaces', `q=${'+'.repeat(1000)}`, `q=${'%20'.repeat(1000)}`],
  ['500 emoji', `q=${'%f0%9f%98%80'.repeat(500)}`, `q=${'%F0%9F%98%80'.repeat(500)}`],
  [
    '400 keys backwards',
    numbers(400)
      .toReversed()
      .map((n) => `k${padded(n)}=${n}`)
      .join('&'),
    numbers(400)
      .map((n) => `k${padded(n)}=${n}`)
      .join('&'),
  ],
  [
    '400 values of one key backwards',
    numbers(400)
      .toReversed()
      .map((n) => `k=${padded(n)}`)
      .join('&'),
    numbers(400)
      .map((n) => `k=${padded(n)}`)
      .join('&'),
  ],
  [
    '1,000 equal pairs',
    numbers(1000)
      .map(() => 'a=1')
      .join('&'),
    numbers(1000)
      .map(() => 'a=1')
      .join('&'),
  ],
  [
    'keys that are prefixes of each other backwards',
    numbers(60)
      .toReversed()
      .map((n) => 'a'.repeat(n + 1))
      .join('&'),
    numbers(60)
      .map((n) => `${'a'.repeat(n + 1)}=`)
      .join('&'),
  ],
]

const PATH_ROOT = '/api/partner/v1'
const PATHS: readonly (readonly [about: string, path: string])[] = [
  ['a name', `${PATH_ROOT}/domains/shop.example`],
  ['an id', `${PATH_ROOT}/orders/ord_01KDVWXN00ABCDEFGHJKMNPQRS`],
  ['outside /v1', '/api/partner/webhooks'],
  ['a trailing slash', `${PATH_ROOT}/orders/`],
  ['a doubled slash', `${PATH_ROOT}//orders`],
  ['a doubled slash at the start', `/${PATH_ROOT}/orders`],
  ['a dot segment', `${PATH_ROOT}/./orders`],
  ['a double-dot segment', `${PATH_ROOT}/x/../orders`],
  ['an escaped double-dot segment', `${PATH_ROOT}/x/%2e%2E/orders`],
  ['an escaped slash, upper case', `${PATH_ROOT}/domains/a%2Fb`],
  ['an escaped slash, lower case', `${PATH_ROOT}/domains/a%2fb`],
  ['an unescaped tilde', `${PATH_ROOT}/domains/~shop.example`],
  ['an escaped tilde', `${PATH_ROOT}/domains/%7Eshop.example`],
  ['an over-escaped letter', `${PATH_ROOT}/domains/%73hop.example`],
  ['an internationalised name, escaped', `${PATH_ROOT}/domains/b%C3%BCcher.example`],
  ['an internationalised name, escaped in lower case', `${PATH_ROOT}/domains/b%c3%bccher.example`],
  ['an internationalised name, A-label', `${PATH_ROOT}/domains/xn--bcher-kva.example`],
  ['an escaped emoji', `${PATH_ROOT}/domains/%F0%9F%98%80.example`],
  ['upper-case letters', `${PATH_ROOT}/domains/SHOP.Example`],
  ['an escaped space', `${PATH_ROOT}/domains/a%20b`],
  ['a plus', `${PATH_ROOT}/domains/a+b`],
  ['an escaped question mark', `${PATH_ROOT}/domains/a%3Fb=1`],
  ['an escaped hash', `${PATH_ROOT}/domains/a%23b`],
  ['an ampersand and an equals sign', `${PATH_ROOT}/domains/a=1&b=2`],
  ["the characters !'()*", `${PATH_ROOT}/domains/a!'()*`],
  ['other reserved characters', `${PATH_ROOT}/domains/a;v=1,@:$`],
  ['an escape that is none', `${PATH_ROOT}/domains/100%zz%`],
  ['an escape that is not UTF-8', `${PATH_ROOT}/domains/%ff`],
  ['an escaped NUL', `${PATH_ROOT}/domains/a%00`],
  ['an escaped line feed', `${PATH_ROOT}/domains/a%0Ab`],
  ['an escaped percent sign', `${PATH_ROOT}/domains/a%252Fb`],
]

const ORDER_BODY = '{"domain":"shop.example","sale_price_cents":125000,"currency":"USD"}'
const BODIES: readonly (readonly [about: string, body: string | Uint8Array])[] = [
  ['empty', ''],
  ['an empty object', '{}'],
  ['JSON', ORDER_BODY],
  [
    'JSON with its keys in another order',
    '{"currency":"USD","domain":"shop.example","sale_price_cents":125000}',
  ],
  [
    'JSON with spaces',
    '{ "domain": "shop.example", "sale_price_cents": 125000, "currency": "USD" }',
  ],
  ['JSON with line feeds', '{\n  "domain": "shop.example",\n  "currency": "USD"\n}'],
  ['JSON with CRLF', '{\r\n  "domain": "shop.example",\r\n  "currency": "USD"\r\n}'],
  ['JSON with a line feed at the end', `${ORDER_BODY}\n`],
  ['JSON with CRLF at the end', `${ORDER_BODY}\r\n`],
  ['JSON with a space in front', ` ${ORDER_BODY}`],
  ['JSON with unescaped Unicode', '{"buyer":{"name":"Zo\u00eb \u57df\u540d \u{1f600}"}}'],
  ['JSON with escaped Unicode', '{"buyer":{"name":"Zo\\u00eb \\u57df\\u540d \\ud83d\\ude00"}}'],
  ['JSON with decomposed Unicode', '{"buyer":{"name":"Zoe\u0308"}}'],
  ['JSON after a BOM', `\ufeff${ORDER_BODY}`],
  ['JSON with a number written as 1.0', '{"budget":1.0}'],
  ['JSON with a repeated key', '{"a":1,"a":2}'],
  ['JSON that does not parse', '{"a":'],
  ['white space alone', ' '],
  ['a line feed alone', '\n'],
  ['form data', 'a=1&b=2'],
  ['every byte', Uint8Array.from(numbers(256))],
  ['a NUL byte', Uint8Array.of(0)],
  ['bytes that are not UTF-8', Uint8Array.of(0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80)],
  ['a gzip header', Uint8Array.of(0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03)],
  ['55 bytes', 'x'.repeat(55)],
  ['64 bytes', 'x'.repeat(64)],
  ['10,000 bytes', 'x'.repeat(10_000)],
]

const METHODS: readonly SigningCase[] = [
  { name: 'GET', method: 'GET', path: `${PATH_ROOT}/orders` },
  {
    name: 'GET with a query',
    method: 'GET',
    path: `${PATH_ROOT}/orders`,
    query: ['status=paid&limit=50', 'limit=50&status=paid'],
  },
  {
    name: 'GET with a ? and nothing after it',
    method: 'GET',
    path: `${PATH_ROOT}/orders`,
    query: ['', ''],
    nonce: '0b9a4f0e-51c7-4a55-9d3e-2f6a1c8e7b40',
  },
  { name: 'HEAD', method: 'HEAD', path: `${PATH_ROOT}/orders` },
  { name: 'POST without a body', method: 'POST', path: `${PATH_ROOT}/sandbox/reset` },
  {
    name: 'POST',
    method: 'POST',
    path: `${PATH_ROOT}/orders`,
    body: ORDER_BODY,
    nonce: 'd2c1b0a9-8f7e-4d6c-9b5a-403f2e1d0c9b',
  },
  {
    name: 'POST with a query',
    method: 'POST',
    path: `${PATH_ROOT}/orders`,
    query: ['b=2&a=1', 'a=1&b=2'],
    body: ORDER_BODY,
  },
  {
    name: 'PUT',
    method: 'PUT',
    path: '/api/partner/webhooks',
    body: '{"url":"https://a.example/hook","secret":"sample-webhook-secret"}',
  },
  { name: 'PATCH', method: 'PATCH', path: `${PATH_ROOT}/links/lnk_1`, body: '{"kind":"domain"}' },
  { name: 'DELETE', method: 'DELETE', path: `${PATH_ROOT}/links/lnk_1` },
  { name: 'DELETE with a body', method: 'DELETE', path: `${PATH_ROOT}/links/lnk_1`, body: '{}' },
  { name: 'OPTIONS', method: 'OPTIONS', path: `${PATH_ROOT}/orders` },
]

const SECRETS: readonly (readonly [about: string, secret: string])[] = [
  ['1 character', 's'],
  ['200 characters', 'sample-key'.repeat(20)],
  ['64 bytes, one block of SHA-256', 'sample-k'.repeat(8)],
  ['65 bytes, hashed first', `${'sample-k'.repeat(8)}+`],
  ['accented letters', 'cl\u00e9-secr\u00e8te-\u00fc\u00df'],
  ['a composed letter', '\u00e9'],
  ['a decomposed letter', 'e\u0301'],
  ['Chinese', '\u5bc6\u94a5\u57df\u540d'],
  ['emoji', '\u{1f511}\u{1f600}'],
  ['64 characters that are more bytes', '\u00e9'.repeat(64)],
  ['hex digits are not decoded', '00ff00ff00ff00ff'],
  ['base64 is not decoded', 'c2FtcGxlLXNlY3JldA=='],
  ['spaces around are kept', ' sample '],
  ['a line feed at the end is kept', 'sample\n'],
  ['a BOM in front is kept', '\ufeffsample'],
  ['punctuation', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
]

const VISIBLE_ASCII = numbers(94)
  .map((offset) => String.fromCharCode(0x21 + offset))
  .join('')
const NONCES: readonly (readonly [about: string, nonce: string])[] = [
  ['8 characters', 'abcd1234'],
  ['128 characters', '0123456789abcdef'.repeat(8)],
  ['an upper-case UUID', '6F1D3C52-9A0E-4B7D-8C21-5E4F7A9B0D13'],
  ['a UUID without hyphens', '6f1d3c529a0e4b7d8c215e4f7a9b0d13'],
  ['a ULID', '01KDVWXN00ABCDEFGHJKMNPQRS'],
  ['base64', 'q83vEjRWeJA/+w=='],
  ['all visible ASCII characters', VISIBLE_ASCII],
  ['escapes are not decoded', '%41%42%43%0A'],
]

const TIMESTAMPS = [
  '1000000000',
  '1700000000',
  '2147483647',
  '2147483648',
  '4294967296',
  '9999999999',
]

const group = (title: string, cases: readonly QueryCase[]): SigningCase[] =>
  cases.map(([about, raw, canonical]) => ({ name: `${title}: ${about}`, query: [raw, canonical] }))

const CASES: readonly SigningCase[] = [
  ...METHODS.map((signingCase) => ({ ...signingCase, name: `method: ${signingCase.name}` })),
  ...group('query', SHAPES),
  ...group('order', ORDER),
  ...group('escapes', ESCAPES),
  ...group('malformed escapes', MALFORMED),
  ...group('not UTF-8', NOT_UTF8),
  ...group('unreserved', UNRESERVED),
  ...group('sub-delimiters', SUB_DELIMITERS),
  ...group('reserved', RESERVED),
  ...group('characters', OTHER_CHARACTERS),
  ...group('long', LONG),
  ...PATHS.map(([about, path]) => ({ name: `path: ${about}`, path })),
  ...BODIES.map(
    ([about, body]): SigningCase => ({
      name: `body: ${about}`,
      method: 'POST',
      path: `${PATH_ROOT}/orders`,
      body,
    }),
  ),
  ...SECRETS.map(([about, secret]) => ({ name: `secret: ${about}`, secret })),
  ...NONCES.map(([about, nonce]) => ({ name: `nonce: ${about}`, nonce })),
  ...TIMESTAMPS.map((timestamp) => ({ name: `timestamp: ${timestamp}`, timestamp })),
]

function vectorOf(signingCase: SigningCase): SigningVector {
  const { name, secret, method, path, query, body, timestamp, nonce } = {
    ...DEFAULTS,
    ...signingCase,
  }
  const [rawQuery, canonicalQuery] = query
  const bytes = Buffer.from(body)
  const canonical = canonicalString({
    method,
    path,
    query: canonicalQuery,
    timestamp,
    nonce,
    body: bytes,
  })
  return {
    name,
    secret,
    method,
    path,
    raw_query: rawQuery,
    body_base64: bytes.toString('base64'),
    timestamp,
    nonce,
    canonical_query: canonicalQuery,
    canonical_string: canonical,
    signature: requestSignature(secret, canonical),
  }
}

export function buildSigningVectors(): SigningVectors {
  return { description: DESCRIPTION, scheme: 'v1', vectors: CASES.map(vectorOf) }
}

/** In ASCII, so that no editor normalises a secret and no BOM hides. */
export function renderSigningVectors(): string {
  const json = JSON.stringify(buildSigningVectors(), null, 2)
  const ascii = json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${ascii}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(VECTORS_URL, renderSigningVectors())
}
