import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/lib/clock.ts'
import { must } from '../support/market.ts'
import { Browser, hidden, makeUser, PASSWORD } from '../support/oauth.ts'
import { type SignedInPartner, signedIn, signedInPartner } from '../support/portal.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: SignedInPartner
beforeAll(async () => {
  service = await startService()
  ann = await signedInPartner(service, 'ann@example.com')
})
afterAll(() => service.stop())

const MEMBERS = '/partner/sandbox/members'
const shown = async ({ browser }: SignedInPartner = ann) =>
  must(await browser.get(MEMBERS), 200).text
/** From a moment later, since only a few go out a minute. */
async function invite(email: string, { browser }: SignedInPartner = ann) {
  service.clock.advance(MINUTE)
  return await browser.post(MEMBERS, { email, once: crypto.randomUUID() })
}
const mailsTo = async (email: string) =>
  must(await service.admin('GET', `/mails?to=${email}`), 200).body.mails as { text: string }[]
/** The path of the newest link that was mailed to this address. */
async function linkTo(email: string, to = 'partner/join'): Promise<string> {
  const [mail] = await mailsTo(email)
  const path = new RegExp(`/${to}\\?token=\\S+`).exec(mail?.text ?? '')?.[0]
  if (path === undefined) throw new Error(`no link to ${to} for ${email}: ${mail?.text}`)
  return path
}
const tokenOf = (link: string) => link.split('token=')[1] ?? ''
const join = async (browser: Browser, link: string, once: string = crypto.randomUUID()) =>
  await browser.post('/partner/join', { token: tokenOf(link), once })
const partnerOf = async (email: string) =>
  must(await service.admin('GET', `/users?email=${email}`), 200).body.users[0]
const entriesOf = async (partnerId: string) =>
  must(await service.admin('GET', `/audit-entries?subject=${partnerId}`), 200).body.entries as {
    actor: string
    operation: string
  }[]
/** The path of the form that is beside this address. */
function formBeside(page: string, email: string, what: string): string {
  const row = page.split('<tr').find((each) => each.includes(email) && each.includes(what))
  const path = new RegExp(`action="([^"]*/${what})"`).exec(row ?? '')?.[1]
  if (path === undefined) throw new Error(`no ${what} beside ${email}`)
  return path
}

