import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { userRead } from '../../core/operation.ts'
import { OperationView, viewOperation } from '../registrars/operation.ts'

/** How something stands that a user's registrar was asked (contract, section 16). */
export const getOperation = userRead({
  name: 'get_operation',
  summary: 'How a registrar operation on your domain stands',
  description:
    'A bulk operation that was handed to a registrar has the status 202 and an `operation_id` for each name. ' +
    'Ask for it here until its status is `succeeded` or `failed`. Operations of other users are not found.',
  method: 'GET',
  path: '/api/domains/operations/{operation_id}',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  input: z.object({
    operation_id: idField('rop').describe('The `operation_id` of the name in the bulk response.'),
  }),
  output: OperationView,
  status: 200,
  errors: ['unauthorized', 'forbidden', 'insufficient_scope', 'not_found'],
  example: {
    input: { operation_id: 'rop_01k8zd6y3vj5r2m4n6p8q0s1t3' },
    output: {
      operation_id: 'rop_01k8zd6y3vj5r2m4n6p8q0s1t3',
      domain: 'petpantry.com',
      op: 'lock',
      registrar: 'example-registrar',
      status: 'succeeded',
      attempts: 1,
      error: null,
      created_at: '2026-01-05T09:30:00.000Z',
      finished_at: '2026-01-05T09:30:02.000Z',
    },
  },
  async handler({ db, userId }, { operation_id }) {
    const operation = await db
      .selectFrom('registrar_operations')
      .selectAll()
      .where('operation_id', '=', operation_id)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (!operation) throw notFound('operation')
    return viewOperation(operation)
  },
})
