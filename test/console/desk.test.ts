import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, offer } from '../support/market.ts'
import { hidden } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { signedInPartner } from '../support/portal.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
let olga: Operator
beforeAll(async () => {
  service = await startService()
  partner = await service.partner({ environment: 'live' })
  olga = await Operator.enter(service)
})
afterAll(() => service.stop())

const soldId = async () => (await sold(partner, await freshName(service, 'live'))).public_id
const auditOf = async (subject: string) =>
  must(await service.admin('GET', `/audit-entries?subject=${subject}`), 200).body.entries

describe('the transfer desk', () => {
  test('shows what to start, how it is delivered, and one next step', async () => {
    const publicId = await soldId()
    await olga.visit('/operator/transfers')
    expect(olga.page.text).toContain(`/operator/orders/${publicId}`)
    expect(olga.page.text).toContain('transfer by code')
    await olga.submit('operate_order', {}, { public_id: publicId, move: 'start' })
    await olga.visit('/operator/transfers?view=started')
    expect(olga.page.text).toContain('Give the code')
    await olga.visit(`/operator/orders/${publicId}`)
    await olga.submit('set_transfer_code', { code: 'k9!Ws-code' })
    expect(olga.notice).toContain('can read the code now')
    expect(olga.page.text).toContain('code available')
    expect(olga.page.text).not.toContain('k9!Ws-code')
  })

  test('asks the registry only when it is told to', async () => {
    const publicId = await soldId()
    await olga.visit(`/operator/orders/${publicId}`)
    expect(olga.page.text).not.toContain('The registry says')
    await olga.visit(`/operator/orders/${publicId}?ask=registry`)
    expect(olga.page.text).toContain('The registry says')
    const { body } = must(await service.admin('GET', `/orders/${publicId}/registry`), 200)
    expect(body).toMatchObject({ source: 'simulated', status: expect.any(Array) })
    must(await service.admin('GET', '/orders/ord_00000000000000000000000000/registry'), 404)
  })

  test('lists what is stalled, and what is due first', async () => {
    const publicId = await soldId()
    must(await service.admin('POST', `/orders/${publicId}/start`, {}), 200)
    const { db } = service.app
    const at = new Date(service.clock.now().getTime() - 1)
    await db
      .updateTable('orders')
      .set({ expected_by: at })
      .where('public_id', '=', publicId)
      .execute()
    const { body } = must(await service.admin('GET', '/transfers?stage=stalled'), 200)
    expect(body.orders.map((order: { public_id: string }) => order.public_id)).toEqual([publicId])
    must(await service.admin('GET', '/transfers?stage=never'), 400)
    await olga.visit('/operator/transfers?view=stalled')
    expect(olga.page.text).toContain('stalled')
  })

  test('shows a registrant on request, and records who looked', async () => {
    const domain = await freshName(service, 'live')
    const made = must(await partner.post('/checkout-session', { domain }), 201).body
    const buyer = new Buyer(service)
    await buyer.pay(made.checkout_url)
    const publicId = buyer.publicId ?? ''
    await olga.visit(`/operator/orders/${publicId}`)
    expect(olga.page.text).not.toContain('1 Main Street')
    await olga.submit('reveal_registrant')
    expect(olga.page.text).toContain('1 Main Street')
    const looks = (await auditOf(publicId)).filter(
      ({ operation }: { operation: string }) => operation === 'reveal_registrant',
    )
    expect(looks).toHaveLength(1)
    expect(looks[0]).toMatchObject({ actor: olga.email, outcome: 'done' })
    expect(JSON.stringify(looks)).not.toContain('Main Street')
  })

  test('has no registrant of a sale that a partner collected', async () => {
    const publicId = await soldId()
    must(await service.admin('POST', `/orders/${publicId}/registrant`, {}), 409)
    must(await service.admin('POST', '/orders/ord_00000000000000000000000000/registrant', {}), 404)
  })
})

