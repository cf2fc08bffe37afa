import { z } from 'zod'
import { conflict } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { SUPPORT } from '../../core/roles.ts'
import { lockOrder } from './order.ts'

/** A write, so that each look stands in the audit log. */
export const revealRegistrant = adminWrite({
  name: 'reveal_registrant',
  roles: SUPPORT,
  summary: 'Read whom the domain of an order is to be registered to',
  description:
    'Personal data of the buyer, as they gave it at the hosted checkout. Each read is an entry in the audit log.',
  method: 'POST',
  path: '/orders/{public_id}/registrant',
  input: z.object({ public_id: idField('ord').describe('The id of the order.') }),
  output: z.object({
    public_id: idField('ord'),
    registrant: z.object({
      name: z.string(),
      organization: z.string().nullable(),
      email: z.string(),
      phone: z.string().nullable(),
      address: z.string(),
      city: z.string(),
      postal_code: z.string().nullable(),
      country: z.string(),
      tax_id: z.string().nullish(),
    }),
  }),
  status: 200,
  errors: ['not_found', 'conflict'],
  audited: ({ public_id }) => ({ public_id }),
  async handler({ tx }, { public_id }) {
    await lockOrder(tx, public_id)
    const payment = await tx
      .selectFrom('payments')
      .select('registrant')
      .where('public_id', '=', public_id)
      .where('registrant', 'is not', null)
      .executeTakeFirst()
    if (payment?.registrant) return { public_id, registrant: payment.registrant }
    throw conflict(
      'not_applicable',
      'Nobody gave registrant details with this order: its partner has them.',
    )
  },
})
