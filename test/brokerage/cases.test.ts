import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caseBody, freshTarget, moveCase, openCase, placeListing } from '../support/brokerage.ts'
import type { PartnerClient } from '../support/client.ts'
import { BAD_CENTS, BAD_DOMAINS, queryOf } from '../support/inputs.ts'
import { eventsOf, freshName, must, refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
})
afterAll(() => service.stop())

const eligibility = (domain: string, by = client) =>
  by.get(`/brokerage/eligibility${queryOf({ domain })}`)

describe('GET /brokerage/eligibility in the sandbox', () => {
  test('a name that is neither listed nor in a case is eligible', async () => {
    const domain = freshTarget()
    const response = must(await eligibility(domain.toUpperCase()), 200)
    expect(response.body).toEqual({ domain, eligible: true, reason: null })
  })

  test('a name on which a site runs is not', async () => {
    for (const domain of ['active-site.com', 'active-site.test', 'active-site.co.uk']) {
      const response = must(await eligibility(domain), 200)
      expect(response.body).toEqual({ domain, eligible: false, reason: 'active_site' })
    }
  })

  test('a name that is for sale is not', async () => {
    const domain = await freshName(service)
    const response = must(await eligibility(domain), 200)
    expect(response.body).toEqual({ domain, eligible: false, reason: 'listed_for_sale' })
  })

  test('a name in a running case is not, whosever it is; once it ended, it is again', async () => {
    const { case_id, domain } = await openCase(client)
    const other = await service.partner()
    const response = must(await eligibility(domain, other), 200)
    expect(response.body).toEqual({ domain, eligible: false, reason: 'already_in_case' })
    await moveCase(service, case_id, 'cancel')
    expect((await eligibility(domain, other)).body.eligible).toBe(true)
  })

  test.each(BAD_DOMAINS)('rejects %j', async (domain) => {
    expect(refusal(await eligibility(domain))).toEqual({ status: 400, code: 'validation_error' })
  })

  test('needs the domain', async () => {
    const response = await client.get('/brokerage/eligibility')
    expect(response.body.error.details).toEqual([{ field: 'domain', issue: 'is required' }])
  })
})

