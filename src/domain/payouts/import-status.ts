import { z } from 'zod'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import { type BankStatus, readStatusReport } from './files/pain-002.ts'
import { applyMove } from './move-payout.ts'
import type { Payout } from './payout.ts'

export const MAX_REPORT_BYTES = 16 * 1024 * 1024

/** What the bank says became of payouts. Read again, it changes nothing. */
export const importPayoutStatus = adminWrite({
  name: 'import_payout_status',
  roles: FINANCE,
  recent: true,
  summary: 'Read what the bank says of payouts: ISO 20022 pain.002.001.10',
  description:
    'ACSC and ACCC mark payouts as paid, RJCT as failed with the reason of the bank; all other statuses change nothing. ' +
    'A rejection of the whole message, or of a part of it, is one of each payout in it.',
  method: 'POST',
  path: '/payout-status-reports',
  bodyLimit: MAX_REPORT_BYTES,
  input: z.object({
    file: z.string().max(MAX_REPORT_BYTES).describe('The status report, as XML.'),
  }),
  output: z.object({
    paid: z.int().describe('How many are paid by this report.'),
    failed: z.int().describe('How many have failed by this report.'),
    unchanged: z.int().describe('How many it names and does not change.'),
    unknown: z.array(z.string()).describe('Ids in the report that are no payout or batch of ours.'),
    contradicted: z
      .array(z.object({ id: z.string(), status: z.string(), reported: z.string() }))
      .describe(
        'Payouts that had ended otherwise, or that were not with the bank: pending ones, and those that a provider sends. ' +
          'They are unchanged: look into them.',
      ),
  }),
  status: 200,
  errors: ['validation_error'],
  audited: ({ file }, output) => ({ bytes: file.length, ...output }),
  async handler({ tx, now, app }, { file }) {
    const said = new Map<string, { payout: Payout; said: BankStatus }>()
    const unknown: string[] = []
    for (const status of readStatusReport(file)) {
      const payouts = await payoutsOf(tx, status)
      if (payouts.length === 0) unknown.push(status.payoutId ?? status.batchId)
      for (const payout of payouts) said.set(payout.id, { payout, said: status })
    }
    const outcome = { paid: 0, failed: 0, unchanged: 0 }
    const contradicted: { id: string; status: string; reported: string }[] = []
    for (const { payout, said: status } of said.values()) {
      const { status: reported, reason } = status
      if (reported === 'other' || payout.status === reported) outcome.unchanged++
      else if (isAtBank(payout)) {
        await applyMove({ tx, now, app }, payout, reported === 'paid' ? 'paid' : 'fail', reason)
        outcome[reported]++
      } else {
        outcome.unchanged++
        contradicted.push({ id: payout.id, status: payout.status, reported })
      }
    }
    return { ...outcome, unknown: [...new Set(unknown)], contradicted }
  },
})

/** It left in a file, or by hand: one that is pending was not sent, and may wait for a second person. */
function isAtBank({ status, due_at }: Payout): boolean {
  return status === 'processing' && due_at === null
}

/** In the order of their ids, held: another report, or a move by hand, waits. */
async function payoutsOf(tx: Tx, { batchId, payoutId, currency }: BankStatus): Promise<Payout[]> {
  let query = tx.selectFrom('payouts').selectAll().orderBy('id').forUpdate()
  query = payoutId ? query.where('id', '=', payoutId) : query.where('batch_id', '=', batchId)
  if (currency) query = query.where('currency', '=', currency)
  return await query.execute()
}
