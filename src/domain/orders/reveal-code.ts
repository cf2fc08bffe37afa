import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { pageWrite } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { lockOrder, type Order } from './order.ts'
import { codeRead, orderOfToken, readCode } from './transfer-code.ts'

/** The order that a mailed link opens. */
export async function findOrderByToken(
  { db, secrets }: { db: Database; secrets: SecretBox },
  token: string,
): Promise<Order> {
  const order = await db
    .selectFrom('orders')
    .selectAll()
    .where('public_id', '=', orderOfToken(secrets, token) ?? '')
    .executeTakeFirst()
  if (!order) throw notFound('order')
  return order
}

/** The buyer asks for the code on the page of their order; each read is recorded. */
export const revealCode = pageWrite({
  name: 'reveal_transfer_code',
  input: z.object({ token: z.string() }),
  output: z.object({ auth_code: z.string() }),
  async handler({ tx, now, app, requestId, defer }, { token }) {
    const order = await lockOrder(tx, orderOfToken(app.secrets, token) ?? '')
    const auth_code = readCode(app.secrets, order)
    defer(codeRead(tx, now, 'buyer', order.public_id, requestId))
    return { auth_code }
  },
})
