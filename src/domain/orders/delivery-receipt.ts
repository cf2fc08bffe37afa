import { type Environment, partnerOf } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { iso } from '../../core/fields.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { lockSandbox } from '../../core/sandbox-lock.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { MINUTE, unixSeconds } from '../../lib/clock.ts'
import { newPublicId } from '../../lib/ids.ts'
import { sha256Hex } from '../../lib/signature.ts'
import type { RegistrySaid, TransferRegistrar } from '../events/transfer-view.ts'
import type { RegistrarOp } from '../registrars/driver.ts'
import { deliverySource, lockOrderIfAny, type Order } from './order.ts'

/** What the registrar was asked for the buyer, by which we mean the registrar that had the domain. */
interface Asked {
  op: RegistrarOp
  registrar: TransferRegistrar
  at: string
}

interface Answered {
  status: 'succeeded' | 'failed'
  at: string
  /** When it said that the domain is no more in the account from which it was transferred. */
  left_account_at: string | null
}

/** What a receipt says (contract, section 19): no person is in it. docs/guides/delivery-receipts.md specifies it. */
export interface ReceiptClaims {
  iss: string
  jti: string
  iat: number
  public_id: string
  domain: string
  price_cents: number
  currency: string
  quote_sha256: string | null
  payment_ref_sha256: string | null
  registrar: { asked: Asked | null; answered: Answered | null }
  registry: { before: RegistrySaid | null; after: RegistrySaid | null }
  sold_at: string
  delivered_at: string
}

type DeliveryReceipt = Schema['delivery_receipts']

const TYPE = 'delivery-receipt+jwt'
const BATCH = 100

type Context = { tx: Tx; now: Date; app: Pick<AppContext, 'signingKey' | 'settings'> }

/** Signs what is known of a delivery, in the transaction that completes the order, and returns the id for its row. */
export async function issueReceipt({ tx, now, app }: Context, order: Order): Promise<string> {
  const { public_id, environment, transfer_registry } = order
  const receipt_id = newPublicId('rct', now)
  const claims: ReceiptClaims = {
    iss: app.settings.baseUrl,
    jti: receipt_id,
    iat: unixSeconds(now),
    public_id,
    domain: order.domain,
    price_cents: order.sale_price_cents,
    currency: order.currency,
    quote_sha256: await quoteHash(tx, order),
    payment_ref_sha256: await paymentHash(tx, order),
    registrar: await registrarFacts(tx, order),
    registry: {
      before: transfer_registry?.before ?? null,
      after: transfer_registry?.after ?? null,
    },
    sold_at: iso(order.created_at),
    delivered_at: iso(order.transfer_completed_at ?? now),
  }
  const token = await app.signingKey.sign(claims, { typ: TYPE, environment })
  await tx
    .insertInto('delivery_receipts')
    .values({ receipt_id, public_id, token, created_at: now })
    .execute()
  return receipt_id
}

/** The claims of a token that we signed and kept. */
export function claimsOf({ token }: Pick<DeliveryReceipt, 'token'>): ReceiptClaims {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** Whether it is of a test. */
export function environmentOf({ token }: Pick<DeliveryReceipt, 'token'>): Environment {
  const [header = ''] = token.split('.')
  return JSON.parse(Buffer.from(header, 'base64url').toString()).environment
}

export async function findReceipt(
  db: Database,
  receiptId: string,
): Promise<DeliveryReceipt | undefined> {
  return await db
    .selectFrom('delivery_receipts')
    .selectAll()
    .where('receipt_id', '=', receiptId)
    .executeTakeFirst()
}

/** The id of the receipt of an order, which the reader may see; null before its delivery. */
export async function receiptIdOf(db: Database, publicId: string): Promise<string | null> {
  const order = await db
    .selectFrom('orders')
    .select('receipt_id')
    .where('public_id', '=', publicId)
    .executeTakeFirst()
  return order?.receipt_id ?? null
}

async function quoteHash(tx: Tx, { quote_id }: Order): Promise<string | null> {
  if (quote_id === null) return null
  const quote = await tx
    .selectFrom('quotes')
    .select('token_sha256')
    .where('id', '=', quote_id)
    .executeTakeFirst()
  return quote?.token_sha256 ?? null
}

/** Of the partner's reference, or of our payment's id where the marketplace collected it. */
async function paymentHash(tx: Tx, { public_id, external_payment_ref }: Order) {
  if (external_payment_ref !== null) return sha256Hex(external_payment_ref)
  const payment = await tx
    .selectFrom('payments')
    .select('id')
    .where('public_id', '=', public_id)
    .executeTakeFirst()
  return payment ? sha256Hex(payment.id) : null
}

async function registrarFacts(tx: Tx, order: Order): Promise<ReceiptClaims['registrar']> {
  const operation = await tx
    .selectFrom('registrar_operations')
    .select(['op', 'registrar', 'status', 'created_at', 'finished_at'])
    .where('source', '=', deliverySource(order))
    .executeTakeFirst()
  if (!operation) return { asked: null, answered: null }
  const { op, status, created_at, finished_at } = operation
  const registrar = order.transfer_registrar ?? { iana_id: null, name: operation.registrar }
  const asked = { op, registrar, at: iso(created_at) }
  if (!finished_at || (status !== 'succeeded' && status !== 'failed')) {
    return { asked, answered: null }
  }
  const proof = order.transfer_proof
  const hasLeft = proof?.source === 'registrar' && order.delivery.method === 'auth_code'
  return {
    asked,
    answered: { status, at: iso(finished_at), left_account_at: hasLeft ? proof.at : null },
  }
}

/** Makes those of orders that were delivered before there were receipts, from what is known of them still. */
export const issueReceipts: Job = {
  name: 'issue_receipts',
  everyMs: MINUTE,
  async run(app, signal) {
    const orders = await app.db
      .selectFrom('orders')
      .select(['public_id', 'partner_id', 'environment'])
      .where('status', 'in', ['TRANSFER_COMPLETED', 'SETTLED'])
      .where('receipt_id', 'is', null)
      .orderBy('public_id')
      .limit(BATCH)
      .execute()
    for (const order of orders) {
      if (signal.aborted) return
      await issueLate(app, order)
    }
  },
}

async function issueLate(
  app: AppContext,
  { public_id, ...of }: Pick<Order, 'public_id' | 'partner_id' | 'environment'>,
): Promise<void> {
  await inTransaction(app, async (tx) => {
    const { partnerId, environment } = partnerOf(of)
    if (environment === 'sandbox') await lockSandbox(tx, partnerId, 'shared')
    const order = await lockOrderIfAny(tx, public_id)
    if (!order || order.receipt_id !== null) return
    const receipt_id = await issueReceipt({ tx, now: app.clock.now(), app }, order)
    await tx.updateTable('orders').set({ receipt_id }).where('public_id', '=', public_id).execute()
  })
}
