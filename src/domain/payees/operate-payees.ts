import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { FINANCE } from '../../core/roles.ts'
import { findPartner, lockPartner } from '../partners/partner.ts'
import { bankAccountField } from './bank-account.ts'
import { latestPayee, PayeeView, storePayee, viewPayee } from './payee.ts'

const AdminPayeeView = PayeeView.extend({ partner_id: z.string() })

export const setPayee = adminWrite({
  name: 'set_payee',
  roles: FINANCE,
  recent: true,
  summary: 'Set where a partner is paid',
  description:
    'An IBAN, or an account number with a routing number or a BIC. It is sealed, and never shown in full again. The ' +
    'partner is told by mail; live payouts use it after `PAYEE_DELAY_HOURS`.',
  method: 'PUT',
  path: '/partners/{partner_id}/payee',
  input: z.object({
    partner_id: z.string(),
    payee: bankAccountField.meta({
      description: 'The account that payouts go to.',
      example: {
        name: 'Example Shop GmbH',
        country: 'DE',
        iban: 'DE89370400440532013000',
        currency: 'EUR',
      },
    }),
  }),
  output: AdminPayeeView,
  status: 200,
  errors: ['validation_error', 'not_found'],
  audited: ({ partner_id }, { country, currency, account_masked }) => ({
    partner_id,
    country,
    currency,
    account_masked,
  }),
  async handler(context, { partner_id, payee }) {
    const partner = await lockPartner(context.tx, partner_id)
    const stored = await storePayee(context, partner, payee, context.actor.name)
    return { partner_id, ...viewPayee(stored, 'live', context.now) }
  },
})

export const showPayee = adminRead({
  name: 'show_payee',
  roles: FINANCE,
  summary: 'Show where a partner is paid; the account is masked',
  method: 'GET',
  path: '/partners/{partner_id}/payee',
  input: z.object({
    partner_id: z.string(),
    environment: z
      .enum(ENVIRONMENTS)
      .default('live')
      .describe('Whose payouts it is about: those of the sandbox use a change at once.'),
  }),
  output: AdminPayeeView,
  status: 200,
  errors: ['not_found', 'validation_error'],
  async handler({ db, now }, { partner_id, environment }) {
    await findPartner(db, partner_id)
    return { partner_id, ...viewPayee(await latestPayee(db, partner_id), environment, now) }
  },
})
