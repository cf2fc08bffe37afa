import { z } from 'zod'
import { ApiError, notAllowedNow } from '../../core/errors.ts'
import { isSamePerson, needsSecondPerson } from '../../core/four-eyes.ts'
import { adminWrite } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import type { Settings } from '../../core/settings.ts'
import { AdminPayoutView, viewForOperator } from './admin-payout.ts'
import { lockPayout, type Payout } from './payout.ts'

/** Whether a payout waits for a second person (contract, section 17). */
export function needsApproval(
  settings: Pick<Settings, 'fourEyesCents'>,
  { amount_cents, approved_at }: Pick<Payout, 'amount_cents' | 'approved_at'>,
): boolean {
  return approved_at === null && needsSecondPerson(settings, amount_cents)
}

/** Nobody approves what they made themselves, also by a token of theirs. */
export const approvePayout = adminWrite({
  name: 'approve_payout',
  roles: FINANCE,
  recent: true,
  summary: 'Approve a payout that somebody else made',
  method: 'POST',
  path: '/payouts/{id}/approve',
  input: z.object({ id: z.string().describe('The id of the payout.') }),
  output: AdminPayoutView,
  status: 200,
  errors: ['not_found', 'conflict', 'forbidden'],
  async handler({ tx, now, actor }, { id }) {
    const payout = await lockPayout(tx, id)
    if (payout.approved_at !== null) return viewForOperator(payout)
    if (payout.status !== 'pending') {
      throw notAllowedNow('payout', payout.status, `The payout is ${payout.status}.`)
    }
    const maker = { name: payout.created_by, person: payout.created_by_person }
    if (isSamePerson(maker, actor)) {
      throw new ApiError('forbidden', 'You made this payout: somebody else has to approve it.')
    }
    const approved = { approved_by: actor.name, approved_at: now, updated_at: now }
    await tx.updateTable('payouts').set(approved).where('id', '=', id).execute()
    return viewForOperator({ ...payout, ...approved })
  },
})
