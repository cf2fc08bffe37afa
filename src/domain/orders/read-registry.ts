import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { domainView, idField, timestamp } from '../../core/fields.ts'
import { adminRead } from '../../core/operation.ts'
import { READERS } from '../../core/roles.ts'
import { askNow } from './registry-said.ts'

/** What the registry says while a transfer runs: where the domain is, and what keeps it there. */
export const readOrderRegistry = adminRead({
  name: 'read_order_registry',
  roles: READERS,
  summary: 'Show what the registry says now of the domain of an order',
  method: 'GET',
  path: '/orders/{public_id}/registry',
  input: z.object({ public_id: idField('ord').describe('The id of the order.') }),
  output: z.object({
    domain: domainView,
    state: z
      .string()
      .describe('`registered`, `available`, or `unknown` where nothing could be found out.'),
    registrar: z
      .object({ iana_id: z.string().nullable(), name: z.string().nullable() })
      .nullable()
      .describe('The registrar of record.'),
    status: z.array(z.string()).describe('EPP status codes, such as `clientTransferProhibited`.'),
    expires_at: timestamp.nullable(),
    source: z.string().describe('Who said it, such as `rdap`, `whois` or `simulated`.'),
  }),
  status: 200,
  errors: ['not_found'],
  async handler({ db, app }, { public_id }) {
    const order = await db
      .selectFrom('orders')
      .select('domain')
      .where('public_id', '=', public_id)
      .executeTakeFirst()
    if (!order) throw notFound('order')
    const { state, record, source } = await askNow(app, order.domain)
    return {
      domain: order.domain,
      state,
      registrar: record?.registrar ?? null,
      status: record?.status ?? [],
      expires_at: record?.expires_at ?? null,
      source: source ?? 'none',
    }
  },
})
