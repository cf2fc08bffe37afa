import { nameText } from 'domain-marketplace-domain-names'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type ApiError, conflict, notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { queueMail } from '../../core/mail.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import { mustFindUser } from '../accounts/user.ts'
import { codeWantedMail } from './mails/code-wanted.ts'
import { lockOrder, type Order } from './order.ts'
import { provideCode, transferCodeField } from './transfer-code.ts'

type Select = Pick<Tx, 'selectFrom'>

/**
 * Of a row of `orders`: its delivery is by code, no connection performs it, and none has the domain. The domain is
 * then at a registrar where its seller alone can act.
 */
const isAtSellers = sql<boolean>`(delivery ->> 'method' = 'auth_code' and transfer_connection is null
  and not exists (select from registrar_domains r where r.domain = orders.domain))`

/** The same while the transfer is in progress: its seller can give the code. */
export const sellerGivesCode: RawBuilder<boolean> = sql<boolean>`(seller_id is not null
  and status = 'TRANSFER_IN_PROGRESS' and ${isAtSellers})`

/** Where a seller gives the code of an order. */
export function sellerCodePath(publicId: string): string {
  return `/account/sales/${publicId}/transfer-code`
}

/**
 * The order of a seller that waits for its code. Throws `not_found` for an order that is not theirs, and `conflict`
 * where its code is not the seller's to give, or not now.
 */
export async function findCodeSale(db: Select, publicId: string, sellerId: string): Promise<Order> {
  const order = await db
    .selectFrom('orders')
    .selectAll()
    .select(isAtSellers.as('is_at_sellers'))
    .where('public_id', '=', publicId)
    .where('seller_id', '=', sellerId)
    .executeTakeFirst()
  if (!order) throw notFound('sale')
  const problem = problemOf(order, order.is_at_sellers)
  if (problem) throw problem
  return order
}

function problemOf({ status, domain }: Order, isAtTheirs: boolean): ApiError | null {
  const name = nameText(domain)
  switch (status) {
    case 'EXTERNALLY_PAID':
    case 'PAID':
      return conflict(
        'not_allowed_now',
        `The transfer of ${name} has not started yet. We write to you if we need something from you.`,
        { status },
      )
    case 'TRANSFER_IN_PROGRESS':
      return isAtTheirs
        ? null
        : conflict(
            'not_applicable',
            `We transfer ${name} to its buyer ourselves: no transfer code is needed from you.`,
          )
    default:
      return conflict(
        'not_allowed_now',
        `The transfer of ${name} is over: no transfer code is needed any more.`,
        { status },
      )
  }
}

/** The seller of a domain at a registrar of theirs gives its code. Giving another one replaces it. */
export const giveTransferCode = pageWrite({
  name: 'give_transfer_code',
  input: z.object({ public_id: idField('ord'), code: transferCodeField }),
  output: z.null(),
  audit: ({ public_id }) => ({ subject: public_id, input: { public_id } }),
  async handler({ tx, now, app, caller }, { public_id, code }) {
    await lockOrder(tx, public_id)
    const order = await findCodeSale(tx, public_id, caller.user?.id ?? '')
    await provideCode({ tx, now, app }, order, code)
    return null
  },
})

/** A transfer has started: its seller is asked for the code where they alone can get it. Returns whether they were. */
export async function askSellerForCode(
  tx: Tx,
  now: Date,
  { baseUrl }: Pick<Settings, 'baseUrl'>,
  { public_id, domain, seller_id }: Order,
): Promise<boolean> {
  if (seller_id === null) return false
  const asked = await tx
    .selectFrom('orders')
    .select('public_id')
    .where('public_id', '=', public_id)
    .where(sellerGivesCode)
    .executeTakeFirst()
  if (!asked) return false
  const { email } = await mustFindUser(tx, seller_id)
  const mail = codeWantedMail(nameText(domain), public_id, `${baseUrl}${sellerCodePath(public_id)}`)
  await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }))
  return true
}
