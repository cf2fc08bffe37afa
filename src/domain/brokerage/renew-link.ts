import { z } from 'zod'
import type { Partner } from '../../core/caller.ts'
import type { Contract } from '../../core/contract.ts'
import { idField } from '../../core/fields.ts'
import { adminWrite, partnerWrite, type Tx, type WriteContext } from '../../core/operation.ts'
import { BROKERS } from '../../core/roles.ts'
import { type Case, lockCase } from './case.ts'
import { newProgressLink, progressUrl } from './progress-link.ts'
import { progressUrlView } from './view-case.ts'

const common = {
  path: '/brokerage/{case_id}/progress-link',
  input: z.object({ case_id: idField('case').describe('The id of the case.') }),
  output: z
    .object({
      case_id: idField('case').describe('The id of the case.'),
      progress_url: progressUrlView,
    })
    .meta({ id: 'ProgressLink' }),
  status: 200,
  errors: ['not_found'],
} satisfies Partial<Contract>

type Link = Pick<Case, 'progress_hash' | 'progress_sealed'>
type Context = Pick<WriteContext, 'tx' | 'app'>

/** A new link for the buyer; the old one opens nothing any more. */
async function renew({ tx, app }: Context, caseId: string, partner?: Partner) {
  const row = await lockCase(tx, caseId, partner)
  const link = newProgressLink(app, caseId)
  await writeLink(tx, caseId, link)
  return { case_id: caseId, progress_url: progressUrl(app, { ...row, ...link }) }
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
  tag: 'Brokerage',
  summary: 'Renew the progress link',
  description:
    'Makes a new progress link for the buyer of a case. The old link stops working at once, so use it when a link has ' +
    'reached the wrong person or was revoked. No mail is sent: give the new link to the buyer yourself.',
  method: 'POST',
  scope: 'broker',
  handler: (context, { case_id }) => renew(context, case_id, context.partner),
})

export const revokeProgressLink = partnerWrite({
  ...common,
  name: 'revoke_progress_link',
  tag: 'Brokerage',
  summary: 'Revoke the progress link',
  description:
    'Ends the progress link of a case, so that nobody can follow the case by it. The case itself goes on; a new link can be ' +
    'made at any time.',
  method: 'DELETE',
  scope: 'broker',
  handler: (context, { case_id }) => revoke(context, case_id, context.partner),
})

export const operatorRenewsLink = adminWrite({
  ...common,
  name: 'operator_renews_progress_link',
  roles: BROKERS,
  summary: 'Make a new progress link for the buyer of a case; the old one ends',
  method: 'POST',
  handler: (context, { case_id }) => renew(context, case_id),
})

export const operatorRevokesLink = adminWrite({
  ...common,
  name: 'operator_revokes_progress_link',
  roles: BROKERS,
  summary: 'End the progress link of any case',
  method: 'DELETE',
  handler: (context, { case_id }) => revoke(context, case_id),
})
