import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendGoodwill } from '../../src/domain/checkout/send-goodwill.ts'
import { Buyer } from '../support/buyer.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { freshName, must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const LIMIT = 3_000

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { fourEyesCents: LIMIT } })
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
