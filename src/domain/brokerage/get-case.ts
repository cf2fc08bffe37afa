import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { readOffers } from './case.ts'
import { CaseView, viewCase } from './view-case.ts'

export const getCase = partnerRead({
  name: 'get_case',
  tag: 'Brokerage',
  summary: 'Get a brokerage case',
  description:
    'Returns one of your cases with its offers and its timeline. Only a completed deal is an event; get the case to see ' +
    'how far it is in between.',
  method: 'GET',
  path: '/brokerage/{case_id}',
  scope: 'broker',
  input: z.object({ case_id: idField('case').describe('The case to get.') }),
  output: CaseView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, app, partner }, { case_id }) {
    const row = await db
      .selectFrom('brokerage_cases')
      .selectAll()
      .where('case_id', '=', case_id)
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .executeTakeFirst()
    if (!row) throw notFound('case')
    return viewCase(app, row, await readOffers(db, case_id))
  },
})
