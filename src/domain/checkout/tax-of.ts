import type { AppContext } from '../../core/context.ts'
import type { TaxLine } from '../tax/tax.ts'
import type { Session } from './session.ts'

/** The tax of a checkout, by who has said that they buy. */
export function taxOf(
  { tax }: Pick<AppContext, 'tax'>,
  { price_cents, registrant }: Pick<Session, 'price_cents' | 'registrant'>,
): TaxLine {
  const { country = null, tax_id = null } = registrant ?? {}
  return tax.of(price_cents, { country, taxId: tax_id })
}
