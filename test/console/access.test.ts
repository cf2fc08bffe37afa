import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshName, must } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let olga: Operator
beforeAll(async () => {
  service = await startService()
  olga = await Operator.enter(service)
})
afterAll(() => service.stop())

const PATHS = [
  '/operator',
  '/operator/review',
  '/operator/transfers',
  '/operator/orders',
  '/operator/cases',
  '/operator/cases/list',
  '/operator/offers',
  '/operator/offers?view=all',
  '/operator/settlements',
  '/operator/payments',
  '/operator/payments?view=all',
  '/operator/disputes',
  '/operator/payouts',
  '/operator/payouts.csv',
  '/operator/partners',
  '/operator/live-requests',
  '/operator/webhooks',
  '/operator/listings',
  '/operator/imports',
  '/operator/prices',
  '/operator/prices.csv',
  '/operator/users',
  '/operator/mails',
  '/operator/jobs',
  '/operator/audit',
]

describe('the console', () => {
  test.each(PATHS)('%s is for operators alone, and kept by nobody', async (path) => {
    const anonymous = await service.send({ method: 'GET', target: path })
    expect(anonymous.status).toBe(303)
    expect(anonymous.headers.location).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
    const response = await olga.visit(path)
    expect(response.status).toBe(200)
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test('says to others that they may not, whatever they ask for', async () => {
    const paul = await Operator.enter(service, 'paul@example.com', { operator: false })
    for (const path of PATHS) {
      expect((await paul.visit(path)).status, path).toBe(403)
      expect(paul.page.text).not.toContain('Audit log')
    }
    const { partner_id } = await service.partner()
    for (const path of [`/operator/partners/${partner_id}`, '/operator/prices']) {
      const sent = { do: 'set_partner_status', partner_id, status: 'suspended' }
      expect((await paul.post(path, sent)).status).toBe(403)
    }
    expect((await paul.upload('/operator/imports/upload', 'evil.test,1,,')).status).toBe(403)
    const { body } = await service.admin('GET', `/partners/${partner_id}`)
    expect(body.status).toBe('active')
  })

  test('closes with the role and with the account, at once', async () => {
    const eve = await Operator.enter(service, 'eve@example.com')
    expect((await eve.visit('/operator')).status).toBe(200)
    must(await service.admin('PUT', `/users/${eve.userId}`, { operator: false }), 200)
    const rejected = await eve.visit('/operator')
    expect(rejected.status).toBe(403)
    expect(rejected.text).not.toContain('cli')
    must(
      await service.admin('PUT', `/users/${eve.userId}`, { operator: true, disabled: true }),
      200,
    )
    await eve.visit('/operator')
    expect(eve.path).toBe('/sign-in?next=%2Foperator')
  })

  test('takes no form from a page of another site', async () => {
    const { partner_id } = await service.partner()
    const path = `/operator/partners/${partner_id}`
    const sent = { do: 'set_partner_status', partner_id, status: 'suspended' }
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ]) {
      expect((await olga.post(path, sent, headers)).status).toBe(403)
      const file = await olga.upload(
        '/operator/imports/upload',
        'evil.test,1,,',
        {},
        'a.csv',
        headers,
      )
      expect(file.status).toBe(403)
    }
    const { body } = await service.admin('GET', `/partners/${partner_id}`)
    expect(body.status).toBe('active')
  })

  test('rejects what it does not know, with a page', async () => {
    for (const path of [
      '/operator/orders/ord_0',
      '/operator/cases/case_0',
      '/operator/partners/prt_0',
      '/operator/users/usr_0',
      '/operator/settlements/stl_0',
      '/operator/imports/imp_0',
    ]) {
      expect((await olga.visit(path)).status, path).toBe(404)
      expect(olga.page.headers['content-type']).toContain('text/html')
    }
    expect((await olga.visit('/operator/orders?cursor=nonsense')).status).toBe(400)
    expect((await olga.visit('/operator/orders?status=GONE')).status).toBe(400)
    expect((await olga.post('/operator', { do: 'drop_tables' })).status).toBe(404)
  })

  test('escapes whatever partners, buyers and files say', async () => {
    const evil = '<script>alert(1)</script>'
    const { partner_id } = must(
      await service.admin('POST', '/partners', { name: evil, email: 'x@example.com' }),
      201,
    ).body
    const client = await service.partner({ partner_id })
    await sold(client, await freshName(service))
    for (const path of [
      '/operator/partners',
      `/operator/partners/${partner_id}`,
      '/operator/orders?environment=sandbox',
      '/operator/audit',
      `/operator/orders?q=${encodeURIComponent('"><script>alert(1)</script>')}`,
    ]) {
      await olga.visit(path)
      expect(olga.page.status, path).toBe(200)
      expect(olga.page.text, path).not.toContain('<script>alert')
      expect(olga.page.headers['content-security-policy']).toContain("default-src 'none'")
    }
  })
})