describe('an invitation', () => {
  test('lets a colleague in once, who sees what the partner has', async () => {
    expect((await invite('Bob@Example.com')).headers.location).toBe(MEMBERS)
    expect(await shown()).toContain('bob@example.com')
    const link = await linkTo('bob@example.com')
    const bob = await signedIn(service, 'bob@example.com')
    const page = must(await bob.get(link), 200)
    expect(page.text).toContain('Join Shop of ann@example.com')
    expect(page.text).toContain('ann@example.com invites you')
    const once = hidden(page, 'once')
    expect((await join(bob, link, once)).headers.location).toBe('/partner/sandbox')
    expect(await shown({ ...ann, browser: bob })).toMatch(/bob@example.com <span[^>]*>you</)
    expect(await partnerOf('bob@example.com')).toMatchObject({ partner_id: ann.partnerId })
    // A second click gets the first one's response, and the link opens nothing any more.
    expect((await join(bob, link, once)).headers.location).toBe('/partner/sandbox')
    expect((await join(bob, link)).status).toBe(404)
    expect((await bob.get(link)).status).toBe(404)
    expect(await shown()).toContain('Nobody is invited')
    const again = await invite('bob@example.com')
    expect(again.status).toBe(409)
    expect(again.text).toContain('is a member already')
    expect(await entriesOf(ann.partnerId)).toEqual([
      expect.objectContaining({ actor: 'bob@example.com', operation: 'accept_invitation' }),
      expect.objectContaining({ actor: 'ann@example.com', operation: 'invite_member' }),
    ])
  })

  test('leads through signing up, and waits for the address to be confirmed', async () => {
    await invite('cleo@example.com')
    const link = await linkTo('cleo@example.com')
    const cleo = new Browser(() => service)
    const next = `/sign-in?next=${encodeURIComponent(link)}`
    expect((await cleo.get(link)).headers.location).toBe(next)
    const form = { email: 'cleo@example.com', password: PASSWORD, next: link }
    expect((await cleo.post('/sign-up', form)).headers.location).toBe(link)
    const early = await cleo.get(link)
    expect(early.status).toBe(409)
    expect(early.text).toContain('Send a new link')
    expect((await join(cleo, link)).status).toBe(409)
    const token = tokenOf(await linkTo('cleo@example.com', 'confirm-email'))
    must(await cleo.post('/confirm-email', { token }), 200)
    must(await cleo.get(link), 200)
    expect((await join(cleo, link)).status).toBe(303)
  })

  test('is for one address: nobody else takes it up, and its token is kept nowhere', async () => {
    await invite('dora@example.com')
    const link = await linkTo('dora@example.com')
    const thief = await signedIn(service, 'thief@example.com')
    const page = await thief.get(link)
    expect(page.status).toBe(403)
    expect(page.text).toContain('d***@example.com')
    expect(page.text).not.toContain('dora@example.com')
    expect((await join(thief, link)).status).toBe(403)
    expect(await partnerOf('thief@example.com')).toMatchObject({ partner_id: null })
    expect((await thief.get('/partner/join?token=mkt_link_x')).status).toBe(404)
    expect((await thief.get('/partner/join')).status).toBe(404)
    const rows = await service.app.db.selectFrom('partner_invitations').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(tokenOf(link))
  })

  test('is not for members of another partner, nor to a suspended one', async () => {
    const eve = await signedInPartner(service, 'eve@example.com')
    await invite('eve@example.com')
    const rejected = await join(eve.browser, await linkTo('eve@example.com'))
    expect(rejected.status).toBe(409)
    expect(rejected.text).toContain('belongs to another partner')
    await invite('fay@example.com', eve)
    const fay = await signedIn(service, 'fay@example.com')
    must(
      await service.admin('POST', `/partners/${eve.partnerId}/status`, { status: 'suspended' }),
      200,
    )
    expect((await join(fay, await linkTo('fay@example.com'))).status).toBe(403)
    expect((await invite('gus@example.com', eve)).status).toBe(403)
  })

  test('ends when it is withdrawn, sent anew, or a week old', async () => {
    const hal = await signedIn(service, 'hal@example.com')
    await invite('hal@example.com')
    const first = await linkTo('hal@example.com')
    await invite('hal@example.com')
    const second = await linkTo('hal@example.com')
    expect((await join(hal, first)).status).toBe(404)
    must(await hal.get(second), 200)
    const withdraw = formBeside(await shown(), 'hal@example.com', 'withdraw')
    expect((await ann.browser.post(withdraw, {})).status).toBe(303)
    expect((await join(hal, second)).status).toBe(404)
    expect((await ann.browser.post(withdraw, {})).status).toBe(404)
    await invite('hal@example.com')
    const third = await linkTo('hal@example.com')
    service.clock.advance(7 * DAY)
    expect((await join(hal, third)).status).toBe(404)
    expect(await shown()).toContain('Nobody is invited')
  })

  test('is rejected to a form that says nothing, from elsewhere, or of an unconfirmed member', async () => {
    const { browser } = ann
    const nothing = await invite('nobody')
    expect(nothing.status).toBe(400)
    expect(nothing.text).toContain('It must be an e-mail address.')
    expect(nothing.text).toContain('value="nobody"')
    const foreign = { 'sec-fetch-site': 'cross-site' }
    const email = 'ivy@example.com'
    expect((await browser.post(MEMBERS, { email }, foreign)).status).toBe(403)
    expect(await mailsTo(email)).toEqual([])
    const fresh = new Browser(() => service)
    await fresh.post('/sign-up', { email: 'fresh@example.com', password: PASSWORD })
    const once = hidden(await fresh.get('/partner'), 'once')
    must(await fresh.post('/partner', { once, name: 'Fresh' }), 200)
    expect((await fresh.post(MEMBERS, { email })).status).toBe(409)
    expect(await mailsTo(email)).toEqual([])
  })

  test('is one to a second click, and no more than a few a minute and fifty a week', async () => {
    const jo = await signedInPartner(service, 'jo@example.com')
    const once = crypto.randomUUID()
    for (let click = 0; click < 2; click++) {
      must(await jo.browser.post(MEMBERS, { email: 'kim@example.com', once }), 303)
    }
    expect(await mailsTo('kim@example.com')).toHaveLength(1)
    // The second click has counted too.
    for (let sent = 2; sent < 5; sent++) {
      must(await jo.browser.post(MEMBERS, { email: `kim${sent}@example.com` }), 303)
    }
    const hasty = await jo.browser.post(MEMBERS, { email: 'liv@example.com' })
    expect(hasty.status).toBe(429)
    expect(hasty.text).toContain('Too many requests')
    for (let sent = 5; sent < 51; sent++) must(await invite(`kim${sent}@example.com`, jo), 303)
    const last = await invite('liv@example.com', jo)
    expect(last.status).toBe(409)
    expect(last.text).toContain('50 invitations within a week')
    expect(await mailsTo('liv@example.com')).toEqual([])
  }, 60_000)
})

