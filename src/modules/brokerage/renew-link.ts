import { z } from 'zod'
import {
  adminWrite,
  type Contract,
  type Partner,
  partnerWrite,
  type Tx,
  type WriteContext,
} from '../../kernel/operation.ts'
import { type Case, lockCase } from './case.ts'
import { newProgressLink, progressUrl } from './progress-link.ts'

const common = {
  path: '/brokerage/{case_id}/progress-link',
  input: z.object({ case_id: z.string() }),
  output: z.object({ case_id: z.string(), progress_url: z.string().nullable() }),
  status: 200,
  errors: ['not_found'],
} satisfies Partial<Contract>

type Link = Pick<Case, 'progress_hash' | 'progress_sealed'>
type Context = Pick<WriteContext, 'tx' | 'house'>

/** A new link for the buyer; the old one opens nothing any more. */
async function renew({ tx, house }: Context, caseId: string, partner?: Partner) {
  const row = await lockCase(tx, caseId, partner)
  const link = newProgressLink(house, caseId)
  await writeLink(tx, caseId, link)
  return { case_id: caseId, progress_url: progressUrl(house, { ...row, ...link }) }
}

async function revoke({ tx }: Context, caseId: string, partner?: Partner) {
  await lockCase(tx, caseId, partner)
  await writeLink(tx, caseId, { progress_hash: null, progress_sealed: null })
  return { case_id: caseId, progress_url: null }
}

async function writeLink(tx: Tx, caseId: string, link: Link): Promise<void> {
  await tx.updateTable('brokerage_cases').set(link).where('case_id', '=', caseId).execute()
}

export const renewProgressLink = partnerWrite({
  ...common,
  name: 'renew_progress_link',
  summary: 'A new progress link for the buyer; the old one ends',
  method: 'POST',
  scope: 'broker',
  handler: (context, { case_id }) => renew(context, case_id, context.partner),
})

export const revokeProgressLink = partnerWrite({
  ...common,
  name: 'revoke_progress_link',
  summary: 'End the progress link of the buyer',
  method: 'DELETE',
  scope: 'broker',
  handler: (context, { case_id }) => revoke(context, case_id, context.partner),
})

export const operatorRenewsLink = adminWrite({
  ...common,
  name: 'operator_renews_progress_link',
  summary: 'A new progress link for the buyer of any case; the old one ends',
  method: 'POST',
  handler: (context, { case_id }) => renew(context, case_id),
})

export const operatorRevokesLink = adminWrite({
  ...common,
  name: 'operator_revokes_progress_link',
  summary: 'End the progress link of any case',
  method: 'DELETE',
  handler: (context, { case_id }) => revoke(context, case_id),
})
