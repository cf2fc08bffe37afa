import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { renewAutomatically } from '../../src/domain/domains/auto-renew.ts'
import { DAY, HOUR } from '../../src/lib/clock.ts'
import { CARDS } from '../support/buyer.ts'
import { holdJobs } from '../support/hold-jobs.ts'
import { must } from '../support/market.ts'
import { makeUser, signIn } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const registrar = new ScriptedRegistrar(['silent.com', 'sold.com', 'again.com'])

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  vi.spyOn(service.app.registry, 'lookup').mockImplementation(async () => registered())
  await holdJobs(service, renewAutomatically)
  await connectScripted(service, registrar, ['com'])
})
afterAll(() => service.stop())

/** A user with a card whose domain expires in 20 days. */
async function owner(domain: string, card_number: string) {
  const email = `owner-of-${domain}@example.com`
  const userId = await makeUser(service, email, [domain])
  const browser = await signIn(service, email)
  const card = { card_number, card_expiry: '12/39', card_cvc: '123' }
  must(await browser.post('/account/payment-method', card), 303)
  const expires_at = new Date(service.app.clock.now().getTime() + 20 * DAY)
  registrar.expire(domain, expires_at)
  await service.app.db
    .updateTable('owned_domains')
    .set({ expires_at })
    .where('domain', '=', domain)
    .execute()
  const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
  return { userId, reader: readerOf(() => service, token) }
}

const chargesOf = (userId: string) =>
  service.app.db
    .selectFrom('charges')
    .select(['status', 'capture_cents'])
    .where('user_id', '=', userId)
    .execute()

test('a renewal after which the registrar says no expiry is not made again', async () => {
  const { userId, reader } = await owner('silent.com', CARDS.succeeds)
  const perform = vi.spyOn(registrar, 'perform').mockResolvedValue({})
  const auto = { domains: ['silent.com'], params: { enabled: true } }
  must(await reader.post('/api/domains/bulk/set_auto_renew', auto), 200)
  await renewAutomatically.run(service.app, new AbortController().signal)
  await vi.waitFor(
    async () => expect(await chargesOf(userId)).toMatchObject([{ status: 'succeeded' }]),
    { timeout: 20_000 },
  )
  for (const _ of [1, 2]) {
    service.clock.advance(6 * DAY)
    await renewAutomatically.run(service.app, new AbortController().signal)
  }
  expect(await chargesOf(userId)).toHaveLength(1)
  expect(perform).toHaveBeenCalledTimes(1)
  perform.mockRestore()
})

test('a domain that was renewed at its registrar meanwhile is not renewed again', async () => {
  const { userId, reader } = await owner('again.com', CARDS.succeeds)
  must(await reader.post('/api/domains/bulk/lock', { domains: ['again.com'] }), 200)
  const auto = { domains: ['again.com'], params: { enabled: true } }
  must(await reader.post('/api/domains/bulk/set_auto_renew', auto), 200)
  const renewed = new Date(service.app.clock.now().getTime() + 385 * DAY)
  registrar.expire('again.com', renewed)
  await renewAutomatically.run(service.app, new AbortController().signal)
  expect(await chargesOf(userId)).toEqual([])
  const owned = await service.app.db
    .selectFrom('owned_domains')
    .select('expires_at')
    .where('domain', '=', 'again.com')
    .executeTakeFirstOrThrow()
  expect(owned.expires_at).toEqual(renewed)
})

test('a domain that its owner has lost meanwhile is not renewed, and nothing is captured', async () => {
  const { userId, reader } = await owner('sold.com', CARDS.later)
  const renewal = { domains: ['sold.com'], params: { years: 1 } }
  const { pending } = must(await reader.post('/api/domains/bulk/renew', renewal), 200).body
  expect(pending).toBe(1)
  await service.app.db.deleteFrom('owned_domains').where('domain', '=', 'sold.com').execute()
  service.clock.advance(HOUR)
  await vi.waitFor(
    async () => {
      service.clock.advance(HOUR)
      const [renewed] = await service.app.db
        .selectFrom('renewals')
        .select(['status', 'reason'])
        .where('user_id', '=', userId)
        .execute()
      expect(renewed).toEqual({ status: 'failed', reason: 'It is no longer yours.' })
      expect((await chargesOf(userId))[0]).toMatchObject({ capture_cents: 0 })
    },
    { timeout: 20_000 },
  )
  expect(registrar.performed).not.toContain('renew sold.com')
})