describe('POST /brokerage', () => {
  test.each(['managed', 'self_serve'])('opens a %s case', async (tier) => {
    const body = caseBody({ tier, note: 'Would also take the .org.', unknown: 'ignored' })
    const { body: made } = must(await client.post('/brokerage', body), 201)
    expect(made).toEqual({
      case_id: expect.stringMatching(/^case_[0-9a-z]{26}$/),
      domain: body.domain,
      tier,
      status: 'open',
      budget: 500_000,
      currency: 'USD',
      price_cents: null,
      commission_cents: null,
      buyer_email: 'buyer@example.com',
      note: 'Would also take the .org.',
      progress_url: expect.stringMatching(/^http:\/\/localhost:3000\/case\/[0-9a-f]{64}$/),
      offers: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      timeline: [
        {
          at: made.created_at,
          type: 'brokerage.case_opened',
          status: 'open',
          by: null,
          price_cents: null,
          note: null,
        },
      ],
    })
    expect(must(await client.get(`/brokerage/${made.case_id}`), 200).body).toEqual(made)
    expect(await eventsOf(client)).toEqual([])
  })

  test.each([
    ['active-site.org', 'active_site'],
    ['active-site.test', 'active_site'],
  ])('refuses %s, whose owner is not asked', async (domain, reason) => {
    const response = await client.post('/brokerage', caseBody({ domain }))
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.details).toEqual({ reason })
  })

  test('rejects a name that is for sale', async () => {
    const response = await client.post('/brokerage', caseBody({ domain: await freshName(service) }))
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.details).toEqual({ reason: 'listed_for_sale' })
  })

  test('rejects a second running case of a domain', async () => {
    const { domain } = await openCase(client)
    for (const by of [client, await service.partner()]) {
      const response = await by.post('/brokerage', caseBody({ domain }))
      expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
      expect(response.body.error.details).toEqual({ reason: 'already_in_case' })
    }
  })

  test('the environments do not meet', async () => {
    const live = await service.partner({ environment: 'live' })
    const domain = 'active-site.example'
    service.app.sites = { check: async () => 'none' }
    must(await live.post('/brokerage', caseBody({ domain })), 201)
    expect((await eligibility(domain)).body.reason).toBe('active_site')
    const free = freshTarget()
    must(await live.post('/brokerage', caseBody({ domain: free })), 201)
    expect((await eligibility(free)).body.eligible).toBe(true)
  })

  test.each([
    ...BAD_CENTS.filter(([, value]) => value !== undefined),
    ['"abc"', 'abc'],
    ['null', null],
    ['missing', undefined],
    ['beyond all limits', 100_000_000_001],
  ] as [string, unknown][])('a budget of %s is a 400 that says so', async (_shown, budget) => {
    const response = await client.post('/brokerage', caseBody({ budget }))
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    for (const detail of response.body.error.details) {
      expect(detail).toEqual({
        field: 'budget',
        issue: expect.stringMatching(/whole number of cents|at least 1 cent|at most|is required/),
      })
    }
  })

  test.each([
    ['domain', { domain: 'nothing' }],
    ['domain', { domain: undefined }],
    ['tier', { tier: 'gold' }],
    ['tier', { tier: undefined }],
    ['buyer_email', { buyer_email: 'someone' }],
    ['buyer_email', { buyer_email: undefined }],
    ['currency', { currency: 'EUR' }],
    ['currency', { currency: 7 }],
    ['note', { note: 'x'.repeat(2_001) }],
    ['note', { note: 'a\u0000b' }],
  ])('a bad %s is named', async (field, more) => {
    const response = await client.post('/brokerage', caseBody(more))
    expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    expect(response.body.error.details).toEqual([{ field, issue: expect.any(String) }])
  })

  test('a repeat with its key gets the same bytes, and makes no second case', async () => {
    const body = caseBody()
    const first = must(await client.post('/brokerage', body, { key: 'case-1' }), 201)
    const again = must(await client.post('/brokerage', body, { key: 'case-1' }), 201)
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  test('a website is visited for an admitted request only', async () => {
    const live = await service.partner({ environment: 'live' })
    let visits = 0
    service.app.sites = {
      async check() {
        visits += 1
        return 'none'
      },
    }
    const nonce = randomUUID()
    const path = '/brokerage/eligibility?domain=visited.example'
    must(await live.get(path, { nonce }), 200)
    expect(refusal(await live.get(path, { nonce })).code).toBe('replay_detected')
    expect(visits).toBe(1)
  })

  test('what a live site probe says decides in live', async () => {
    const live = await service.partner({ environment: 'live' })
    const states = { 'a.example': 'active', 'p.example': 'parked', 'u.example': 'unknown' } as const
    service.app.sites = {
      check: async (domain) => states[domain as keyof typeof states] ?? 'none',
    }
    expect((await eligibility('a.example', live)).body).toEqual({
      domain: 'a.example',
      eligible: false,
      reason: 'active_site',
    })
    expect((await eligibility('p.example', live)).body.eligible).toBe(true)
    expect((await eligibility('n.example', live)).body.eligible).toBe(true)
    expect((await eligibility('u.example', live)).body).toEqual({
      domain: 'u.example',
      eligible: null,
      reason: null,
    })
    const rejected = await live.post('/brokerage', caseBody({ domain: 'a.example' }))
    expect(rejected.body.error.details).toEqual({ reason: 'active_site' })
    // Nobody can tell, so a broker looks.
    const made = must(await live.post('/brokerage', caseBody({ domain: 'u.example' })), 201)
    const seen = must(await service.admin('GET', `/brokerage/${made.body.case_id}`), 200)
    expect(seen.body.notes).toMatchObject([
      { text: expect.stringContaining('unknown whether a website runs there') },
    ])
  })
})

