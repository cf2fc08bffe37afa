import anyAscii from 'any-ascii'
import { isValidBIC, isValidIBAN } from 'ibantools'
import { z } from 'zod'
import { countryField, currencyField, lineField } from '../../core/fields.ts'
import { isCountry } from '../../lib/countries.ts'

const MAX_NAME = 70

/** What pain.001 may hold of a name in every scheme: the Latin set of the SEPA rulebook. */
const NOT_IN_SCHEME = /[^A-Za-z0-9/\-?:().,'+ ]+/g

/** What a transliteration spells out, such as `:slight_smile:`. */
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu
const NO_LETTER_OR_DIGIT = /[^\p{L}\p{N}]/gu

/** A name in the letters that banks take, at most 70; empty where nothing of it can be written so. */
export function schemeName(name: string): string {
  const ascii = anyAscii(name.replace(PICTURE, ' '))
    .replace(NOT_IN_SCHEME, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return ascii.slice(0, MAX_NAME).trim()
}

/** Whether banks can write any of its letters and digits. Of symbols alone, such as `€`, a name would be made up. */
function isWritable(name: string): boolean {
  return /[A-Za-z0-9]/.test(schemeName(name.replace(NO_LETTER_OR_DIGIT, '')))
}

/** The check digit of an American routing number (ABA): weights 3, 7 and 1, and a sum that 10 divides. */
function isRoutingNumber(digits: string): boolean {
  if (!/^\d{9}$/.test(digits)) return false
  const sum = [...digits].reduce(
    (sum, digit, at) => sum + Number(digit) * ([3, 7, 1][at % 3] ?? 0),
    0,
  )
  return sum > 0 && sum % 10 === 0
}

const compact = (text: string) => text.replace(/[\s-]/g, '').toUpperCase()

const optional = (field: z.ZodType<string>) => field.nullish().transform((value) => value ?? null)

/**
 * Where money goes: an IBAN, or an account number with the routing number of an American bank or the BIC of any
 * other.
 */
export const bankAccountField = z
  .strictObject({
    name: lineField(140)
      .refine(isWritable, 'holds no letter that banks can write')
      .describe('The holder of the account.'),
    country: countryField
      .refine(isCountry, 'is not the code of a country')
      .describe('Where the holder lives or is registered.'),
    iban: optional(
      z
        .string()
        .max(60)
        .transform(compact)
        .refine(isValidIBAN, 'is not an IBAN with valid check digits'),
    ).describe('An IBAN.'),
    bic: optional(
      z.string().max(20).transform(compact).refine(isValidBIC, 'is not a BIC such as COBADEFFXXX'),
    ).describe('The BIC of the bank.'),
    account_number: optional(
      z
        .string()
        .max(60)
        .transform(compact)
        .pipe(z.string().regex(/^[A-Z0-9]{4,34}$/, 'must be 4 to 34 letters and digits')),
    ).describe('An account number, where there is no IBAN.'),
    routing_number: optional(
      z
        .string()
        .max(20)
        .transform(compact)
        .refine(isRoutingNumber, 'is not a routing number with a valid check digit'),
    ).describe('The ABA routing number of an American bank.'),
    currency: currencyField.describe('The currency of the account.'),
  })
  .superRefine(({ iban, bic, account_number, routing_number }, context) => {
    const reject = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    if (iban === null && account_number === null) {
      reject('iban', 'is required, or an account_number')
    } else if (iban !== null && account_number !== null) {
      reject('account_number', 'must be left out: give either an iban or an account_number')
    } else if (account_number !== null && routing_number === null && bic === null) {
      reject('routing_number', 'is required beside an account_number, or a bic')
    } else if (iban !== null && routing_number !== null) {
      reject('routing_number', 'must be left out beside an iban')
    }
  })

export type BankAccount = z.output<typeof bankAccountField>

/** What identifies the account at its bank. */
export function accountOf({ iban, account_number }: BankAccount): string {
  return iban ?? account_number ?? ''
}
