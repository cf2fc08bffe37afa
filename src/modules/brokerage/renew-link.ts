import { z } from 'zod'
import { adminWrite, partnerWrite, type Tx } from '../../kernel/operation.ts'
import { type Case, lockCase } from './case.ts'
import { newProgressLink, progressUrl } from './progress-link.ts'

const Input = z.object({ case_id: z.string() })
const Output = z.object({ case_id: z.string(), progress_url: z.string().nullable() })
const common = {
  path: '/brokerage/{case_id}/progress-link',
  input: Input,
  output: Output,
  status: 200,
} as const

async function writeLink(
  tx: Tx,
  row: Case,
  link: Pick<Case, 'progress_hash' | 'progress_sealed'>,
): Promise<Case> {
  await tx.updateTable('brokerage_cases').set(link).where('case_id', '=', row.case_id).execute()
  return { ...row, ...link }
}

const NO_LINK = { progress_hash: null, progress_sealed: null }

/** A new link for the buyer; the old one opens nothing any more. */
export const renewProgressLink = partnerWrite({
  ...common,
  errors: ['not_found'],
  name: 'renew_progress_link',
  summary: 'A new progress link for the buyer; the old one ends',
  method: 'POST',
  scope: 'broker',
  async handler({ tx, house, partner }, { case_id }) {
    const row = await lockCase(tx, case_id, partner)
    const renewed = await writeLink(tx, row, newProgressLink(house, case_id))
    return { case_id, progress_url: progressUrl(house, renewed) }
  },
})

export const revokeProgressLink = partnerWrite({
  ...common,
  errors: ['not_found'],
  name: 'revoke_progress_link',
  summary: 'End the progress link of the buyer',
  method: 'DELETE',
  scope: 'broker',
  async handler({ tx, partner }, { case_id }) {
    await writeLink(tx, await lockCase(tx, case_id, partner), NO_LINK)
    return { case_id, progress_url: null }
  },
})

export const operatorRenewsLink = adminWrite({
  ...common,
  errors: ['not_found'],
  name: 'operator_renews_progress_link',
  summary: 'A new progress link for the buyer of any case; the old one ends',
  method: 'POST',
  async handler({ tx, house }, { case_id }) {
    const row = await lockCase(tx, case_id)
    const renewed = await writeLink(tx, row, newProgressLink(house, case_id))
    return { case_id, progress_url: progressUrl(house, renewed) }
  },
})

export const operatorRevokesLink = adminWrite({
  ...common,
  errors: ['not_found'],
  name: 'operator_revokes_progress_link',
  summary: 'End the progress link of any case',
  method: 'DELETE',
  async handler({ tx }, { case_id }) {
    await writeLink(tx, await lockCase(tx, case_id), NO_LINK)
    return { case_id, progress_url: null }
  },
})