describe('reading cases', () => {
  test('someone else’s case is as absent as none', async () => {
    const { case_id } = await openCase(client)
    const other = await service.partner()
    const live = await service.partner({ environment: 'live', partner_id: client.partner_id })
    const responses = [
      await other.get(`/brokerage/${case_id}`),
      await live.get(`/brokerage/${case_id}`),
      await client.get('/brokerage/case_00000000000000000000000000'),
      await other.post(`/sandbox/brokerage/${case_id}/source`),
      await other.post(`/sandbox/brokerage/${case_id}/offers`, {
        made_by: 'owner',
        price_cents: 1,
      }),
      await other.post(`/brokerage/${case_id}/progress-link`),
      await other.delete(`/brokerage/${case_id}/progress-link`),
    ]
    for (const response of responses) {
      expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
      expect(response.body.error.message).toBe('There is no such case.')
    }
  })

  test('the list needs report alone, and shows outcomes, newest first', async () => {
    const partner = await service.partner({ scopes: ['broker'] })
    const reporter = await service.partner({ scopes: ['report'], partner_id: partner.partner_id })
    const made = []
    for (const tier of ['managed', 'self_serve', 'managed'])
      made.push(await openCase(partner, { tier }))
    await moveCase(service, made[0].case_id, 'source', 'contact', 'negotiate', 'agree', 'complete')
    await moveCase(service, made[1].case_id, 'cancel')

    expect(refusal(await partner.get('/brokerage'))).toEqual({ status: 403, code: 'forbidden' })
    expect(refusal(await reporter.get(`/brokerage/${made[0].case_id}`)).status).toBe(403)
    const { body } = must(await reporter.get('/brokerage'), 200)
    expect(body.next_cursor).toBeNull()
    expect(body.cases.map((row: { case_id: string }) => row.case_id)).toEqual(
      made.map(({ case_id }) => case_id).toReversed(),
    )
    expect(body.cases[2]).toEqual({
      case_id: made[0].case_id,
      domain: made[0].domain,
      tier: 'managed',
      status: 'completed',
      budget: 500_000,
      currency: 'USD',
      price_cents: 400_000,
      commission_cents: 40_000,
      created_at: made[0].created_at,
      updated_at: expect.any(String),
    })
    // What reports show opens nobody's page.
    expect(JSON.stringify(body)).not.toContain('progress')

    const ids = async (query: string) =>
      must(await reporter.get(`/brokerage${query}`), 200).body.cases.map(
        (row: { case_id: string }) => row.case_id,
      )
    expect(await ids('?status=cancelled')).toEqual([made[1].case_id])
    expect(await ids('?tier=managed')).toEqual([made[2].case_id, made[0].case_id])
    expect(await ids(`?domain=${made[2].domain}`)).toEqual([made[2].case_id])
    expect(await ids('?from=2001-01-01&to=2002-01-01')).toEqual([])
    const first = must(await reporter.get('/brokerage?limit=2'), 200).body
    expect(first.cases).toHaveLength(2)
    const rest = must(
      await reporter.get(`/brokerage${queryOf({ cursor: first.next_cursor, limit: 2 })}`),
      200,
    )
    expect(rest.body.cases.map((row: { case_id: string }) => row.case_id)).toEqual([
      made[0].case_id,
    ])
    expect(
      refusal(
        await reporter.get(`/brokerage${queryOf({ cursor: first.next_cursor, tier: 'managed' })}`),
      ),
    ).toEqual({ status: 400, code: 'invalid_cursor' })
    for (const query of ['?limit=0', '?limit=101', '?status=won', '?tier=gold', '?from=soon']) {
      expect(refusal(await reporter.get(`/brokerage${query}`))).toEqual({
        status: 400,
        code: 'validation_error',
      })
    }
  })
})

