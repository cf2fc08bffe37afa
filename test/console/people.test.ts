import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { must, refusal } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
let olga: Operator
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
  olga = await Operator.enter(service)
})
afterAll(() => service.stop())

describe('partners', () => {
  test('are opened, given terms, suspended and found', async () => {
    await olga.visit('/operator/partners')
    await olga.submit('create_partner', { name: 'Acme & Söhne', email: 'nobody' })
    expect(olga.page.status).toBe(400)
    expect(olga.page.text).toContain('must be an e-mail address')
    expect(olga.page.text).toContain('value="Acme &amp; Söhne"')
    await olga.submit('create_partner', { email: 'acme@example.com' })
    expect(olga.path).toMatch(/^\/operator\/partners\/prt_/)
    expect(olga.notice).toBe('Partner account created for Acme & Söhne.')
    await olga.submit('set_partner_terms', { partner_collected_percent: '7.5' })
    const id = olga.path.split('/').at(-1) ?? ''
    const shown = async () => must(await service.admin('GET', `/partners/${id}`), 200).body
    expect(await shown()).toMatchObject({ partner_collected_bps: 750, referral_bps: 500 })
    await olga.submit('set_partner_terms', { partner_collected_percent: 'a lot' })
    expect(olga.page.status).toBe(400)
    await olga.submit('set_partner_terms', { partner_collected_percent: '101' })
    expect(olga.page.status).toBe(400)
    await olga.submit('set_partner_status')
    expect((await shown()).status).toBe('suspended')
    await olga.visit('/operator/partners?q=acme&status=suspended')
    expect(olga.page.text).toContain(id)
    await olga.visit('/operator/partners?q=100%25')
    expect(olga.page.text).toContain('No results')
  })

  test('a secret is shown once, to a second click too, and is kept nowhere in the clear', async () => {
    await olga.visit(`/operator/partners/${partner.partner_id}`)
    const [form] = olga.forms('create_credential')
    if (!form) throw new Error('no form')
    await olga.send(form, { environment: 'sandbox' })
    const secret = /sk_sandbox_[0-9a-f]+/.exec(olga.page.text)?.[0]
    expect(secret).toBeDefined()
    await olga.send(form, { environment: 'sandbox' })
    expect(olga.page.text).toContain(secret)
    const { credentials } = must(
      await service.admin('GET', `/partners/${partner.partner_id}/credentials`),
      200,
    ).body
    expect(credentials).toHaveLength(2)
    await olga.visit(`/operator/partners/${partner.partner_id}`)
    expect(olga.page.text).not.toContain(secret)
    const stored = await service.app.db.selectFrom('idempotency_keys').select('body').execute()
    expect(JSON.stringify(stored)).not.toContain(secret)
    await olga.submit('revoke_credential', {}, { key_id: partner.credential.key_id })
    expect(refusal(await partner.get('/orders')).code).toBe('credential_not_active')
  })

  test('ask for live access, which is approved or declined once', async () => {
    const client = await service.partner()
    const ask = async () =>
      await service.app.db
        .insertInto('live_requests')
        .values({
          id: `lrq_${'0'.repeat(25)}${Math.floor(Math.random() * 10)}`,
          partner_id: client.partner_id,
          status: 'pending',
          use_case: 'We sell names to bakers.',
          website: null,
          requested_by: 'baker@example.com',
          reason: null,
          created_at: service.app.clock.now(),
          decided_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
    const { id } = await ask()
    await olga.visit('/operator/live-requests')
    expect(olga.page.text).toContain('We sell names to bakers.')
    const [decline] = olga.forms('decline_live', { id })
    await olga.submit('approve_live', { reason: 'Welcome.' }, { id })
    expect(olga.notice).toBe('Live access approved. The partner has been notified.')
    const { body } = await service.admin('GET', `/partners/${client.partner_id}`)
    expect(body.live_approved_at).not.toBeNull()
    if (!decline) throw new Error('no form')
    await olga.send(decline, { reason: 'No.' })
    expect(olga.page.status).toBe(409)
    expect(olga.notice).toContain('approved already')
  })
})

describe('accounts', () => {
  test('are linked, disabled and signed out', async () => {
    const paul = await Operator.enter(service, 'paul@example.com', { operator: false })
    const path = `/operator/users/${paul.userId}`
    await olga.visit('/operator/users?q=PAUL')
    expect(olga.page.text).toContain('paul@example.com')
    await olga.visit(path)
    await olga.submit('update_user', { partner_id: 'prt_0', affiliate_id: '' })
    expect(olga.page.status).toBe(404)
    expect(olga.page.text).toContain('value="prt_0"')
    await olga.visit(path)
    const linking = () =>
      olga.forms('update_user').find(({ fields }) => fields.some(([n]) => n === 'partner_id'))
    const form = linking()
    if (!form) throw new Error('no form')
    await olga.send(form, { partner_id: partner.partner_id })
    const shown = async () => must(await service.admin('GET', `/users/${paul.userId}`), 200).body
    expect(await shown()).toMatchObject({ partner_id: partner.partner_id })
    expect((await shown()).sessions).toHaveLength(1)
    await olga.submit('end_user_sessions')
    expect(olga.notice).toBe('1 session ended.')
    await paul.visit('/account')
    expect(paul.path).toContain('/sign-in')
    await olga.submit('update_user', {}, { disabled: 'true' })
    expect(await shown()).toMatchObject({ disabled: true, partner_id: partner.partner_id })
    await olga.visit('/operator/users?view=disabled')
    expect(olga.page.text).toContain('paul@example.com')
  }, 30_000)

  test('nobody locks themselves out', async () => {
    await olga.visit(`/operator/users/${olga.userId}`)
    expect(olga.page.text).toContain('This is your account')
    for (const change of [{ disabled: 'true' }, { operator: 'false' }]) {
      await olga.post(`/operator/users/${olga.userId}`, {
        do: 'update_user',
        user_id: olga.userId,
        ...change,
      })
      expect(olga.page.status).toBe(409)
      expect(olga.notice).toContain('lock yourself out')
    }
    expect(refusal(await service.admin('POST', '/users/usr_0/end-sessions', {})).status).toBe(404)
  })

  test('mails are read where no server sends them', async () => {
    await olga.post('/forgot-password', { email: olga.email })
    await olga.visit(`/operator/mails?to=${olga.email}`)
    expect(olga.page.text).toContain('Choose a new password')
    expect(olga.page.text).toContain('SMTP_URL')
  })
})

describe('the service', () => {
  test('webhook endpoints are switched off and on again', async () => {
    const client = await service.partner()
    must(
      await client.put('/api/partner/webhooks', {
        url: 'http://127.0.0.1:9/hook',
        secret: '0123456789abcdef',
      }),
      200,
    )
    await olga.visit('/operator/webhooks?environment=sandbox')
    await olga.submit('switch_webhook_endpoint', {}, { to: 'off' })
    const shown = async () => must(await client.get('/api/partner/webhooks'), 200).body
    expect(await shown()).toMatchObject({
      active: false,
      inactive_reason: 'switched off by the operator',
    })
    await olga.visit('/operator/webhooks?environment=sandbox&view=off')
    await olga.submit('switch_webhook_endpoint', {}, { to: 'on' })
    expect(await shown()).toMatchObject({ active: true, inactive_reason: null })
    expect((await service.admin('POST', '/webhook-endpoints/wh_0/on', {})).status).toBe(404)
  })

  test('jobs tell their last run, and run on a click', async () => {
    const job = async (name: string) =>
      must(await service.admin('GET', '/jobs'), 200).body.jobs.find(
        (each: { name: string }) => each.name === name,
      )
    await vi.waitFor(async () => expect((await job('purge_mails')).finished_at).not.toBeNull(), {
      timeout: 15_000,
    })
    const before = await job('purge_mails')
    expect(before).toMatchObject({ error: null, duration_ms: expect.any(Number) })
    await olga.visit('/operator/jobs')
    await olga.submit('run_job', {}, { name: 'purge_mails' })
    expect(olga.notice).toContain('purge_mails starts')
    await vi.waitFor(
      async () => expect((await job('purge_mails')).finished_at > before.finished_at).toBe(true),
      { timeout: 15_000 },
    )
    expect(refusal(await service.admin('POST', '/jobs/no_job/run', {}))).toEqual({
      status: 404,
      code: 'not_found',
    })
  }, 40_000)

  test('the overview counts what waits', async () => {
    const { body } = await service.admin('GET', '/overview?environment=sandbox&days=7')
    expect(body.sales).toHaveLength(7)
    expect(body.waiting).toMatchObject({ review: 0, endpoints_off: 0 })
    expect((await service.admin('GET', '/overview?days=0')).status).toBe(400)
  })

  test('the overview adds up one currency at a time', async () => {
    const seller = await service.partner()
    const date = service.clock.now().toISOString().slice(0, 10)
    const sold = (currency: string, count: number, gmv_cents: number) => ({
      partner_id: seller.partner_id,
      environment: 'live' as const,
      date,
      payment_model: 'hosted_checkout',
      status: 'PAID',
      currency,
      count,
      gmv_cents,
      commission_cents: 0,
    })
    const rows = [sold('EUR', 1, 900_000), sold('JPY', 2, 30_000), sold('USD', 5, 20_000)]
    await service.app.db.insertInto('sale_days').values(rows).execute()
    const { body } = await service.admin('GET', '/overview')
    expect(body).toMatchObject({ currency: 'USD', currencies: ['USD', 'JPY', 'EUR'] })
    expect(body.sales.at(-1)).toEqual({ date, order_count: 8, gross_cents: 20_000 })
    const euros = (await service.admin('GET', '/overview?currency=eur')).body
    expect(euros.sales.at(-1)).toEqual({ date, order_count: 8, gross_cents: 900_000 })
    expect((await service.admin('GET', '/overview?currency=euro')).status).toBe(400)
    await olga.visit('/operator?currency=JPY')
    expect(olga.page.text).toContain('Sold by day, in JPY')
    expect(olga.page.text).toContain('¥30,000')
    expect(olga.page.text).not.toContain('$200')
    expect(olga.page.text).toMatch(/href="\/operator\?currency=JPY" aria-current="page"/)
    await olga.visit('/operator?environment=sandbox')
    expect(olga.page.text).toContain('Sold by day, in USD')
    expect(olga.page.text).not.toContain('aria-label="Currency"')
    await service.app.db
      .deleteFrom('sale_days')
      .where('partner_id', '=', seller.partner_id)
      .execute()
  })
})
