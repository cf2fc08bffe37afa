import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { COMMISSION_KINDS } from '../ledger/commissions.ts'
import { payableBalances } from './make-payouts.ts'

/** What making payouts would make if it came now, by the same rule; and what waits for more. */
export const previewPayouts = adminRead({
  name: 'preview_payouts',
  roles: READERS,
  summary: 'Show the payouts that would be made now',
  method: 'GET',
  path: '/payouts/preview',
  input: z.object({ environment: z.enum(ENVIRONMENTS) }),
  output: z.object({
    payouts: z.array(
      z.object({
        partner_id: z.string(),
        currency: z.string(),
        kind: z.enum(COMMISSION_KINDS),
        amount_cents: z.int(),
        line_count: z.int(),
        /** Whether it is as much as a payout needs, and nothing keeps it back; what is not waits. */
        reaches: z.boolean(),
        /** Whether it waits for its partner, or the user who is paid by it, to be active again. */
        suspended: z.boolean(),
      }),
    ),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db, now, app }, { environment }) {
    const balances = await payableBalances(db, app.settings, environment, now)
    return {
      payouts: balances.map(({ first, entries, amount_cents, reaches, suspended }) => ({
        partner_id: first.partner_id,
        currency: first.currency,
        kind: first.kind,
        amount_cents,
        line_count: entries.length,
        reaches,
        suspended,
      })),
    }
  },
})