describe('a price', () => {
  test('is needed to agree', async () => {
    const { case_id } = await openCase(client)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate')
    for (const body of [{}, { price_cents: null }]) {
      const response = await client.post(`/sandbox/brokerage/${case_id}/agree`, body)
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
      expect(response.body.error.details[0].field).toBe('price_cents')
    }
    for (const [, price_cents] of BAD_CENTS) {
      const response = await client.post(`/sandbox/brokerage/${case_id}/agree`, { price_cents })
      expect(refusal(response)).toEqual({ status: 400, code: 'validation_error' })
    }
    const agreed = must(
      await client.post(`/sandbox/brokerage/${case_id}/agree`, { price_cents: 500_000 }),
      200,
    )
    expect(agreed.body).toMatchObject({
      status: 'agreed',
      price_cents: 500_000,
      commission_cents: null,
    })
  })

  test('may be corrected when the deal completes', async () => {
    const { case_id } = await openCase(client)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate', 'agree')
    const done = must(
      await client.post(`/sandbox/brokerage/${case_id}/complete`, { price_cents: 399_999 }),
      200,
    )
    // Rounded down to a whole cent.
    expect(done.body).toMatchObject({ price_cents: 399_999, commission_cents: 39_999 })
    expect((await eventsOf(client)).at(-1)?.data.case).toMatchObject({
      case_id,
      price_cents: 399_999,
      commission_cents: 39_999,
    })
  })

  test('above the budget needs the buyer’s word', async () => {
    const { case_id } = await openCase(client)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate')
    const path = `/sandbox/brokerage/${case_id}`
    const above = { price_cents: 500_001 }
    const rejected = await client.post(`${path}/agree`, above)
    expect(refusal(rejected)).toEqual({ status: 409, code: 'conflict' })
    expect(rejected.body.error.details).toEqual({
      reason: 'above_budget',
      budget: 500_000,
      price_cents: 500_001,
    })
    must(await client.post(`${path}/agree`, { ...above, buyer_consented: true }), 200)
    // What the buyer agreed to is no surprise, more than that is.
    const more = await client.post(`${path}/complete`, { price_cents: 500_002 })
    expect(refusal(more)).toEqual({ status: 409, code: 'conflict' })
    must(await client.post(`${path}/complete`, {}), 200)
  })

  test('the commission is what the partner’s terms were when the case was opened', async () => {
    const made = must(
      await service.admin('POST', '/partners', {
        name: 'Terms',
        email: 'terms@example.com',
        brokerage_bps: 1_250,
      }),
      201,
    )
    expect(made.body.brokerage_bps).toBe(1_250)
    const partner = await service.partner({ partner_id: made.body.partner_id })
    const { case_id } = await openCase(partner)
    await service.app.db
      .updateTable('partners')
      .set({ brokerage_bps: 1 })
      .where('id', '=', partner.partner_id)
      .execute()
    const done = await moveCase(
      service,
      case_id,
      'source',
      'contact',
      'negotiate',
      'agree',
      'complete',
    )
    expect(done.commission_cents).toBe(50_000)
  })
})

describe('what a deal earned', () => {
  test('is a transaction, a commission and a payout', async () => {
    const partner = await service.partner({ affiliate: true })
    const { case_id, domain } = await openCase(partner)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate', 'agree')
    const none = must(await partner.get('/transactions?payment_model=brokerage'), 200).body
    expect(none).toMatchObject({ transactions: [], totals: { count: 0 } })
    await moveCase(service, case_id, 'complete')
    const transactions = must(await partner.get('/transactions?payment_model=brokerage'), 200).body
    expect(transactions).toMatchObject({
      transactions: [
        {
          public_id: case_id,
          domain,
          payment_model: 'brokerage',
          status: 'completed',
          amount_cents: 400_000,
          commission_cents: 40_000,
          currency: 'USD',
        },
      ],
      totals: { gmv_cents: 400_000, commission_cents: 40_000, count: 1 },
    })
    const { entries } = must(await partner.get('/me/commissions'), 200).body
    expect(entries).toMatchObject([
      { type: 'accrued', sale_id: case_id, amount_cents: 40_000, balance_cents: 40_000 },
    ])
    must(await service.admin('POST', '/payouts', { environment: 'sandbox' }), 201)
    const payouts = must(await partner.get('/payouts'), 200).body
    expect(payouts.payouts).toMatchObject([
      { kind: 'brokerage', amount_cents: 40_000, status: 'pending' },
    ])
  })

  test('counts on the day on which it was made, not when its case was opened', async () => {
    const partner = await service.partner()
    const { case_id } = await openCase(partner)
    service.clock.advance(24 * 3_600_000)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate', 'agree', 'complete')
    const today = service.clock.now().toISOString().slice(0, 10)
    for (const [span, count] of [
      [`from=${today}`, 1],
      [`to=${today}`, 0],
    ] as const) {
      const { transactions, totals } = must(await partner.get(`/transactions?${span}`), 200).body
      expect([transactions.length, totals.count], span).toEqual([count, count])
    }
  })

  test('is held in live, and nothing without a commission', async () => {
    service.app.sites = { check: async () => 'none' }
    const live = await service.partner({ environment: 'live' })
    const held = await openCase(live, { domain: 'held.example' })
    await moveCase(service, held.case_id, 'source', 'contact', 'negotiate', 'agree', 'complete')
    must(await service.admin('POST', '/payouts', { environment: 'live' }), 201)
    expect(must(await live.get('/payouts'), 200).body.payouts).toEqual([])
    const affiliate = await service.partner({ affiliate: true })
    const tiny = await openCase(affiliate)
    const path = `/sandbox/brokerage/${tiny.case_id}`
    await moveCase(service, tiny.case_id, 'source', 'contact', 'negotiate')
    must(await affiliate.post(`${path}/agree`, { price_cents: 9 }), 200)
    const done = must(await affiliate.post(`${path}/complete`), 200)
    expect(done.body).toMatchObject({ price_cents: 9, commission_cents: 0 })
    expect(must(await affiliate.get('/me/commissions'), 200).body.entries).toEqual([])
  })
})

