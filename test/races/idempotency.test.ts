import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import type { PartnerClient } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { freshName, refusal } from '../support/market.ts'
import { orderBody, quote } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner()
})
afterAll(() => service.stop())

/** Stands for a first request that is running, and holds its key until it is told how to end. */
async function runningRequest(key: string, body: string) {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let end: (response: { status: number; body: string } | null) => void = () => {}
  const ended = new Promise<{ status: number; body: string } | null>((resolve) => {
    end = resolve
  })
  const done = inTransaction(service.app, async (tx) => {
    // It is not lost, only slow.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    await tx
      .insertInto('idempotency_keys')
      .values({
        subject: `${partner.partner_id}:sandbox`,
        method: 'POST',
        path: '/api/partner/v1/orders',
        key,
        fingerprint: createHash('sha256').update(body).digest(),
        status: null,
        body: null,
        created_at: service.clock.now(),
        expires_at: new Date(service.clock.now().getTime() + 3_600_000),
      })
      .execute()
    begin()
    const response = await ended
    if (response === null) throw new Error('given up')
    await tx.updateTable('idempotency_keys').set(response).where('key', '=', key).execute()
  }).catch(() => {})
  await begun
  return {
    async end(response: { status: number; body: string } | null) {
      end(response)
      await done
    },
  }
}

// The embedded database runs one transaction at a time, so there a repeat waits before it is read.
describe.skipIf(!POSTGRES)('a repeat that comes while the first request is running', () => {
  async function repeat() {
    const body = JSON.stringify(orderBody(await quote(partner, await freshName(service))))
    const key = randomUUID()
    const first = await runningRequest(key, body)
    return { first, answer: partner.post('/orders', body, { key }) }
  }

  test('waits, and gets its response', async () => {
    const { first, answer: response } = await repeat()
    await wait(500)
    await first.end({ status: 201, body: '{"first":true}' })
    expect(await response).toMatchObject({ status: 201, text: '{"first":true}' })
    expect((await response).headers['idempotent-replayed']).toBe('true')
  })

  test('takes its place when it is rejected', async () => {
    const { first, answer: response } = await repeat()
    await wait(500)
    await first.end(null)
    expect((await response).status).toBe(201)
    expect((await response).headers['idempotent-replayed']).toBeUndefined()
  })

  test('is told to come again after ten seconds', async () => {
    const began = Date.now()
    const { first, answer: response } = await repeat()
    expect(refusal(await response)).toEqual({ status: 409, code: 'conflict' })
    expect(Number((await response).headers['retry-after'])).toBeGreaterThan(0)
    const waited = Date.now() - began
    expect(waited).toBeGreaterThan(9_000)
    await first.end(null)
  })
})
