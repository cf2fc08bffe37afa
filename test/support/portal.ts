import { PartnerClient, type Result } from './client.ts'
import { must } from './market.ts'
import { Browser, hidden, makeUser, PASSWORD } from './oauth.ts'
import type { TestService } from './service.ts'

/** A browser in which this person, new or known, has signed in. */
export async function signedIn(service: TestService, email: string): Promise<Browser> {
  const browser = new Browser(() => service)
  await makeUser(service, email, [])
  must(await browser.post('/sign-in', { email, password: PASSWORD }), 303)
  return browser
}

export interface SignedInPartner {
  browser: Browser
  client: PartnerClient
  partnerId: string
}

/** A person who became a partner in the portal, and a client that signs with what it gave them. */
export async function signedInPartner(
  service: TestService,
  email: string,
): Promise<SignedInPartner> {
  const browser = await signedIn(service, email)
  const once = hidden(await browser.get('/partner'), 'once')
  const made = must(await browser.post('/partner', { once, name: `Shop of ${email}` }), 200)
  const key_id = copied(made, 'key-id')
  const { users } = must(await service.admin('GET', `/users?email=${email}`), 200).body
  const partnerId: string = users[0].partner_id
  const client = new PartnerClient(service.baseUrl, service.clock.now, {
    key_id,
    secret: copied(made, 'secret'),
    partner_id: partnerId,
  })
  return { browser, client, partnerId }
}

/** What a page offers to be copied under an id. */
export function copied(page: Result, id: string): string {
  const text = new RegExp(`<code id="${id}">([^<]*)</code>`).exec(page.text)?.[1]
  if (text === undefined) throw new Error(`nothing to copy as ${id}: ${page.text}`)
  return text
}