describe('offers', () => {
  async function talking(more: object = {}) {
    const made = await openCase(client, more)
    await moveCase(service, made.case_id, 'source', 'contact')
    return `/sandbox/brokerage/${made.case_id}`
  }

  test('take turns, and the accepted one is the deal', async () => {
    const path = await talking()
    const asked = must(
      await client.post(`${path}/offers`, {
        made_by: 'owner',
        price_cents: 480_000,
        message: 'Final.',
      }),
      201,
    ).body
    expect(asked).toMatchObject({
      status: 'negotiating',
      offers: [{ made_by: 'owner', price_cents: 480_000, message: 'Final.', status: 'open' }],
    })
    const countered = must(
      await client.post(`${path}/offers`, { made_by: 'buyer', price_cents: 300_000 }),
      201,
    ).body
    expect(countered.offers.map(({ status }: { status: string }) => status)).toEqual([
      'countered',
      'open',
    ])
    const replaced = must(
      await client.post(`${path}/offers`, { made_by: 'buyer', price_cents: 350_000 }),
      201,
    ).body
    expect(replaced.offers.map(({ status }: { status: string }) => status)).toEqual([
      'countered',
      'replaced',
      'open',
    ])
    const stale = await client.post(`${path}/offers/${replaced.offers[0].offer_id}/accept`)
    expect(refusal(stale)).toEqual({ status: 409, code: 'conflict' })
    const done = must(
      await client.post(`${path}/offers/${replaced.offers[2].offer_id}/accept`),
      200,
    )
    expect(done.body).toMatchObject({ status: 'agreed', price_cents: 350_000 })
    expect(done.body.timeline.map(({ type }: { type: string }) => type).slice(-2)).toEqual([
      'brokerage.offer_accepted',
      'brokerage.case_agreed',
    ])
  })

  test('a rejected one leaves the case where it is', async () => {
    const path = await talking()
    const { offers } = must(
      await client.post(`${path}/offers`, { made_by: 'buyer', price_cents: 1 }),
      201,
    ).body
    const response = must(await client.post(`${path}/offers/${offers[0].offer_id}/reject`), 200)
    expect(response.body).toMatchObject({ status: 'negotiating', offers: [{ status: 'rejected' }] })
    const again = await client.post(`${path}/offers/${offers[0].offer_id}/accept`)
    expect(refusal(again)).toEqual({ status: 409, code: 'conflict' })
  })

  test('end by what becomes of them, and leave those of another case open', async () => {
    const other = await talking()
    const path = await talking()
    const offer = async (made_by: string, price_cents: number, at = path) =>
      must(await client.post(`${at}/offers`, { made_by, price_cents }), 201).body.offers.at(-1)
    await offer('owner', 450_000, other)
    await offer('owner', 490_000)
    await offer('buyer', 100_000)
    const { offer_id } = await offer('buyer', 200_000)
    must(await client.post(`${path}/offers/${offer_id}/reject`), 200)
    await offer('owner', 420_000)
    // They agree by telephone.
    const agreed = must(await client.post(`${path}/agree`, { price_cents: 410_000 }), 200).body
    expect(agreed.offers.map(({ status }: { status: string }) => status)).toEqual([
      'countered',
      'replaced',
      'rejected',
      'lapsed',
    ])
    const untouched = must(await client.get(other.replace('/sandbox', '')), 200).body
    expect(untouched.offers).toMatchObject([{ status: 'open', answered_at: null }])
  })

  test('is responded to by way of its own case alone', async () => {
    const path = await talking()
    const other = await talking()
    const price = { made_by: 'owner', price_cents: 300_000 }
    const { offers } = must(await client.post(`${path}/offers`, price), 201).body
    for (const move of ['accept', 'reject']) {
      const response = await client.post(`${other}/offers/${offers[0].offer_id}/${move}`)
      expect(refusal(response)).toEqual({ status: 404, code: 'not_found' })
    }
    must(await client.post(`${path}/offers/${offers[0].offer_id}/accept`), 200)
  })

  test('above the budget the buyer’s word is needed, to make one and to accept one', async () => {
    const path = await talking()
    const mine = { made_by: 'buyer', price_cents: 600_000 }
    expect(refusal(await client.post(`${path}/offers`, mine)).status).toBe(409)
    const { offers } = must(
      await client.post(`${path}/offers`, { made_by: 'owner', price_cents: 600_000 }),
      201,
    ).body
    const accept = `${path}/offers/${offers[0].offer_id}/accept`
    expect(refusal(await client.post(accept)).status).toBe(409)
    const done = must(await client.post(accept, { buyer_consented: true }), 200)
    expect(done.body).toMatchObject({ status: 'agreed', price_cents: 600_000 })
  })

  test('above the budget that the buyer gave their word for is the owner’s to accept', async () => {
    const path = await talking()
    const mine = { made_by: 'buyer', price_cents: 600_000, buyer_consented: true }
    const { offers } = must(await client.post(`${path}/offers`, mine), 201).body
    const done = must(await client.post(`${path}/offers/${offers[0].offer_id}/accept`), 200)
    expect(done.body).toMatchObject({ status: 'agreed', price_cents: 600_000 })
  })

  test('the buyer’s first may come before the owner was found; the owner’s may not', async () => {
    const made = await openCase(client)
    const path = `/sandbox/brokerage/${made.case_id}`
    const early = await client.post(`${path}/offers`, { made_by: 'owner', price_cents: 5 })
    expect(refusal(early)).toEqual({ status: 409, code: 'conflict' })
    const offered = must(
      await client.post(`${path}/offers`, { made_by: 'buyer', price_cents: 5 }),
      201,
    )
    expect(offered.body.status).toBe('open')
    const id = offered.body.offers[0].offer_id
    expect(refusal(await client.post(`${path}/offers/${id}/accept`)).status).toBe(409)
    expect(must(await client.get(`/brokerage/${made.case_id}`), 200).body.offers[0].status).toBe(
      'open',
    )
    await moveCase(service, made.case_id, 'source', 'contact')
    expect(must(await client.post(`${path}/offers/${id}/accept`), 200).body.status).toBe('agreed')
  })

  test('lapse with the case', async () => {
    const path = await talking()
    must(await client.post(`${path}/offers`, { made_by: 'owner', price_cents: 5 }), 201)
    const ended = must(await client.post(`${path}/cancel`), 200)
    expect(ended.body.offers).toMatchObject([{ status: 'lapsed' }])
    expect(
      refusal(await client.post(`${path}/offers`, { made_by: 'buyer', price_cents: 5 })).status,
    ).toBe(409)
  })

  test('nobody’s offer is a 404, and a bad one a 400', async () => {
    const path = await talking()
    expect(refusal(await client.post(`${path}/offers/off_0/accept`)).status).toBe(404)
    for (const body of [
      { made_by: 'broker', price_cents: 5 },
      { made_by: 'owner' },
      { made_by: 'owner', price_cents: 0 },
    ]) {
      expect(refusal(await client.post(`${path}/offers`, body)).status).toBe(400)
    }
    expect(refusal(await client.post(`${path}/offers/off_0/maybe`)).status).toBe(400)
  })
})

