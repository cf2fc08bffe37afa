import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transact } from '../../src/db/transaction.ts'
import { requestLive } from '../../src/domain/partners/live-request.ts'
import { must, refusal } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const ASKED = { use_case: 'We sell names to bakers, and charge their cards.', website: null }

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

async function ask(partnerId: string) {
  const now = service.clock.now()
  return await transact(service.app.server, (tx) =>
    requestLive({ tx, now }, partnerId, 'ann@example.com', ASKED),
  )
}

const decide = (id: string, decision: string, body: object = {}) =>
  service.admin('POST', `/live-requests/${id}/${decision}`, body)

const mailsTo = async (address: string) =>
  must(await service.admin('GET', `/mails?to=${address}`), 200).body.mails

describe('a request for live access', () => {
  test('is approved once, and whoever asked is told', async () => {
    const { partner_id } = await service.partner()
    const { id } = await ask(partner_id)
    const { live_requests } = must(
      await service.admin('GET', `/live-requests?status=pending&partner_id=${partner_id}`),
      200,
    ).body
    expect(live_requests).toMatchObject([
      { id, partner_name: 'Test', status: 'pending', use_case: ASKED.use_case, decided_at: null },
    ])
    const approved = must(await decide(id, 'approve', { reason: 'Welcome.' }), 200).body
    expect(approved).toMatchObject({ id, status: 'approved', reason: 'Welcome.' })
    // A second click is the first one's.
    expect(must(await decide(id, 'approve'), 200).body).toEqual(approved)
    const { partners } = must(await service.admin('GET', '/partners'), 200).body
    const found = partners.find((each: { partner_id: string }) => each.partner_id === partner_id)
    expect(found.live_approved_at).toBe(approved.decided_at)
    expect(refusal(await decide(id, 'decline', { reason: 'No.' }))).toEqual({
      status: 409,
      code: 'conflict',
    })
    const mails = await mailsTo('ann@example.com')
    expect(mails).toHaveLength(1)
    expect(mails[0].text).toContain('Welcome.')
    await expect(ask(partner_id)).rejects.toMatchObject({ code: 'conflict' })
  })

  test('is declined with a reason, and may be made again', async () => {
    const { partner_id } = await service.partner()
    const { id } = await ask(partner_id)
    expect((await ask(partner_id)).id).toBe(id)
    expect(refusal(await decide(id, 'decline'))).toEqual({ status: 400, code: 'validation_error' })
    const declined = must(await decide(id, 'decline', { reason: 'Tell us more.' }), 200).body
    expect(declined).toMatchObject({ status: 'declined', reason: 'Tell us more.' })
    expect(refusal(await decide(id, 'approve'))).toEqual({ status: 409, code: 'conflict' })
    expect((await ask(partner_id)).id).not.toBe(id)
  })

  test('that is not there is no request', async () => {
    expect(refusal(await decide('lrq_0', 'approve'))).toEqual({ status: 404, code: 'not_found' })
    expect(refusal(await service.admin('GET', '/live-requests?status=lost'))).toEqual({
      status: 400,
      code: 'validation_error',
    })
    expect(refusal(await service.admin('GET', '/live-requests?cursor=x'))).toEqual({
      status: 400,
      code: 'invalid_cursor',
    })
  })
})
