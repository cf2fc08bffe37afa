import { describe, expect, test } from 'vitest'
import { parseAmount } from '../../src/web/components/money.ts'

describe('an amount as people write it', () => {
  test.each([
    ['300', 30_000],
    ['$4,500.50', 450_050],
    ['300 USD', 30_000],
    ['usd 300', 30_000],
    ['300$', 30_000],
    ['1 000', 100_000],
    ['1\u00a0234\u202f567.00', 123_456_700],
    ['1,234.50', 123_450],
    ['1.234,50', 123_450],
    ['1.234.567', 123_456_700],
    ['1 234,50', 123_450],
    ['1,234', 123_400],
  ])('is read: %s', (text, cents) => {
    expect(parseAmount(text, 'USD')).toBe(cents)
  })

  test.each([
    ['1.234', 'could be thousands or a fraction'],
    ['1,23,456', 'is neither'],
    ['1,234,50', 'has one mark for two things'],
    ['12,50', 'may lack a digit'],
    ['1 00', 'is no group of three'],
    ['300 EUR', 'is in another currency'],
    ['USD', 'has no digit'],
    ['-5', 'is below zero'],
  ])('is not read: %s, which %s', (text) => {
    expect(parseAmount(text, 'USD')).toBeNull()
  })

  test('has as many digits as its currency', () => {
    expect(parseAmount('300 000 JPY', 'JPY')).toBe(300_000)
    expect(parseAmount('1,50', 'JPY')).toBeNull()
    expect(parseAmount('1.234', 'KWD')).toBe(1_234)
  })
})