describe('the operator', () => {
  test('has a queue, assigns, notes and records', async () => {
    const made = await openCase(client, { tier: 'managed' })
    const path = `/brokerage/${made.case_id}`
    const queue = async (query: string) =>
      must(await service.admin('GET', `/brokerage?${query}`), 200).body.cases.map(
        (row: { case_id: string }) => row.case_id,
      )
    const waiting = 'running=true&assigned=false&environment=sandbox'
    expect(await queue(waiting)).toContain(made.case_id)
    const assigned = must(await service.admin('POST', `${path}/assign`, { assignee: 'Ada' }), 200)
    expect(assigned.body).toMatchObject({ assignee: 'Ada', partner_id: client.partner_id })
    expect(await queue(waiting)).not.toContain(made.case_id)
    expect(await queue('assignee=Ada')).toEqual([made.case_id])
    must(await service.admin('POST', `${path}/notes`, { text: 'Owner is shy.' }), 201)
    must(
      await service.admin('POST', `${path}/contacts`, { channel: 'phone', text: 'No reply.' }),
      201,
    )
    const seen = must(await service.admin('GET', path), 200).body
    expect(seen.notes.map(({ text }: { text: string }) => text)).toEqual([
      'Owner is shy.',
      'No reply.',
    ])
    expect(seen.timeline.at(-1)).toMatchObject({ type: 'brokerage.contact_tried', note: 'phone' })
    // The partner sees that the owner was called, and none of the notes.
    const partners = must(await client.get(path), 200)
    expect(partners.text).not.toMatch(/shy|No reply|Ada/)
    await moveCase(service, made.case_id, 'source', 'contact')
    const offered = must(
      await service.admin('POST', `${path}/offers`, { made_by: 'owner', price_cents: 9_000 }),
      201,
    ).body
    const id = offered.offers[0].offer_id
    const done = must(await service.admin('POST', `${path}/offers/${id}/accept`, {}), 200)
    expect(done.body.status).toBe('agreed')
    await moveCase(service, made.case_id, 'complete')
    const late = await service.admin('POST', `${path}/contacts`, { channel: 'phone' })
    expect(refusal(late)).toEqual({ status: 409, code: 'conflict' })
    expect(await queue('running=false&status=completed')).toContain(made.case_id)
  })

  test('gets 404 for a case that there is not', async () => {
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['POST', '/source', {}],
      ['POST', '/assign', { assignee: null }],
      ['POST', '/notes', { text: 'x' }],
      ['POST', '/contacts', { channel: 'email' }],
      ['POST', '/offers', { made_by: 'owner', price_cents: 1 }],
      ['POST', '/progress-link', {}],
      ['DELETE', '/progress-link', undefined],
    ] as const) {
      const response = await service.admin(method, `/brokerage/case_0${rest}`, body)
      expect(refusal(response), rest).toEqual({ status: 404, code: 'not_found' })
    }
  })
})

