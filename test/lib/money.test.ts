import { expect, test } from 'vitest'
import { money, moneyText } from '../../src/lib/money.ts'

test.each([
  ['USD', '1,234.56 USD', '$1,234.56'],
  ['JPY', '123,456 JPY', '¥123,456'],
  ['ISK', '123,456 ISK', 'ISK 123,456'],
  ['KWD', '123.456 KWD', 'KWD 123.456'],
  // What shops write of these has other digits than ISO 4217, in which amounts are counted.
  ['HUF', '1,234.56 HUF', 'HUF 1,234.56'],
  ['COP', '1,234.56 COP', 'COP 1,234.56'],
  ['IDR', '1,234.56 IDR', 'IDR 1,234.56'],
  ['IQD', '123.456 IQD', 'IQD 123.456'],
])('an amount in %s has the digits of ISO 4217', (currency, text, shown) => {
  expect(moneyText(123_456, currency)).toBe(text)
  expect(money(123_456, currency).replace('\u00a0', ' ')).toBe(shown)
})
