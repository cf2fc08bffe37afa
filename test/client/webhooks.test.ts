import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { signWebhook, verifyWebhook, WebhookVerificationError } from '../../client/src/index.ts'
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
      { body, headers, secret: [] },
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
  for (const unset of ['', undefined as unknown as string]) {
    const error = await verifyWebhook({ body: '{}', headers, secret: unset }).catch((e) => e)
    expect(error).toMatchObject({ name: 'MarketplaceError', message: /secret must be given/ })
    await expect(signWebhook(unset, { id: 'evt_1' }, '{}')).rejects.toThrow('secret must be given')
  }
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
