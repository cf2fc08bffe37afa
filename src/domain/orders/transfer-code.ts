import { nameText } from 'domain-marketplace-domain-names'
import { z } from 'zod'
import { auditEntry } from '../../core/audit.ts'
import { partnerOf } from '../../core/caller.ts'
import { conflict, notAllowedNow } from '../../core/errors.ts'
import { domainView, idField, iso, lineField, timestamp } from '../../core/fields.ts'
import { queueMail } from '../../core/mail.ts'
import { adminWrite, partnerWrite, type Tx } from '../../core/operation.ts'
import { SUPPORT } from '../../core/roles.ts'
import { after, DAY } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { emit } from '../events/emit.ts'
import { endDoneByHand } from '../registrars/settle-operation.ts'
import { codeAvailableMail } from './mails/code-available.ts'
import { deliverySource, lockOrder, type Order, OrderView, orderEvent, viewOrder } from './order.ts'
import { writeOrder } from './status.ts'

/** A registrar has five days to reject a transfer; then it should have happened. A seller has as long to give a code. */
const EXPECTED_WITHIN_MS = 5 * DAY

/** What delivering an order takes. */
export type DeliveryContext = {
  tx: Tx
  now: Date
  app: { secrets: SecretBox; settings: { baseUrl: string } }
}

/** The code is good from now on: it is kept sealed, and whoever waits for it hears that it can be read. */
export async function provideCode(
  { tx, now, app }: DeliveryContext,
  order: Order,
  code: string,
): Promise<Order> {
  const isFirst = order.code_available_at === null
  const provided: Order = {
    ...order,
    transfer_code: app.secrets.seal(code, codePurpose(order.public_id)),
    code_available_at: order.code_available_at ?? now,
    expected_by: after(now, EXPECTED_WITHIN_MS),
    stalled_at: null,
    timeline: isFirst
      ? [...order.timeline, step(order, now, 'transfer.code_available')]
      : order.timeline,
    updated_at: now,
  }
  await writeOrder(tx, provided)
  if (!isFirst) return provided
  if (order.payment_model === 'hosted_checkout') {
    const { public_id, domain, buyer } = order
    const mail = codeAvailableMail(nameText(domain), public_id, orderUrl(app, public_id))
    await tx.executeQuery(queueMail(tx, now, { to: buyer.email, ...mail }, order))
  }
  await tx.executeQuery(
    emit(now, partnerOf(order), [orderEvent('transfer.code_available', provided)]),
  )
  return provided
}

/** Somebody outside is to act, as a registrar to push the domain, or to say that it is there: by then it should have happened. */
export function awaiting(order: Order, now: Date): Order {
  return { ...order, expected_by: after(now, EXPECTED_WITHIN_MS), updated_at: now }
}

export function step(order: Order, now: Date, type: string, note: string | null = null) {
  return { at: iso(now), type, status: order.status, note }
}

const ORDER_PAGE = 'order page'

/** The buyer's page of an order: its address opens it, without a login. */
export function orderUrl({ secrets, settings }: DeliveryContext['app'], publicId: string): string {
  return `${settings.baseUrl}/orders/${secrets.sealToken(publicId, ORDER_PAGE)}`
}

export function orderOfToken(secrets: SecretBox, token: string): string | null {
  return secrets.openToken(token, ORDER_PAGE)
}

/** The code of a transfer in progress. */
export function readCode(secrets: SecretBox, order: Order): string {
  const { status, held, delivery, transfer_code } = order
  if (delivery.method !== 'auth_code') {
    throw conflict(
      'not_applicable',
      `The delivery of this order is by ${delivery.method}: there is no code.`,
    )
  }
  if (status !== 'TRANSFER_IN_PROGRESS' || held) {
    throw notAllowedNow('order', status, 'There is a code only while the transfer is in progress.')
  }
  if (!transfer_code) {
    throw notAllowedNow(
      'order',
      status,
      'The code is not there yet: `transfer.code_available` reports it.',
    )
  }
  return secrets.open(transfer_code, codePurpose(order.public_id))
}

/** What a code is sealed for. */
export function codePurpose(publicId: string): string {
  return `transfer code ${publicId}`
}

/** It writes its entry in the audit log, so it is a write; no response of it is ever stored. */
export const getTransferCode = partnerWrite({
  name: 'get_transfer_code',
  tag: 'Orders',
  summary: 'Get the transfer code of an order',
  description:
    'Returns the authorization code with which the buyer’s registrar transfers the domain, while an order whose ' +
    'delivery is by `auth_code` is in `TRANSFER_IN_PROGRESS` and the code is available; `transfer.code_available` ' +
    'reports that. At any other time it is `conflict`, and always for a sale through a tracked link, whose buyer ' +
    'gets the code from us. Show it to the buyer alone: anyone who has it can transfer the domain. Each read is recorded.',
  method: 'GET',
  path: '/orders/{public_id}/transfer-code',
  scope: 'buy',
  input: z.object({ public_id: idField('ord').describe('The order whose code you need.') }),
  output: z.object({
    public_id: idField('ord').describe('The order.'),
    domain: domainView,
    auth_code: z.string().meta({
      description: 'The code, also called EPP code or authInfo.',
      example: 'h7K%wq2Pz_m4Tn9b-Xr5vC3s',
    }),
    expires_at: timestamp.nullable().meta({
      description: 'When it should have been used, or null.',
      example: '2026-01-10T10:00:00.000Z',
    }),
  }),
  status: 200,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now, app, partner, requestId, defer }, { public_id }) {
    const order = await lockOrder(tx, public_id, partner)
    // Its buyer is the marketplace's customer, and the code is the domain.
    if (order.link_id !== null) {
      throw conflict(
        'not_applicable',
        'The sale came through a tracked link: only its buyer can read the code, on the page of the order.',
      )
    }
    const auth_code = readCode(app.secrets, order)
    defer(codeRead(tx, now, `partner ${partner.partnerId}`, public_id, requestId))
    return { public_id, domain: order.domain, auth_code, expires_at: iso(order.expected_by) }
  },
})

/** The entry that each read of a code leaves. */
export function codeRead(tx: Tx, now: Date, reader: string, publicId: string, requestId: string) {
  return auditEntry(tx, now, {
    actor: { userId: null, name: reader },
    requestId,
    operation: 'get_transfer_code',
    subject: publicId,
    input: {},
  })
}

/** An authorization code as people give it, without the blanks around it. */
export const transferCodeField = lineField(200)
  .trim()
  .min(1, 'must not be empty')
  .describe('The authorization code.')

export const setTransferCode = adminWrite({
  name: 'set_transfer_code',
  roles: SUPPORT,
  summary: 'Give the code of a transfer that you started at the registrar by hand',
  method: 'POST',
  path: '/orders/{public_id}/code',
  input: z.object({
    public_id: idField('ord').describe('The id of the order.'),
    code: transferCodeField,
  }),
  output: OrderView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  audited: ({ public_id }) => ({ public_id }),
  async handler({ tx, now, app }, { public_id, code }) {
    const order = await lockOrder(tx, public_id)
    if (order.delivery.method !== 'auth_code') {
      throw conflict('not_applicable', `The delivery of this order is by ${order.delivery.method}.`)
    }
    if (order.status !== 'TRANSFER_IN_PROGRESS') {
      throw notAllowedNow('order', order.status, 'Start the transfer first.')
    }
    await endDoneByHand({ tx, now, app }, deliverySource(order))
    return viewOrder(await provideCode({ tx, now, app }, order, code))
  },
})
