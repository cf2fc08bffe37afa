import { z } from 'zod'
import { emailField, MAX_EMAIL, textField } from '../../core/fields.ts'
import type { Session } from '../../domain/checkout/session.ts'
import { type Delivery, deliveryField, deliveryOf } from '../../domain/partners/delivery.ts'
import type { Registrant } from '../../domain/payments/payment.ts'
import { requirementsOf } from '../../domain/registry/requirements.ts'
import { findTld, registryName } from '../../domain/registry/tlds.ts'
import { COUNTRIES, type Country } from '../../lib/countries.ts'

/** What the domain's registry demands of whom it registers. */
export interface Demands {
  tld: string
  countries: readonly Country[]
  /** Who may register, in words to be agreed to; null: anyone. */
  eligibility: string | null
}

export function demandsOf({ domain }: Pick<Session, 'domain'>): Demands {
  const { tld } = registryName(domain)
  const known = findTld(tld)
  // No registry has the names that are reserved for tests, so none has a rule on them.
  if (!known || known.type === 'reserved') {
    return { tld, countries: COUNTRIES, eligibility: null }
  }
  const { organization, registrant_countries } = requirementsOf(known)
  return {
    tld,
    countries: registrant_countries
      ? COUNTRIES.filter(({ code }) => registrant_countries.includes(code))
      : COUNTRIES,
    eligibility: organization,
  }
}

const required = (maxLength: number) =>
  textField(maxLength)
    .transform((text) => text.trim())
    .pipe(z.string().min(1, 'Please fill this in.'))
const optional = (maxLength: number) =>
  textField(maxLength)
    .default('')
    .transform((text) => text.trim() || null)

/** How long each may be, here and in its input. */
export const LENGTHS = {
  email: MAX_EMAIL,
  name: 200,
  organization: 200,
  address: 300,
  city: 100,
  postal_code: 20,
  phone: 30,
  tax_id: 20,
  delivery_account: 200,
}

const RegistrantForm = z.object({
  email: z
    .string()
    .transform((text) => text.trim())
    .pipe(emailField),
  name: required(LENGTHS.name),
  organization: optional(LENGTHS.organization),
  address: required(LENGTHS.address),
  city: required(LENGTHS.city),
  postal_code: optional(LENGTHS.postal_code),
  country: z.string().transform((code) => code.trim().toUpperCase()),
  phone: optional(LENGTHS.phone).refine(
    (text) => text === null || /(?:\d\D*){5}/.test(text),
    'This is not a phone number: give its digits, with the code of its country.',
  ),
  tax_id: optional(LENGTHS.tax_id).refine(
    (text) => text === null || /^[A-Za-z0-9. -]{4,20}$/.test(text),
    'This is not a tax number: letters and digits, 4 to 20.',
  ),
})

export type Problems = Partial<Record<string, string>>

/** What a buyer fills in: without a `delivery` where the form, being an older one, does not ask for it. */
interface Details {
  registrant: Registrant
  delivery?: Delivery
}

/** Reads who is to have the domain, and where, or says of each field what is wrong with it. */
export function readDetails(
  form: URLSearchParams,
  demands: Demands,
): Details | { problems: Problems } {
  const given = Object.fromEntries(
    Object.keys(RegistrantForm.shape).map((field) => [field, form.get(field) ?? '']),
  )
  const result = RegistrantForm.safeParse(given)
  const { delivery, problems } = readDelivery(form)
  if (!result.success) {
    for (const { path, message } of result.error.issues) {
      problems[String(path[0])] ??= message.startsWith('must') ? `This ${message}.` : message
    }
  }
  if (!demands.countries.some(({ code }) => code === (given.country ?? '').trim().toUpperCase())) {
    problems.country =
      demands.countries.length < COUNTRIES.length
        ? `A .${demands.tld} name is for registrants from the countries listed here.`
        : 'Please choose a country.'
  }
  if (demands.eligibility !== null && form.get('eligible') === null) {
    problems.eligible = 'Please confirm this, or choose another name.'
  }
  if (!result.success || Object.keys(problems).length > 0) return { problems }
  return { registrant: result.data, ...(delivery && { delivery }) }
}

function readDelivery(form: URLSearchParams): { delivery?: Delivery; problems: Problems } {
  const method = form.get('delivery_method')
  if (method === null) return { problems: {} }
  const account = (method === 'push' && form.get('delivery_account')?.trim()) || null
  const result = deliveryField.safeParse({ method, account })
  if (result.success) return { delivery: deliveryOf(result.data, null), problems: {} }
  const isOfAccount = result.error.issues.some(({ path }) => path[0] === 'account')
  return {
    problems: isOfAccount
      ? { delivery_account: 'Please give your account at the registrar that the domain is with.' }
      : { delivery_method: 'Please choose one of these.' },
  }
}

/** Digits of a card, and what goes with it; `problems` says what is no card. */
export function readCard(form: URLSearchParams, now: Date) {
  const number = (form.get('card_number') ?? '').replace(/[\s-]/g, '')
  const expiry = (form.get('card_expiry') ?? '').trim()
  const cvc = (form.get('card_cvc') ?? '').trim()
  const problems: Problems = {}
  if (!/^\d{12,19}$/.test(number) || !hasCheckDigit(number)) {
    problems.card_number =
      number === ''
        ? 'Enter the number on your card.'
        : 'This is not a card number. Check the digits.'
  }
  if (!isAhead(expiry, now)) {
    problems.card_expiry =
      expiry === ''
        ? 'Enter the month and year on your card.'
        : 'Enter a month that has not passed, such as 12/34.'
  }
  if (!/^\d{3,4}$/.test(cvc)) {
    problems.card_cvc = 'Enter the three or four digits on your card.'
  }
  return { card: { number, expiry, cvc }, problems }
}

/** Luhn's check, which every card number passes (ISO/IEC 7812-1). */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

function isAhead(expiry: string, now: Date): boolean {
  const [, month = '', year = ''] = /^(\d{1,2})\s*[/-]?\s*(\d{2}|\d{4})$/.exec(expiry) ?? []
  const monthNumber = Number(month)
  if (monthNumber < 1 || monthNumber > 12) return false
  const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year)
  return new Date(Date.UTC(fullYear, monthNumber, 1)) > now
}
