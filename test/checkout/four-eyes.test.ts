import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendGoodwill } from '../../src/domain/checkout/send-goodwill.ts'
import { Buyer } from '../support/buyer.ts'
import { earned } from '../support/earnings.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { freshName, must } from '../support/market.ts'
import { PASSWORD } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { startService, type TestService } from '../support/service.ts'

const LIMIT = 3_000

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { fourEyesCents: LIMIT, payeeDelayHours: 0 } })
  await holdJobs(service, sendGoodwill)
})
afterAll(() => service.stop())

/** An order that was paid here, and its payment. */
async function bought(priceCents: number) {
  const buyer = new Buyer(service)
  await buyer.pay(`/d/${await freshName(service, 'live', { priceCents })}`)
  const publicId = buyer.publicId ?? ''
  const { payments } = must(await service.admin('GET', `/payments?public_id=${publicId}`), 200).body
  return { publicId, paymentId: payments[0].id as string }
}

describe('goodwill', () => {
  test('needs a second person once its slices are above FOUR_EYES_CENTS together', async () => {
    const { paymentId } = await bought(10_000)
    const give = async (amount_cents: number) => {
      const given = { amount_cents, reason: 'The transfer took long' }
      const path = `/payments/${paymentId}/goodwill-refunds`
      return must(await service.admin('POST', path, given), 201).body.status
    }
    expect(await give(LIMIT)).toBe('pending')
    await sendGoodwill.run(service.app, new AbortController().signal)
    expect(await give(1)).toBe('needs_approval')
  })
})

describe('a refund', () => {
  test('needs a second person when price and tax are above FOUR_EYES_CENTS together', async () => {
    const refund = (publicId: string) => service.admin('POST', `/orders/${publicId}/refund`, {})
    const taxed = await bought(LIMIT)
    await service.app.db
      .updateTable('payments')
      .set({ amount_cents: LIMIT + 600 })
      .where('id', '=', taxed.paymentId)
      .execute()
    expect(must(await refund(taxed.publicId), 409).body.error.details.reason).toBe(
      'approval_required',
    )
    const { publicId } = await bought(LIMIT)
    must(await refund(publicId), 200)
  })
})

describe('one person', () => {
  /** Calls the admin API as somebody: by their session, or by a token. */
  const by = (credential: { cookie: string } | { token: string }) => (path: string, body: object) =>
    service.send({
      method: 'POST',
      target: `/api/admin/v1${path}`,
      headers: {
        'content-type': 'application/json',
        ...('token' in credential
          ? { authorization: `Bearer ${credential.token}` }
          : { cookie: credential.cookie, 'sec-fetch-site': 'same-origin' }),
      },
      body: JSON.stringify(body),
    })
  type Call = ReturnType<typeof by>

  /** The id of a payout above FOUR_EYES_CENTS. */
  async function paidOut(call: Call): Promise<string> {
    const partner = await service.partner({ environment: 'live' })
    await earned(service, partner, 'live', LIMIT * 10)
    const { payouts } = must(await call('/payouts', { environment: 'live' }), 201).body
    return payouts.find((each: { partner_id: string }) => each.partner_id === partner.partner_id).id
  }

  const approve = async (call: Call, id: string) =>
    (await call(`/payouts/${id}/approve`, {})).status

  async function tokenBy(call: Call, name: string): Promise<Call> {
    const made = must(await call('/admin-tokens', { name, role: 'admin' }), 201).body
    return by(made)
  }

  async function changeAddress(operator: Operator, email: string): Promise<void> {
    await operator.post('/account/email', { email, email_password: PASSWORD })
    const { mails } = must(await service.admin('GET', `/mails?to=${email}`), 200).body
    const token = /confirm\?token=(\S+)/.exec(mails[0].text)?.[1] ?? ''
    await operator.post('/account/email/confirm', { token })
  }

  const installation: Call = (path, body) => service.admin('POST', path, body)

  test('stays one with another address', async () => {
    const finn = await Operator.enter(service, 'finn@example.com')
    const id = await paidOut(by(finn))
    const { publicId, paymentId } = await bought(10_000)
    const goodwill = { amount_cents: LIMIT + 1, reason: 'The transfer took long' }
    const { goodwill_id } = must(
      await by(finn)(`/payments/${paymentId}/goodwill-refunds`, goodwill),
      201,
    ).body
    const refund = `/orders/${publicId}/refund`
    must(await by(finn)(refund, {}), 409)
    await changeAddress(finn, 'finn@new.example')
    expect(await approve(by(finn), id)).toBe(403)
    must(await by(finn)(`/goodwill-refunds/${goodwill_id}/approve`, {}), 403)
    must(await by(finn)(refund, {}), 409)

    const olga = await Operator.enter(service, 'olga@example.com')
    expect(await approve(by(olga), id)).toBe(200)
    must(await by(olga)(`/goodwill-refunds/${goodwill_id}/approve`, {}), 200)
  })

  test('stays one by a token that they made, and by one that the token made', async () => {
    const adam = await Operator.enter(service, 'adam@example.com')
    const token = await tokenBy(by(adam), 'of-adam')
    const second = await tokenBy(token, 'of-adam-too')
    const id = await paidOut(by(adam))
    for (const call of [by(adam), token, second]) expect(await approve(call, id)).toBe(403)
    const eve = await Operator.enter(service, 'eve@example.com')
    expect(await approve(await tokenBy(by(eve), 'of-eve'), id)).toBe(200)
  })

  test('is the token of the installation, and each that it made for somebody', async () => {
    const id = await paidOut(installation)
    expect(await approve(installation, id)).toBe(403)
    const token = await tokenBy(installation, 'of-somebody')
    const another = await paidOut(token)
    for (const call of [token, await tokenBy(token, 'of-them-too')]) {
      expect(await approve(call, another)).toBe(403)
    }
    expect(await approve(token, id)).toBe(200)
    expect(await approve(installation, another)).toBe(200)
  })

  test('is known by name alone for what was made before', async () => {
    const ida = await Operator.enter(service, 'ida@example.com')
    const id = await paidOut(by(ida))
    const old = { created_by_person: null }
    await service.app.db.updateTable('payouts').set(old).where('id', '=', id).execute()
    expect(await approve(by(ida), id)).toBe(403)
    expect(await approve(installation, id)).toBe(200)
  })
})