describe('a case whose domain comes on the market', () => {
  test('ends by an import, with a word to all', async () => {
    const made = await openCase(client)
    await moveCase(service, made.case_id, 'source')
    await service.list('sandbox', `${made.domain},5000,,USD`)
    const ended = must(await client.get(`/brokerage/${made.case_id}`), 200).body
    expect(ended.status).toBe('cancelled')
    expect(ended.timeline.at(-1).note).toContain('listed for sale')
    expect((await eligibility(made.domain)).body.reason).toBe('listed_for_sale')
  })

  test.each([
    ['listed', 'listed for sale'],
    ['sold', 'sold'],
  ] as const)('that is %s cannot be sourced in the meantime', async (status, what) => {
    const made = await openCase(client)
    service.clock.advance(1_000)
    await placeListing(service, client, made.domain, status)
    const response = await service.admin('POST', `/brokerage/${made.case_id}/source`, {})
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    expect(response.body.error.message).toMatch(
      new RegExp(`has been ${what}, so its case is over|case that is cancelled`),
    )
  })

  test('and was sold before it began, goes on: its new owner may be asked', async () => {
    const domain = freshTarget()
    await placeListing(service, client, domain, 'sold')
    service.clock.advance(1_000)
    const made = await openCase(client, { domain })
    expect((await moveCase(service, made.case_id, 'source', 'contact')).status).toBe('contacted')
  })

  test('cannot be moved on in the meantime, and ends by the clock', async () => {
    const made = await openCase(client)
    await moveCase(service, made.case_id, 'source', 'contact', 'negotiate', 'agree')
    await placeListing(service, client, made.domain, 'listed')
    const response = await client.post(`/sandbox/brokerage/${made.case_id}/complete`)
    expect(refusal(response)).toEqual({ status: 409, code: 'conflict' })
    await expect
      .poll(async () => (await client.get(`/brokerage/${made.case_id}`)).body.status, {
        timeout: 8_000,
      })
      .toBe('cancelled')
    expect((await eventsOf(client)).some(({ data }) => data.case?.case_id === made.case_id)).toBe(
      false,
    )
  })
})

test('a reset of the sandbox takes its cases along, and no one else’s', async () => {
  const partner = await service.partner()
  const mine = await openCase(partner)
  const theirs = await openCase(client)
  await moveCase(service, mine.case_id, 'source', 'contact', 'negotiate', 'agree', 'complete')
  must(await partner.post('/sandbox/reset'), 200)
  expect((await partner.get(`/brokerage/${mine.case_id}`)).status).toBe(404)
  must(await client.get(`/brokerage/${theirs.case_id}`), 200)
})
