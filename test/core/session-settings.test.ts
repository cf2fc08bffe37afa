import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PartnerClient, type Result } from '../support/client.ts'
import { POSTGRES } from '../support/database.ts'
import { freshName, offer } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

describe.runIf(POSTGRES)('a database whose operator set other defaults', () => {
  let service: TestService
  let client: PartnerClient
  beforeAll(async () => {
    service = await startService()
    for (const setting of [
      `datestyle = 'SQL, DMY'`,
      `timezone = 'Asia/Kolkata'`,
      `default_transaction_isolation = 'repeatable read'`,
    ]) {
      await sql`do ${sql.lit(`begin
        execute format('alter database %I set ${setting.replaceAll("'", "''")}', current_database());
      end`)}`.execute(service.app.db)
    }
    const made = await service.partner()
    const { baseUrl, clock } = await service.another()
    client = new PartnerClient(baseUrl, clock.now, {
      ...made.credential,
      partner_id: made.partner_id,
    })
  })
  afterAll(() => service.stop())

  test('gives moments as they were', async () => {
    const { body: quote } = await client.post('/quotes', { domain: await freshName(service) })
    const { body: read } = await client.get(`/quotes/${quote.quote_id}`)
    expect(read).toEqual(quote)
  })

  test('keeps a limit when many come at once', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `many-${index}.test`)
    await offer(service, 'sandbox', names)
    // On a loaded machine some wait too long for their turn, and come again.
    async function quoted(domain: string): Promise<Result> {
      const response = await client.post('/quotes', { domain })
      return response.status === 503 ? quoted(domain) : response
    }
    const responses = await Promise.all(names.map(quoted))
    const statuses = responses.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([201, 409]))
    // With the one of the test before.
    expect(statuses.filter((status) => status === 201)).toHaveLength(99)
  })
})
