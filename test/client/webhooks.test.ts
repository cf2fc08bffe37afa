import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type Delivery,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '../../client/src/index.ts'
import { freshName, must } from '../support/market.ts'
import { closeReceivers, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const SECRETS = ['a-secret-of-16-or-more', `whsec_${Buffer.alloc(24, 9).toString('base64')}`]

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterEach(closeReceivers)
afterAll(() => service.stop())

describe('verifyWebhook', () => {
  test.each(SECRETS)('takes a real delivery, signed with %s', async (secret) => {
    const partner = await service.partner()
    const receiver = await startReceiver()
    must(await partner.put('/api/partner/webhooks', { url: receiver.url, secret }), 200)
    const order = await sold(partner, await freshName(service))
    const { body, headers } = await receiver.until(1, 20_000)
    const event = await verifyWebhook({ body, headers, secret })
    const sentAt = Number(headers['webhook-timestamp']) * 1000
    expect(event).toMatchObject({
      type: 'order.recorded',
      partner_id: partner.partner_id,
      data: { order: { public_id: order.public_id } },
    })
    const bytes = new TextEncoder().encode(body)
    expect(await verifyWebhook({ body: bytes, headers, secret: ['another-one', secret] })).toEqual(
      event,
    )
    const altered = body.replace('EXTERNALLY_PAID', 'SETTLED')
    for (const wrong of [
      { body: altered, headers, secret },
      { body, headers, secret: 'another-secret' },
      { body, headers: { ...headers, 'webhook-id': 'evt_other' }, secret },
      { body, headers: { ...headers, 'webhook-signature': undefined }, secret },
      { body, headers: { ...headers, 'webhook-signature': 'v1,%%% v2,x' }, secret },
      { body, headers: { ...headers, 'webhook-timestamp': 'soon' }, secret },
      { body, headers, secret, now: new Date(sentAt + 301_000) },
      { body, headers, secret, now: new Date(sentAt - 301_000) },
    ]) {
      await expect(verifyWebhook(wrong)).rejects.toBeInstanceOf(WebhookVerificationError)
    }
  })
})

test('verifyWebhook tells a secret that is not set from a delivery that is not ours', async () => {
  const secret = SECRETS[0] ?? ''
  const headers = await signWebhook(secret, { id: 'evt_1' }, 'no json')
  await expect(verifyWebhook({ body: 'no json', headers, secret })).rejects.toThrow(
    WebhookVerificationError,
  )
  for (const [wrong, message] of [
    [{ secret: [] }, /secret must be given/],
    [{ secret: 'whsec_no base64!' }, /must be base64/],
    [{ headers: undefined as never }, /headers must be given/],
  ] as const) {
    const error = await verifyWebhook({ body: '{}', headers, secret, ...wrong }).catch((e) => e)
    expect(error).toMatchObject({ name: 'MarketplaceError', message })
  }
  for (const unset of ['', undefined as unknown as string]) {
    const error = await verifyWebhook({ body: '{}', headers, secret: unset }).catch((e) => e)
    expect(error).toMatchObject({ name: 'MarketplaceError', message: /secret must be given/ })
    await expect(signWebhook(unset, { id: 'evt_1' }, '{}')).rejects.toThrow('secret must be given')
  }
})

describe('verifyWebhook, of a delivery signed a minute ago,', () => {
  const [secret = ''] = SECRETS
  const BODY = '{"id":"evt_1","data":{"name":"\ufffd"}}'
  const signed = async (body = BODY) => ({
    body,
    headers: await signWebhook(secret, { id: 'evt_1' }, body, new Date(Date.now() - 60_000)),
    secret,
  })
  const caught = (delivery: Delivery) => verifyWebhook(delivery).catch((error: unknown) => error)
  const REFUSED = { name: 'WebhookVerificationError' }

  test('takes its time by no clock and no tolerance that are none', async () => {
    const delivery = await signed()
    const never = await caught({ ...delivery, now: new Date('never') })
    expect(never).toMatchObject({ ...REFUSED, message: expect.stringContaining('clock') })
    for (const toleranceSeconds of [Number.NaN, -1]) {
      expect(await caught({ ...delivery, toleranceSeconds })).toMatchObject({
        name: 'MarketplaceError',
        message: expect.stringContaining('toleranceSeconds'),
      })
    }
    expect(await caught({ ...delivery, toleranceSeconds: 30 })).toMatchObject(REFUSED)
    const event = { id: 'evt_1', data: { name: '\ufffd' } }
    for (const toleranceSeconds of [90, Number.POSITIVE_INFINITY]) {
      expect(await verifyWebhook({ ...delivery, toleranceSeconds })).toEqual(event)
    }
  })

  test('compares the bytes that came, and not the text that they make', async () => {
    const { headers, ...delivery } = await signed()
    const bytes = Buffer.from(BODY)
    const at = bytes.indexOf(Buffer.from('\ufffd'))
    const invalid = Buffer.concat([bytes.subarray(0, at), Buffer.of(255), bytes.subarray(at + 3)])
    for (const body of [
      Buffer.concat([Buffer.from('\ufeff'), bytes]),
      invalid,
      `\ufeff${BODY}`,
      bytes.subarray(1),
    ]) {
      expect(await caught({ ...delivery, headers, body })).toMatchObject(REFUSED)
    }
    // Lone surrogates have no bytes of their own, so the event is read from those that were signed.
    for (const body of [bytes, new Uint8Array(bytes).buffer, BODY.replace('\ufffd', '\ud800')]) {
      const event = await verifyWebhook({ ...delivery, headers, body })
      expect(event).toMatchObject({ data: { name: '\ufffd' } })
    }
    const marked = await signed(`\ufeff${BODY}`)
    expect(await caught(marked)).toMatchObject({ ...REFUSED, message: /not JSON/ })
  })

  test.each([{ id: 'evt_1' }, undefined, null, 1])('says that %j is no raw body', async (body) => {
    const delivery = { ...(await signed()), body: body as unknown as string }
    expect(await caught(delivery)).toMatchObject({
      name: 'MarketplaceError',
      message: expect.stringMatching(/raw body.*parsed/),
    })
  })

  test('reads header fields given as lists of one', async () => {
    const { headers, ...delivery } = await signed()
    const lists = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, [value]]))
    expect(await verifyWebhook({ ...delivery, headers: lists })).toMatchObject({ id: 'evt_1' })
    const twice = { ...headers, 'webhook-id': ['evt_1', 'evt_2'] }
    expect(await caught({ ...delivery, headers: twice })).toMatchObject(REFUSED)
  })
})

describe('signWebhook', () => {
  test.each(SECRETS)('signs as the service does: others take it, with %s', async (secret) => {
    const body = JSON.stringify({ id: 'evt_1', type: 'order.recorded', data: { name: 'ü' } })
    const headers = await signWebhook(secret, { id: 'evt_1' }, body)
    const other = secret.startsWith('whsec_')
      ? new Webhook(secret)
      : new Webhook(secret, { format: 'raw' })
    expect(other.verify(body, headers)).toMatchObject({ id: 'evt_1' })
    expect(await verifyWebhook({ body, headers: new Headers(headers), secret })).toMatchObject({
      id: 'evt_1',
    })
  })
})
