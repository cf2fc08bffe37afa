import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveCase, openCase } from '../support/brokerage.ts'
import type { PartnerClient } from '../support/client.ts'
import { must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let client: PartnerClient
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
})
afterAll(() => service.stop())

interface Opened {
  case_id: string
  domain: string
  path: string
  timeline: unknown[]
}

async function opened(more: object = {}): Promise<Opened> {
  const made = await openCase(client, more)
  return { ...made, path: new URL(made.progress_url).pathname }
}

async function talking(more: object = {}): Promise<Opened> {
  const made = await opened(more)
  await moveCase(service, made.case_id, 'source', 'contact', 'negotiate')
  return made
}

const get = (path: string, headers: object = {}) =>
  service.send({ method: 'GET', target: path, headers: { accept: 'text/html', ...headers } })

/** Fills in one of the page's forms, as it is shown now. */
async function submit(
  { path }: Pick<Opened, 'path'>,
  act: string,
  fields: Record<string, string> = {},
) {
  const { text } = await get(path)
  const seen = /name="seen" value="(\d+)"/.exec(text)?.[1] ?? ''
  const offer_id = /name="offer_id" value="([^"]+)"/.exec(text)?.[1] ?? ''
  return send(path, act, { seen, offer_id, ...fields })
}

function send(path: string, act: string, fields: Record<string, string>, headers: object = {}) {
  return service.send({
    method: 'POST',
    target: `${path}/${act}`,
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  })
}

const see = async ({ case_id }: Pick<Opened, 'case_id'>) =>
  must(await client.get(`/brokerage/${case_id}`), 200).body

const ownerAsks = async ({ case_id }: Opened, price_cents: number, message?: string) =>
  must(
    await client.post(`/sandbox/brokerage/${case_id}/offers`, {
      made_by: 'owner',
      price_cents,
      message,
    }),
    201,
  ).body

/** What a page is about, without the frame that all pages have. */
function mainOf(page: string): string {
  return /<main.*<\/main>/s.exec(page)?.[0] ?? ''
}

describe('the progress page', () => {
  test('is for its reader alone: not indexed, no referrer, nothing from elsewhere, not framed', async () => {
    const made = await opened({ note: 'Not for the buyer’s page.' })
    const page = must(await get(made.path), 200)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    })
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.text).toContain('<meta name="robots" content="noindex, nofollow"/>')
    expect(page.text).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//)
    expect(page.text).not.toMatch(/<script|Not for the buyer|buyer@example\.com|commission/)
    expect(page.text).toContain('This is a test.')
    expect(service.logs.join('')).not.toContain(made.path.split('/')[2])
  })

  test('tells each state in plain words', async () => {
    const words = {
      open: 'We have your request.',
      sourcing: 'We are finding out who owns it.',
      contacted: 'We have contacted the owner.',
      negotiating: 'The owner is talking with us.',
      agreed: 'You have a deal for $4,000.00.',
      completed: 'The deal is done, for $4,000.00.',
    }
    const made = await opened({ tier: 'managed' })
    expect((await get(made.path)).text).toContain(words.open)
    for (const move of ['source', 'contact', 'negotiate', 'agree', 'complete']) {
      const { status } = await moveCase(service, made.case_id, move)
      expect((await get(made.path)).text).toContain(words[status as keyof typeof words])
    }
    for (const [moves, said] of [
      [['source', 'contact', 'decline'], 'The owner does not want to sell.'],
      [['source', 'no-contact'], 'We could not reach the owner.'],
      [['cancel'], 'This search was ended.'],
    ] as const) {
      const other = await opened()
      await moveCase(service, other.case_id, ...moves)
      const page = must(await get(other.path), 200)
      expect(page.text).toContain(said)
      expect(mainOf(page.text)).not.toContain('<form')
    }
  })

  test('shows what others wrote as text', async () => {
    const made = await talking()
    await ownerAsks(made, 400_000, '<script>alert(1)</script> & "so"')
    const { text } = await get(made.path)
    expect(text).toContain('&lt;script>alert(1)&lt;/script> &amp; ')
    expect(text).not.toContain('<script>')
  })

  test('has no forms on a managed case, and takes none', async () => {
    const made = await talking({ tier: 'managed' })
    await ownerAsks(made, 400_000)
    expect(mainOf((await get(made.path)).text)).not.toContain('<form')
    const before = await see(made)
    for (const act of ['offer', 'accept', 'reject', 'budget', 'cancel']) {
      const seen = String(before.timeline.length)
      const offer_id = before.offers[0].offer_id
      const response = await send(made.path, act, { seen, offer_id, amount: '9000' })
      expect(response.status).toBe(409)
      expect(response.text).toContain('Your broker acts for you')
    }
    expect(await see(made)).toEqual(before)
  })

  test('opens by its token alone, until it is revoked', async () => {
    const made = await opened()
    const other = await opened()
    const page = (path: string) => get(path).then(({ status }) => status)
    expect(await page(made.path)).toBe(200)
    for (const bad of [
      '/case/',
      '/case/x',
      `/case/${'0'.repeat(64)}`,
      `${made.path}0`,
      `${made.path}%00`,
    ]) {
      expect(await page(bad), bad).toBe(404)
    }
    const renewed = must(await client.post(`/brokerage/${made.case_id}/progress-link`), 200).body
    const path = new URL(renewed.progress_url).pathname
    expect([await page(made.path), await page(path)]).toEqual([404, 200])
    expect((await get(made.path)).headers['content-type']).toMatch(/^text\/html/)
    expect((await send(made.path, 'cancel', { seen: '1' })).status).toBe(404)
    must(await client.delete(`/brokerage/${made.case_id}/progress-link`), 200)
    expect(await page(path)).toBe(404)
    expect((await see(made)).progress_url).toBeNull()
    const by = must(await service.admin('POST', `/brokerage/${made.case_id}/progress-link`), 200)
    expect(await page(new URL(by.body.progress_url).pathname)).toBe(200)
    must(await service.admin('DELETE', `/brokerage/${made.case_id}/progress-link`), 200)
    expect((await see(made)).status).toBe('open')
    expect(await page(other.path)).toBe(200)
  })
})

