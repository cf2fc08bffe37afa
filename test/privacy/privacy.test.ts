import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import { freshName, must, operate } from '../support/market.ts'
import { makeUser, PASSWORD, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

const EMAIL = 'ada@example.com'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function bought(): Promise<string> {
  const partner = await service.partner({ environment: 'live' })
  const domain = await freshName(service, 'live')
  const made = must(await partner.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.pay(made.checkout_url, undefined, { email: EMAIL, name: 'Ada Lovelace' })
  return buyer.publicId ?? ''
}

describe('a person', () => {
  let userId: string
  let publicId: string

  test('gets all that is kept of them, and no secrets', async () => {
    userId = await makeUser(service, EMAIL, [])
    await signIn(service, EMAIL)
    publicId = await bought()
    const { data } = must(await service.admin('POST', `/users/${userId}/export`, {}), 200).body
    expect(data.account.email).toBe(EMAIL)
    expect(data.orders).toMatchObject([{ public_id: publicId }])
    expect(data.invoices).toHaveLength(1)
    expect(data.sessions).toHaveLength(1)
    expect(JSON.stringify(data)).not.toMatch(/scrypt|token_hash|password/)
    must(await service.admin('POST', '/users/usr_none/export', {}), 404)
  })

  test('is not erased while they wait for something', async () => {
    const erase = () => service.admin('POST', `/users/${userId}/erase`, { reason: 'They asked' })
    expect(must(await erase(), 409).body.error.message).toContain('one order on its way')
    await operate(service, publicId, 'start', 'complete')
    expect(must(await erase(), 409).body.error.message).toContain('one domain')
    await service.app.db.deleteFrom('owned_domains').where('user_id', '=', userId).execute()
    must(await service.admin('POST', `/users/${userId}/erase`, {}), 400)
    must(await erase(), 200)
    must(await service.admin('POST', '/users/usr_none/erase', { reason: 'Nobody' }), 404)
  })

  test('is gone everywhere but in the books', async () => {
    const { db } = service.app
    const order = must(await service.admin('GET', `/orders/${publicId}`), 200).body
    expect(order.buyer).toMatchObject({ name: null, country: 'US' })
    expect(order.buyer.email).toMatch(/@erased\.invalid$/)
    for (const table of ['users', 'payments', 'checkout_sessions', 'mails', 'orders'] as const) {
      const rows = await db.selectFrom(table).selectAll().execute()
      expect(JSON.stringify(rows), table).not.toMatch(/ada@example|Lovelace/)
    }
    const [invoice] = await db.selectFrom('invoices').selectAll().execute()
    expect(invoice?.buyer.name).toBe('Ada Lovelace')
    const { status } = await service.send({
      method: 'POST',
      target: '/sign-in',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: new URLSearchParams({ email: EMAIL, password: PASSWORD }).toString(),
    })
    expect(status).toBe(401)
  })
})
