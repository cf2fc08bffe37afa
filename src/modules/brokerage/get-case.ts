import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { CaseView, readOffers } from './case.ts'
import { viewCase } from './view-case.ts'

export const getCase = partnerRead({
  name: 'get_case',
  summary: 'One of your cases, with its offers and timeline',
  method: 'GET',
  path: '/brokerage/{case_id}',
  scope: 'broker',
  input: z.object({ case_id: z.string() }),
  output: CaseView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, house, partner }, { case_id }) {
    const row = await db
      .selectFrom('brokerage_cases')
      .selectAll()
      .where('case_id', '=', case_id)
      .where('partner_id', '=', partner.partnerId)
      .where('environment', '=', partner.environment)
      .executeTakeFirst()
    if (!row) throw notFound('case')
    return viewCase(house, row, await readOffers(db, case_id))
  },
})
