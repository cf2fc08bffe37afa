import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, refusal } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { readerOf } from '../support/reader.ts'
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

async function payouts(status: 'pending' | 'processing', count: number) {
  const now = service.clock.now()
  const { partner_id } = partner
  const payout = { partner_id, environment: 'live', currency: 'USD', kind: 'commission' } as const
  const rows = Array.from({ length: count }, () => ({
    ...payout,
    id: newId('po', now),
    amount_cents: 100,
    status,
    attempts: 0,
    created_at: now,
    updated_at: now,
  }))
  await service.app.db.insertInto('payouts').values(rows).execute()
}

/** A sale that the marketplace collected, and its payment. */
async function paid() {
  const domain = await freshName(service, 'live')
  const made = must(await partner.post('/checkout-session', { domain }), 201).body
  const buyer = new Buyer(service)
  await buyer.pay(made.checkout_url)
  const { publicId } = buyer
  const { body } = must(await service.admin('GET', `/payments?public_id=${publicId}`), 200)
  return { publicId, paymentId: body.payments[0].id as string }
}

describe('the overview', () => {
  test('leads to pages that show what it counted', async () => {
    await sold(partner, await freshName(service, 'live'))
    const { publicId, paymentId } = await paid()
    must(await service.admin('POST', `/payments/${paymentId}/play/dispute`), 200)
    must(await service.admin('POST', `/orders/${publicId}/clear`, {}), 200)
    await payouts('processing', 2)
    await payouts('pending', 1)
    await olga.visit('/operator')
    const tasks = [
      ...olga.page.text.matchAll(/<li><a href="([^"]+)"><strong>(\d+)<\/strong> ([^<]+)/g),
    ].map(([, path = '', count, what]) => ({ path: path.replaceAll('&amp;', '&'), count, what }))
    expect(tasks.map(({ what }) => what)).toEqual([
      'transfers to start',
      'dispute to respond to',
      'payout to send',
      'payouts in progress',
    ])
    for (const { path, count } of tasks) {
      await olga.visit(path)
      const rows = olga.page.text
        .split('</h2>')
        .at(-1)
        ?.match(/<tr role="row"><td/g)
      expect(rows, path).toHaveLength(Number(count))
    }
    expect(olga.page.text).toContain('<a href="/operator/payments">Payments</a>')
    expect(olga.page.text).toMatch(/<a href="\/operator\/disputes">Disputes<span class="count">1/)
  })
})

describe('an order of a user’s domain', () => {
  test('names the seller and their share, whose account is no partner’s', async () => {
    const email = 'sally@example.com'
    const userId = await makeUser(service, email, ['sallys-garden.com'])
    const { token } = (await service.admin('POST', '/user-tokens', { email })).body
    const params = { price_cents: 200_000 }
    const body = { domains: ['sallys-garden.com'], params }
    must(await readerOf(() => service, token).post('/api/domains/bulk/list_for_sale', body), 200)
    const buyer = new Buyer(service)
    await buyer.pay('/d/sallys-garden.com')
    for (const move of ['start', 'complete']) {
      must(await service.admin('POST', `/orders/${buyer.publicId}/${move}`, {}), 200)
    }
    await olga.visit(`/operator/orders/${buyer.publicId}`)
    expect(olga.page.text).toContain(`/operator/users/${userId}">${email}</a>`)
    const timeline = olga.page.text.split('<h2>Timeline</h2>')[1] ?? ''
    expect(timeline).toContain('</time> paid <')
    expect(timeline).not.toMatch(/paid <span class="soft">paid</)
    expect(olga.page.text).toContain('<dt>Seller’s share</dt><dd>1,700.00 USD</dd>')
    const { mails } = must(await service.admin('GET', `/mails?to=${email}`), 200).body
    expect(mails[0].text).toContain('Your share of 1,700.00 USD')
    await olga.visit(`/operator/partners?q=${email}`)
    expect(olga.page.text).toContain('>seller</span>')
    expect(olga.page.text).not.toContain('sandbox only</span>')
    const { partners } = must(await service.admin('GET', `/partners?q=${email}`), 200).body
    const path = `/partners/${partners[0].partner_id}`
    await olga.visit(`/operator${path}`)
    expect(olga.page.text).toContain(`/operator/users/${userId}`)
    for (const does of ['create_credential', 'set_partner_terms', 'set_partner_status']) {
      expect(olga.forms(does), does).toEqual([])
    }
    const asked = { environment: 'live', scopes: ['search'] }
    const rejected = await service.admin('POST', `${path}/credentials`, asked)
    expect(refusal(rejected)).toMatchObject({ status: 409, code: 'conflict' })
  })
})

describe('an order whose payment the bank takes back', () => {
  test('leads to the payment, and warns before it goes on', async () => {
    const { publicId, paymentId } = await paid()
    const page = `/operator/orders/${publicId}`
    const play = async (what: string) =>
      must(await service.admin('POST', `/payments/${paymentId}/play/${what}`), 200)
    const warning = 'bank has taken the payment back'
    await olga.visit(page)
    expect(olga.page.text).toContain(`public_id=${publicId}"><code title="${paymentId}">`)
    expect(olga.page.text).not.toContain(warning)
    await play('dispute')
    await olga.visit('/operator/review')
    expect(olga.page.text).not.toContain('payment_disputed')
    expect(olga.page.text).toMatch(
      /data-confirm="The buyer’s bank has taken the payment back\. Approve/,
    )
    await olga.visit(page)
    expect(olga.notice).toContain('bank has taken the payment back, and has not decided yet')
    await play('lose-dispute')
    await olga.visit(page)
    expect(olga.notice).toContain('bank has taken the payment back for good')
    await olga.submit('operate_order', { move: 'start' })
    await olga.visit('/operator/transfers?view=started')
    expect(olga.page.text).toMatch(/data-confirm="The buyer’s bank has taken[^"]+delivered\?/)
  })
})