describe('a self-serve buyer', () => {
  test('offers, is countered, counters, accepts', async () => {
    const made = await opened()
    const first = await submit(made, 'offer', { amount: '1,500.50', message: 'Hello' })
    expect(first.status).toBe(303)
    expect(first.headers.location).toBe(made.path)
    const cookie = String(first.headers['set-cookie']?.[0]).split(';')[0] ?? ''
    const page = await get(made.path, { cookie })
    expect(page.text).toContain('Your offer is on its way.')
    expect(page.headers['set-cookie']?.[0]).toContain('Max-Age=0')
    expect((await get(`${made.path}?done=cancel`)).text).not.toContain('The search is ended.')
    expect((await see(made)).offers).toMatchObject([
      { made_by: 'buyer', price_cents: 150_050, message: 'Hello', status: 'open' },
    ])
    await moveCase(service, made.case_id, 'source', 'contact')
    await ownerAsks(made, 450_000, 'Not less.')
    const asked = await get(made.path)
    expect(asked.text).toContain('It is your turn: the owner would sell for $4,500.00.')
    expect(asked.text).toContain('Not less.')
    must(await submit(made, 'offer', { amount: '$3000' }), 303)
    expect((await get(made.path)).text).toContain('Your offer of $3,000.00 is with the owner.')
    await ownerAsks(made, 400_000)
    must(await submit(made, 'accept'), 303)
    const row = await see(made)
    expect(row).toMatchObject({ status: 'agreed', price_cents: 400_000 })
    expect(row.offers.map(({ status }: { status: string }) => status)).toEqual([
      'countered',
      'countered',
      'countered',
      'accepted',
    ])
    expect((await get(made.path)).text).toContain('You have a deal for $4,000.00.')
  })

  test('turns an offer down', async () => {
    const made = await talking()
    await ownerAsks(made, 450_000)
    must(await submit(made, 'reject'), 303)
    expect(await see(made)).toMatchObject({
      status: 'negotiating',
      offers: [{ status: 'rejected' }],
    })
  })

  test('goes above the budget by their own word only', async () => {
    const made = await talking()
    const offered = await submit(made, 'offer', { amount: '6000' })
    expect(offered.status).toBe(409)
    expect(offered.text).toContain('$6,000.00 is above your budget of $5,000.00.')
    // What was typed is still there.
    expect(offered.text).toContain('value="6000"')
    await ownerAsks(made, 700_000)
    expect((await submit(made, 'accept')).status).toBe(409)
    expect(await see(made)).toMatchObject({ status: 'negotiating', offers: [{ status: 'open' }] })
    must(await submit(made, 'accept', { consent: 'yes' }), 303)
    expect(await see(made)).toMatchObject({
      status: 'agreed',
      price_cents: 700_000,
      budget: 500_000,
    })
  })

  test('raises the budget, never lowers it', async () => {
    const made = await talking()
    for (const amount of ['5000', '4999.99']) {
      const response = await submit(made, 'budget', { amount })
      expect(response.status).toBe(409)
      expect(response.text).toContain('Your budget is $5,000.00 already')
      expect(response.text).toContain(`value="${amount}"`)
    }
    must(await submit(made, 'budget', { amount: '6000' }), 303)
    const row = await see(made)
    expect(row.budget).toBe(600_000)
    expect(row.timeline.at(-1)).toMatchObject({ type: 'brokerage.budget_raised', by: 'buyer' })
    must(await submit(made, 'offer', { amount: '6000' }), 303)
  })

  test('ends the search', async () => {
    const made = await talking()
    must(await submit(made, 'cancel'), 303)
    expect(await see(made)).toMatchObject({ status: 'cancelled' })
    expect((await see(made)).timeline.at(-1)).toMatchObject({ by: 'buyer' })
  })

  test.each([
    '',
    '0',
    '-1',
    '1e30',
    'abc',
    '1.234',
    '1,00',
    '0.00',
    '999999999999',
    '٣',
    '$',
    '1 00',
  ])('an amount of %j is explained, and changes nothing', async (amount) => {
    const made = await talking()
    const before = await see(made)
    for (const [act, panel] of [
      ['offer', 'Make an offer'],
      ['budget', 'Raise your budget'],
    ] as const) {
      const response = await submit(made, act, { amount, consent: 'yes' })
      expect(response.status).toBe(400)
      expect(response.text).toContain('Write the amount in dollars')
      expect(response.text.match(/<details open><summary>[^<]*/g)).toEqual([
        `<details open><summary>${panel}`,
      ])
      const form = response.text.slice(response.text.indexOf(`${act}">`))
      expect(/name="amount"[^>]* value="([^"]*)"/.exec(form)?.[1] ?? '').toBe(amount)
      expect(/name="consent"[^>]* checked/.test(response.text)).toBe(act === 'offer')
    }
    expect(await see(made)).toEqual(before)
    const again = must(await get(`${made.path}/offer`), 303)
    expect(again.headers.location).toBe(made.path)
  })

  test('decides on what they saw: a form from before, or sent twice, is rejected', async () => {
    const made = await talking()
    const { offers, timeline } = await ownerAsks(made, 300_000)
    const seen = String(timeline.length)
    await ownerAsks(made, 450_000)
    const late = await send(made.path, 'accept', { seen, offer_id: offers[0].offer_id })
    expect(late.status).toBe(409)
    expect(late.text).toContain('The search moved on')
    const now = String((await see(made)).timeline.length)
    const twice = await Promise.all(
      [1, 2, 3].map(() => send(made.path, 'offer', { seen: now, amount: '2000' })),
    )
    expect(twice.map(({ status }) => String(status)).toSorted()).toEqual(['303', '409', '409'])
    expect((await see(made)).offers).toHaveLength(3)
    for (const nothing of ['', 'x', '-1']) {
      expect((await send(made.path, 'cancel', { seen: nothing })).status).toBe(409)
    }
  })

  test('cannot accept their own offer, nor one of another case', async () => {
    const made = await talking()
    must(await submit(made, 'offer', { amount: '2000' }), 303)
    const row = await see(made)
    const seen = String(row.timeline.length)
    expect(
      (await send(made.path, 'accept', { seen, offer_id: row.offers[0].offer_id })).status,
    ).toBe(409)
    const other = await talking()
    const { offers } = await ownerAsks(other, 1_000)
    expect((await send(made.path, 'accept', { seen, offer_id: offers[0].offer_id })).status).toBe(
      404,
    )
    expect((await see(made)).status).toBe('negotiating')
  })

  test('is not acted for by another site, nor by what is no form', async () => {
    const made = await talking()
    const seen = String((await see(made)).timeline.length)
    const foreign = await send(made.path, 'cancel', { seen }, { 'sec-fetch-site': 'cross-site' })
    expect(foreign.status).toBe(403)
    const json = await send(made.path, 'cancel', { seen }, { 'content-type': 'application/json' })
    expect(json.status).toBe(415)
    expect((await send(made.path, 'sell', { seen })).status).toBe(404)
    expect((await see(made)).status).toBe('negotiating')
  })
})

