import { nameText } from 'domain-marketplace-domain-names'
import { dateOf } from '../../../core/fields.ts'
import { type Letter, letter } from '../../../core/letter.tsx'
import type { Schema } from '../../../db/schema.ts'
import { moneyText } from '../../../lib/money.ts'
import type { Charge } from '../../payments/charge.ts'
import { listed, namesInShort } from './names.ts'

type Renewal = Schema['renewals']

/**
 * The receipt of a charge.
 *
 * @param renewed with the new expiry of each
 * @param lost names that were no longer the user's, so that their price is refunded
 * @param failed names that their registrars did not renew, and that nothing was charged for
 */
export function renewedMail(
  charge: Charge,
  renewed: readonly (Renewal & { until: Date | null })[],
  lost: readonly Renewal[],
  failed: readonly Renewal[] = [],
): Letter {
  return letter(`Renewed: ${namesInShort(renewed.map(({ domain }) => domain))}`, [
    'Your payment has arrived, and these names are renewed.',
    listed(renewed.map((row) => `${nameText(row.domain)}${untilOf(row)}: ${priceOf(row)}`)),
    listed(
      lost.map(
        (row) =>
          `${nameText(row.domain)} was no longer yours: ${priceOf(row)} returns to your card.`,
      ),
    ),
    listed(
      failed.map(
        (row) => `${nameText(row.domain)} was not renewed, and not charged: ${row.reason}`,
      ),
    ),
    {
      facts: [
        ['Charged', moneyText(charge.amount_cents, charge.currency)],
        ['Reference', charge.id],
      ],
    },
  ])
}

function untilOf({ until, years }: { until: Date | null; years: number }): string {
  return until ? ` until ${dateOf(until)}` : ` for ${years} ${years === 1 ? 'year' : 'years'}`
}

function priceOf({ price_cents, currency }: Renewal): string {
  return moneyText(price_cents ?? 0, currency)
}
