import { dateOf } from '../../../core/fields.ts'
import { type Letter, letter } from '../../../core/letter.tsx'
import type { Schema } from '../../../db/schema.ts'
import { nameText } from '../../../lib/domain-name.ts'
import { moneyText } from '../../../lib/money.ts'
import type { Charge } from '../../payments/charge.ts'
import { listed, namesInShort } from './names.ts'

type Renewal = Schema['renewals']

/**
 * The receipt of a charge.
 *
 * @param renewed with the new expiry of each
 * @param lost names that were no longer the user's, so that their price is refunded
 */
export function renewedMail(
  charge: Charge,
  renewed: readonly (Renewal & { until: Date })[],
  lost: readonly Renewal[],
): Letter {
  return letter(`Renewed: ${namesInShort(renewed.map(({ domain }) => domain))}`, [
    'Your payment has arrived, and these names are renewed.',
    listed(
      renewed.map((row) => `${nameText(row.domain)} until ${dateOf(row.until)}: ${priceOf(row)}`),
    ),
    listed(
      lost.map(
        (row) =>
          `${nameText(row.domain)} was no longer yours: ${priceOf(row)} returns to your card.`,
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

function priceOf({ price_cents, currency }: Renewal): string {
  return moneyText(price_cents ?? 0, currency)
}
