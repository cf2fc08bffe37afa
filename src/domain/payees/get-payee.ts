import { z } from 'zod'
import { partnerRead } from '../../core/operation.ts'
import { latestPayee, PayeeView, viewPayee } from './payee.ts'

export const getPayee = partnerRead({
  name: 'get_payee',
  tag: 'Settlements',
  summary: 'Get your payee',
  description:
    'Returns where your payouts go, with the last four characters of the account. It is set by a person, in the partner ' +
    'portal: no API call changes it.',
  method: 'GET',
  path: '/payee',
  scope: 'report',
  input: z.object({}),
  output: PayeeView,
  status: 200,
  errors: [],
  async handler({ db, now, partner: { partnerId, environment } }) {
    return viewPayee(await latestPayee(db, partnerId), environment, now)
  },
})