describe('the page of registrars', () => {
  test('adds a connection, tests it, and removes it', async () => {
    await olga.visit('/operator/registrars')
    await olga.submit('add_registrar', {
      name: 'by-hand',
      driver: 'manual',
      config_json: 'not json',
    })
    expect(olga.page.status).toBe(400)
    expect(olga.page.text).toContain('must be JSON')
    await olga.submit('add_registrar', {
      name: 'by-hand',
      driver: 'manual',
      config_json: '{"tlds":["dev"]}',
    })
    expect(olga.notice).toContain('by-hand added')
    await olga.visit('/operator/registrars?test=by-hand')
    expect(olga.notice).toContain('by-hand is connected (manual)')
    await olga.submit('remove_registrar')
    expect(olga.page.status).toBe(200)
    expect(olga.notice).toContain('by-hand removed')
    await olga.visit('/operator/registrars?test=by-hand')
    expect(olga.page.status).toBe(200)
    expect(olga.notice).toBe('There is no such registrar.')
    expect(olga.page.text).toContain('No connections yet')
    await olga.visit('/operator/registrars/operations')
    expect(olga.page.status).toBe(200)
  })

  test('switches the records at _for-sale of a connection on and off, and lists them', async () => {
    await olga.visit('/operator/registrars')
    expect(olga.forms('set_registrar_for_sale')).toEqual([])
    await olga.submit('add_registrar', {
      name: 'sim',
      driver: 'simulated',
      config_json: '{"tlds":["dev"]}',
    })
    await olga.submit('set_registrar_for_sale')
    expect(olga.notice).toContain('sim publishes records for sale from now on')
    await offer(service, 'live', ['tea.dev'])
    await vi.waitFor(
      async () => {
        service.clock.advance(60_000)
        await olga.visit('/operator/registrars/for-sale?status=published')
        expect(olga.page.text).toContain('furi=')
        expect(olga.page.text).toContain('tea.dev')
      },
      { timeout: 20_000, interval: 200 },
    )
    await olga.visit('/operator/registrars')
    await olga.submit('set_registrar_for_sale')
    expect(olga.notice).toContain('The records for sale at sim are removed')
    await olga.visit('/operator/registrars')
    expect(olga.page.text).toContain('Publish _for-sale')
  })
})

describe('the page of listings', () => {
  test('withdraws, freezes and blocks', async () => {
    const [gone, cold] = [await freshName(service, 'live'), await freshName(service, 'live')]
    await olga.visit(`/operator/listings?q=${gone}`)
    await olga.submit('withdraw_listing', {}, { domain: gone })
    expect(olga.notice).toBe(`${gone} is off the market.`)
    await olga.visit('/operator/listings')
    await olga.submit('freeze_listing', { domain: cold, reason: 'A claim is being looked at' })
    expect(olga.notice).toContain(`${cold} is frozen`)
    await olga.submit('unfreeze_listing', { domain: cold })
    expect(olga.notice).toBe(`${cold} is for sale again.`)
    await olga.submit('block_domains', { domains_lines: `${cold}\n never-listed.com\n` })
    expect(olga.notice).toBe('2 domains blocked, 1 listings taken off the market.')
    const blocked = await freshName(service, 'live')
    await olga.submit('freeze_listing', { domain: blocked, reason: 'A claim is being looked at' })
    await olga.submit('block_domains', { domains_lines: blocked })
    await olga.submit('unfreeze_listing', { domain: blocked })
    expect(olga.notice).toContain(`${blocked} is no longer frozen. It stays off the market`)
    await olga.submit('unblock_domain', { domain: 'never-listed.com' })
    expect(olga.notice).toBe('never-listed.com can be listed again.')
  })
})

describe('the delivery that a partner sets in the portal', () => {
  test('applies to its new orders, and needs an account for a push', async () => {
    const { browser, client, partnerId } = await signedInPartner(service, 'dora@example.com')
    const path = '/partner/sandbox/delivery'
    const send = async (fields: Record<string, string>) =>
      await browser.post(path, { once: hidden(await browser.get(path), 'once'), ...fields })
    const rejected = await send({ method: 'push', account: '' })
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain('is required with push')
    must(await send({ method: 'push', account: 'dora-77' }), 303)
    const { public_id: publicId } = await sold(client, await freshName(service))
    const { body } = must(await client.get(`/orders/${publicId}`), 200)
    expect(body.delivery).toEqual({ method: 'push', account: 'dora-77', registrar_iana_id: null })
    const [entry] = await auditOf(partnerId)
    expect(entry).toMatchObject({ operation: 'set_own_delivery', actor: 'dora@example.com' })
  })
})
