import { moneyText } from '../../lib/money.ts'
import { type Fee, RegistrarRejected } from './driver.ts'

/**
 * Rejects a renewal that costs more than is paid for it. Sums in two currencies cannot be compared: then the usual fee of
 * the top-level domain is agreed to, which its price was made for, and one of a premium name is not.
 */
export function assertWithin(limit: Fee, fee: Fee, isPremium: boolean): void {
  const said = `The renewal costs ${moneyText(fee.cents, fee.currency)}`
  const paid = `${moneyText(limit.cents, limit.currency)} is paid for it`
  if (fee.currency !== limit.currency) {
    if (!isPremium) return
    throw new RegistrarRejected('fee_currency', `${said} as a premium name, and ${paid}.`)
  }
  if (fee.cents > limit.cents) {
    throw new RegistrarRejected('fee_exceeded', `${said}, and ${paid}.`)
  }
}