describe('a member', () => {
  test('is removed at once, with the invitations that they sent, and the last one stays', async () => {
    const max = await signedInPartner(service, 'max@example.com')
    const remove = async (email: string) =>
      await max.browser.post(formBeside(await shown(max), email, 'remove'), {})
    const alone = await remove('max@example.com')
    expect(alone.status).toBe(409)
    expect(alone.text).toContain('One member has to stay')
    await invite('ned@example.com', max)
    const browser = await signedIn(service, 'ned@example.com')
    must(await join(browser, await linkTo('ned@example.com')), 303)
    await invite('spy@example.com', { ...max, browser })
    await invite('tom@example.com', max)
    expect((await remove('ned@example.com')).headers.location).toBe(MEMBERS)
    expect((await browser.get('/partner/sandbox/credentials')).headers.location).toBe('/partner')
    const spy = await signedIn(service, 'spy@example.com')
    expect((await join(spy, await linkTo('spy@example.com'))).status).toBe(404)
    must(
      await (await signedIn(service, 'tom@example.com')).get(await linkTo('tom@example.com')),
      200,
    )
    const entries = await entriesOf(max.partnerId)
    expect(entries[0]).toMatchObject({ actor: 'max@example.com', operation: 'remove_member' })
  })

  test.each([
    ['taken out of the partner', { partner_id: null }],
    ['disabled', { disabled: true }],
  ])('who is %s by an operator lets nobody in', async (how, change) => {
    const [owner, guest] = [`${how.length}-uma@example.com`, `${how.length}-spy@example.com`]
    const uma = await signedInPartner(service, owner)
    await invite(guest, uma)
    const { user_id } = await partnerOf(owner)
    must(await service.admin('PUT', `/users/${user_id}`, change), 200)
    const spy = await signedIn(service, guest)
    expect((await join(spy, await linkTo(guest))).status).toBe(404)
  })

  test('may leave, unless nobody who can sign in is left', async () => {
    const ola = await signedInPartner(service, 'ola@example.com')
    await invite('pat@example.com', ola)
    const pat = await signedIn(service, 'pat@example.com')
    must(await join(pat, await linkTo('pat@example.com')), 303)
    const { user_id } = await partnerOf('pat@example.com')
    must(await service.admin('PUT', `/users/${user_id}`, { disabled: true }), 200)
    const leave = formBeside(await shown(ola), 'ola@example.com', 'remove')
    expect(await shown(ola)).toContain('disabled')
    expect((await ola.browser.post(leave, {})).status).toBe(409)
    must(await service.admin('PUT', `/users/${user_id}`, { disabled: false }), 200)
    expect((await ola.browser.post(leave, {})).headers.location).toBe('/partner')
    expect(await partnerOf('ola@example.com')).toMatchObject({ partner_id: null })
  })

  test('of another partner is out of reach', async () => {
    const quinn = await signedInPartner(service, 'quinn@example.com')
    const ulf = await makeUser(service, 'ulf@example.com')
    await invite('vic@example.com')
    const withdraw = formBeside(await shown(), 'vic@example.com', 'withdraw')
    expect((await quinn.browser.post(withdraw, {})).status).toBe(404)
    const { user_id } = await partnerOf('ann@example.com')
    for (const id of [user_id, ulf, 'usr_0']) {
      expect((await quinn.browser.post(`${MEMBERS}/${id}/remove`, {})).status, id).toBe(404)
    }
    expect((await quinn.browser.post(`${MEMBERS}/invitations/%00/withdraw`, {})).status).toBe(404)
    expect(await partnerOf('ann@example.com')).toMatchObject({ partner_id: ann.partnerId })
  })

  test('and another who remove each other at the same time do not leave the partner empty', async () => {
    const rosa = await signedInPartner(service, 'rosa@example.com')
    await invite('sam@example.com', rosa)
    const sam = await signedIn(service, 'sam@example.com')
    must(await join(sam, await linkTo('sam@example.com')), 303)
    const page = await shown(rosa)
    const answers = await Promise.all([
      rosa.browser.post(formBeside(page, 'sam@example.com', 'remove'), {}),
      sam.post(formBeside(page, 'rosa@example.com', 'remove'), {}),
    ])
    expect(answers.filter(({ headers }) => headers.location === MEMBERS)).toHaveLength(1)
    const { users } = must(
      await service.admin('GET', `/users?partner_id=${rosa.partnerId}`),
      200,
    ).body
    expect(users).toHaveLength(1)
  })
})
