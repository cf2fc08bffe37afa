import { afterAll, beforeAll, expect, test } from 'vitest'
import { DnsServer } from '../support/dns-server.ts'
import { type Browser, makeUser, signIn } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let dns: DnsServer
let service: TestService
let ann: Browser
beforeAll(async () => {
  dns = await DnsServer.start()
  service = await startService({ settings: { dnsServers: [dns.address] } })
  await makeUser(service, 'ann@example.com')
  ann = await signIn(service, 'ann@example.com')
})
afterAll(async () => {
  await service.stop()
  await dns.stop()
})

test('a user adds domains in the account, and sees what proves them', async () => {
  expect((await ann.get('/account/claims')).text).toContain('No domains yet')
  const added = await ann.post('/account/claims', { domains: 'one.com\ntwo.com' })
  expect(added.status).toBe(303)
  const page = (await ann.get('/account/claims')).text
  expect(page).toContain('_marketplace.one.com')
  const row = await service.app.db
    .selectFrom('claims')
    .select('token')
    .where('domain', '=', 'one.com')
    .executeTakeFirstOrThrow()
  expect(page).toContain(`marketplace-verification=${row.token}`)
  dns.txt.set('_marketplace.one.com', [[`marketplace-verification=${row.token}`]])
  expect((await ann.post('/account/claims/check', { domain: 'one.com' })).status).toBe(303)
  expect((await ann.get('/account/claims')).text).toContain('by TXT record')
  expect((await ann.get('/account')).text).toContain('one.com')
})

test('what cannot be added stays in the form, with the reason', async () => {
  const rejected = await ann.post('/account/claims', { domains: 'three.com, www.four.com' })
  expect(rejected.status).toBe(400)
  expect(rejected.text).toContain('is below four.com')
  expect(rejected.text).toContain('www.four.com</textarea>')
  const none = await ann.post('/account/claims', { domains: 'not' })
  expect(none.text).toContain('>&quot;not&quot; is not a domain name such as example.com.<')
})
