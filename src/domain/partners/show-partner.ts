import { z } from 'zod'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { findPartner, PartnerView } from './partner.ts'

export const showPartner = adminRead({
  name: 'show_partner',
  roles: READERS,
  summary: 'Show a partner account',
  method: 'GET',
  path: '/partners/{partner_id}',
  input: z.object({ partner_id: z.string() }),
  output: PartnerView,
  status: 200,
  errors: ['not_found'],
  handler: ({ db }, { partner_id }) => findPartner(db, partner_id),
})
