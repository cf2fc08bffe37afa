import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { type Forgotten, forgetSecrets } from '../../src/domain/secrets/forget-secrets.ts'
import { SEALED } from '../../src/domain/secrets/sealed.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { openCase } from '../support/brokerage.ts'
import { PartnerClient } from '../support/client.ts'
import { earned } from '../support/earnings.ts'
import { freshName, must, operate, refusal } from '../support/market.ts'
import { hidden, makeUser, signIn } from '../support/oauth.ts'
import { makeOffer, negotiable } from '../support/offers.ts'
import { sold } from '../support/sale.ts'
import { type ServiceOptions, startService, type TestService } from '../support/service.ts'

const [LOST, NEW] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)]
const EMAIL = 'with-an-app@example.com'
const HOOK = { url: 'https://partner.example/hook', secret: 'a-secret-of-some-length' }
const PAYEE = { name: 'A', country: 'DE', iban: 'DE89370400440532013000', currency: 'EUR' }
const REGISTRAR = { name: 'by-hand', driver: 'manual', config: { tlds: ['dev'] } }
const EXPORT = { environment: 'sandbox', format: 'csv' }

const options: ServiceOptions & { settings: NonNullable<ServiceOptions['settings']> } = {
  settings: { secretsKeys: [LOST] },
}
let service: TestService
let partner: PartnerClient
/** With the credential that was lost. */
let lost: PartnerClient
let forgotten: Forgotten
const ids = { case: '', offer: '', order: '', batch: '' }

/** A market with a secret of every kind, which goes on with another key. */
beforeAll(async () => {
  service = await startService(options)
  partner = await service.partner()
  ids.case = (await openCase(partner)).case_id
  ids.offer = (await makeOffer(partner, await negotiable(service))).offer_id
  must(await partner.put('/api/partner/webhooks', HOOK), 200)
  must(await service.admin('POST', '/registrars', REGISTRAR), 201)
  must(await setPayee(), 200)
  await payOut()
  ids.batch = must(await service.admin('POST', '/payout-batches', EXPORT), 201).body.batch_id
  await addApp()
  await orderWithCode()
  const { key_id } = partner.credential
  must(await service.admin('POST', `/credentials/${key_id}/rotate`, {}), 200)

  const context = { now: service.clock.now(), app: { secrets: createSecretBox(NEW) } }
  forgotten = await inTransaction(service.app, (tx) => forgetSecrets({ ...context, tx }))
  options.settings.secretsKeys = [NEW]
  service = await service.restart()
  lost = new PartnerClient(service.baseUrl, service.clock.now, {
    ...partner.credential,
    partner_id: partner.partner_id,
  })
  partner = await service.partner({ partner_id: partner.partner_id })
}, 120_000)
afterAll(() => service.stop())

const setPayee = () =>
  service.admin('PUT', `/partners/${partner.partner_id}/payee`, { payee: PAYEE })

async function payOut() {
  await earned(service, partner, 'sandbox', 12_000)
  must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201)
}

/** Adds an authenticator app to a user's account. */
async function addApp() {
  await makeUser(service, EMAIL)
  const browser = await signIn(service, EMAIL)
  const page = must(await browser.post('/account/second-factor/app', {}), 200)
  const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '')
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const code = totp.generate({ timestamp: service.clock.now().getTime() })
  const form = { factor_id: hidden(page, 'factor_id'), code }
  must(await browser.post('/account/second-factor/app/confirm', form), 200)
}

async function orderWithCode() {
  ids.order = (await sold(partner, await freshName(service))).public_id
  await operate(service, ids.order, 'start')
  await vi.waitFor(
    async () => {
      const { body } = await partner.get(`/orders/${ids.order}`)
      expect(body.transfer.code_available).toBe(true)
    },
    { timeout: 20_000, interval: 100 },
  )
}

describe('a market whose SECRETS_KEY was lost', () => {
  test('gives up what it had sealed, everywhere', () => {
    const tables = new Set<string>(SEALED.map(({ table }) => table))
    expect(new Set(Object.keys(forgotten.rows))).toEqual(tables)
    expect(forgotten).toMatchObject({ registrars: ['by-hand'], orders: [ids.order] })
  })

  test('has nothing left that does not open', async () => {
    let cursor: string | null = null
    do {
      const { body } = must(await service.admin('POST', '/secrets/reseal', { cursor }), 200)
      expect(body.resealed, body.column).toBe(0)
      cursor = body.next_cursor
    } while (cursor !== null)
  })

  test('knows its partners by new credentials, and their webhooks by new secrets', async () => {
    expect(refusal(await lost.get('/orders'))).toMatchObject({ status: 401 })
    expect(must(await partner.get('/api/partner/webhooks'), 200).body).toMatchObject({
      active: false,
      inactive_reason: 'its secret was lost',
    })
    const registered = must(await partner.put('/api/partner/webhooks', HOOK), 200).body
    expect(registered.active).toBe(true)
  })

  test('has new links of its cases and offers, which go on', async () => {
    const { progress_url } = must(await partner.get(`/brokerage/${ids.case}`), 200).body
    const { offers_url } = must(await partner.get(`/offers/${ids.offer}`), 200).body
    for (const url of [progress_url, offers_url]) {
      must(await service.send({ method: 'GET', target: new URL(url).pathname }), 200)
    }
    const counter = { amount_cents: 9_000 }
    must(await service.admin('POST', `/offers/${ids.offer}/counter`, counter), 200)
    must(await partner.post(`/offers/${ids.offer}/accept`, {}), 200)
  })

  test('pays nobody out before their account is given again', async () => {
    await payOut()
    const early = await service.admin('POST', '/payout-batches', EXPORT)
    expect(refusal(early)).toEqual({ status: 409, code: 'conflict' })
    must(await setPayee(), 200)
    must(await service.admin('POST', '/payout-batches', EXPORT), 201)
    const file = await service.admin('POST', `/payout-batches/${ids.batch}/file`, {})
    expect(refusal(file)).toEqual({ status: 409, code: 'conflict' })
    expect(file.body.error.message).toContain('is lost')
  })

  test('takes transfer codes and registrars again', async () => {
    const path = `/orders/${ids.order}/transfer-code`
    expect(refusal(await partner.get(path))).toEqual({ status: 409, code: 'conflict' })
    must(await service.admin('POST', `/orders/${ids.order}/code`, { code: 'another' }), 200)
    expect(must(await partner.get(path), 200).body.auth_code).toBe('another')
    must(await service.admin('POST', '/registrars', REGISTRAR), 201)
  })

  test('lets users in without their authenticator app, and tells them', async () => {
    await signIn(service, EMAIL)
    const { mails } = must(await service.admin('GET', `/mails?to=${EMAIL}`), 200).body
    expect(mails[0].text).toContain('Authenticator app was removed')
  })
})