describe('the mails', () => {
  interface Mail {
    to: string
    subject: string
    text: string
  }
  const mailsTo = async (to: string): Promise<Mail[]> =>
    must(
      await service.admin('GET', `/mails?to=${encodeURIComponent(to)}&limit=100`),
      200,
    ).body.mails.toReversed()

  test('tell the buyer each move, with the link', async () => {
    const buyer_email = 'told@example.com'
    const made = await opened({ buyer_email })
    await moveCase(service, made.case_id, 'source', 'contact')
    await ownerAsks(made, 300_000, 'As it is.')
    must(await submit(made, 'accept'), 303)
    await moveCase(service, made.case_id, 'complete')
    const mails = await mailsTo(buyer_email)
    expect(mails.map(({ subject }) => subject)).toEqual(
      [
        'We received the request.',
        'A broker began to look for the owner.',
        'We contacted the owner.',
        'The owner would sell for $3,000.00.',
        'Everyone agreed on $3,000.00.',
        'The deal was completed, for $3,000.00.',
      ].map((text) => `[Test] ${made.domain}: ${text}`),
    )
    for (const { text } of mails) expect(text).toContain(`http://localhost:3000${made.path}`)
    expect(mails[3]?.text).toContain('“As it is.”')
  })

  test('say nothing of a move that was rejected', async () => {
    const buyer_email = 'quiet@example.com'
    const made = await opened({ buyer_email })
    await service.admin('POST', `/brokerage/${made.case_id}/complete`, { price_cents: 5 })
    expect(await mailsTo(buyer_email)).toHaveLength(1)
  })
})
