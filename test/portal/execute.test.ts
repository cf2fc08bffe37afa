import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshName, must } from '../support/market.ts'
import { copied, type SignedInPartner, signedInPartner } from '../support/portal.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: SignedInPartner
beforeAll(async () => {
  service = await startService()
  ann = await signedInPartner(service, 'ann@example.com')
})
afterAll(() => service.stop())

const BASE = '/partner/sandbox'
const once = () => crypto.randomUUID()

async function storedResponses(): Promise<string> {
  const { rows } = await sql<{ body: string }>`
    select coalesce(string_agg(body, ' '), '') as body from idempotency_keys`.execute(
    service.app.db,
  )
  return rows[0]?.body ?? ''
}

describe('what a member does in the portal', () => {
  test('stores no checkout link or progress link in plain text', async () => {
    const form = { domain: await freshName(service), once: once() }
    const made = must(await ann.browser.post(`${BASE}/checkout-sessions`, form), 303)
    const session = must(await ann.browser.get(String(made.headers.location)), 200)
    expect(session.text).toContain('/checkout?pt=')
    const opened = { domain: 'wanted.test', tier: 'managed', buyer_email: 'b@example.com' }
    const sent = { ...opened, budget: '500', once: once() }
    must(await ann.browser.post(`${BASE}/cases`, sent), 303)

    const stored = await storedResponses()
    expect(stored).not.toMatch(/pt=|\/progress\/|checkout_url|progress_url/)
  })

  test('with its credentials stands in the audit log, without their secrets', async () => {
    const page = await ann.browser.get(`${BASE}/credentials`)
    const once = page.text.match(/(?<=name="once" value=")[^"]+/g)?.at(-1) ?? ''
    const form = { once, scopes: 'search' }
    const made = must(await ann.browser.post(`${BASE}/credentials`, form), 200)
    const keyId = copied(made, 'key-id')
    must(await ann.browser.post(`${BASE}/credentials/${keyId}/revoke`, {}), 303)

    const path = `/audit-entries?subject=${keyId}`
    const { entries } = must(await service.admin('GET', path), 200).body
    expect(
      entries.map(({ actor, operation }: Record<string, string>) => [actor, operation]),
    ).toEqual([
      ['ann@example.com', 'revoke_own_credential'],
      ['ann@example.com', 'create_own_credential'],
    ])
    expect(JSON.stringify(entries)).not.toContain(copied(made, 'secret'))
  })
})
