import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import { offer, operate } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const UMLAUT = 'xn--bcher-kva.com'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let count = 0
/** Somebody on the first page of a checkout for a name of their own. */
async function opened(domain = `pages-${++count}.com`): Promise<Buyer> {
  await offer(service, 'sandbox', [domain])
  const buyer = new Buyer(service)
  await buyer.visit(`/d/${domain}`)
  await buyer.submit()
  return buyer
}

async function mailsTo(to: string): Promise<{ subject: string; text: string }[]> {
  return (await service.admin('GET', `/mails?to=${encodeURIComponent(to)}`)).body.mails
}

describe('the form of the details', () => {
  test('says plainly who may register the name, which has to be confirmed', async () => {
    const buyer = await opened('rule-of-its-registry.de')
    expect(buyer.page.text).toContain('I confirm that I may register a .de name')
    expect(buyer.page.text).toContain('Who may register one: Anyone; registrants outside Germany')
    await buyer.submit(DETAILS)
    expect(buyer.page.text).toContain('Please confirm this')
  })

  test('says in words what is too long, and its inputs take no more', async () => {
    const buyer = await opened()
    expect(buyer.page.text).toMatch(/name="postal_code"[^>]*maxlength="20"/)
    expect(buyer.page.text).toMatch(/name="address"[^>]*maxlength="300"/)
    await buyer.submit({ ...DETAILS, postal_code: '1'.repeat(21), email: 'a@b.example'.repeat(30) })
    expect(buyer.page.status).toBe(400)
    expect(buyer.page.text).toContain('This must have at most 20 characters.')
    expect(buyer.page.text).not.toContain('expected string')
  })

  test('keeps the tick of the registry’s rule, and says beside it that it is missing', async () => {
    const buyer = await opened('pages.berlin')
    await buyer.submit({ ...DETAILS, city: '' })
    expect(buyer.page.text).toMatch(/name="eligible"[^>]*aria-describedby="eligible-note"/)
    expect(buyer.page.text).toContain('<small id="eligible-note" class="problem">')
    await buyer.submit({ ...DETAILS, city: '', eligible: 'yes' })
    expect(buyer.page.text).toMatch(/name="eligible"[^>]*checked/)
  })

  test('is what the addresses of its forms show when they are opened anew', async () => {
    const buyer = await opened()
    const { path } = buyer
    for (const step of ['details', 'cancel']) {
      await buyer.visit(path.replace('/checkout?', `/checkout/${step}?`))
      expect(buyer.path).toBe(path)
      expect(buyer.page.status).toBe(200)
    }
  })
})

test('a phone number has digits', async () => {
  const buyer = await opened()
  await buyer.submit({ ...DETAILS, phone: 'call me' })
  expect(buyer.page.status).toBe(400)
  expect(buyer.page.text).toContain('This is not a phone number')
  await buyer.submit({ ...DETAILS, phone: '+44 (0)1632 960 000' })
  expect(buyer.page.text).toContain('card_number')
})

test('a declined card’s expiry need not be typed again', async () => {
  const buyer = await opened()
  await buyer.submit(DETAILS)
  await buyer.card(CARDS.declined)
  expect(buyer.page.status).toBe(402)
  expect(buyer.page.text).toMatch(/name="card_expiry"[^>]*value="12\/39"/)
  expect(buyer.page.text).not.toContain('4000 0000')
})

describe('the receipt', () => {
  test('calls the name the buyer’s once it has been delivered', async () => {
    const buyer = await opened()
    await buyer.submit(DETAILS)
    await buyer.card(CARDS.succeeds)
    const words = async () => (await buyer.visit(buyer.path)).text.replace(/<[^>]+>/g, '')
    expect(await words()).toContain(`We start the transfer of pages-${count}.com to you next.`)
    await operate(service, buyer.publicId ?? '', 'start')
    expect(await words()).toContain(`pages-${count}.com is on its way to you.`)
    expect(await words()).not.toContain('is yours')
    await operate(service, buyer.publicId ?? '', 'complete')
    expect(await words()).toContain(`pages-${count}.com is yours.`)
  })

  test('of an order on hold says that it is looked at', async () => {
    const buyer = await opened('manual-review.com')
    await buyer.submit(DETAILS)
    await buyer.card(CARDS.succeeds)
    expect(buyer.page.text).toContain('We look at the order before')
    expect(buyer.page.text).not.toContain('is yours')
  })

  test('is mailed with a mark when it is of a test', async () => {
    const buyer = await opened()
    await buyer.submit({ ...DETAILS, email: 'marked@example.com' })
    await buyer.card(CARDS.succeeds)
    await operate(service, buyer.publicId ?? '', 'start')
    const subjects = (await mailsTo('marked@example.com')).map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual([
      `[Test] The transfer of pages-${count}.com has started`,
      `[Test] Your receipt for pages-${count}.com`,
    ])
  })
})

test('a checkout that has expired says so, and not how long another kind of link works', async () => {
  const own = await startService()
  const domain = 'expired-pages.com'
  await offer(own, 'sandbox', [domain])
  const buyer = new Buyer(own)
  await buyer.visit(`/d/${domain}`)
  await buyer.submit()
  own.clock.advance(61 * 60_000)
  await buyer.visit(buyer.path)
  expect(buyer.page.status).toBe(410)
  expect(buyer.page.text).toContain('This checkout has expired')
  expect(buyer.page.text).not.toContain('seven days')
  await own.stop()
})

test('an internationalised name is read to buyers, beside what it is sent as', async () => {
  const both = /bücher.*<small class="a-label">xn--bcher-kva.com<\/small>/
  const buyer = await opened(UMLAUT)
  expect(buyer.page.text).toMatch(both)
  expect(buyer.page.text).toContain(`<title>bücher.com (${UMLAUT})`)
  await buyer.submit({ ...DETAILS, email: 'umlaut@example.com' })
  expect(buyer.page.text).toMatch(both)
  await buyer.card(CARDS.succeeds)
  expect(buyer.page.text).toMatch(both)
  const [mail] = await mailsTo('umlaut@example.com')
  expect(mail?.subject).toBe(`[Test] Your receipt for bücher.com (${UMLAUT})`)
  expect((await buyer.visit(`/d/${UMLAUT}`)).text).toContain(`<title>bücher.com (${UMLAUT})`)
})

test('a live market without payments says so before anything is typed, and logs no error', async () => {
  const market = await startService({ settings: { paymentProvider: 'none' } })
  try {
    await offer(market, 'live', ['nobody-is-paid.com'])
    await offer(market, 'sandbox', ['tried-without-payments.com'])
    const buyer = new Buyer(market)
    await buyer.visit('/d/nobody-is-paid.com')
    await buyer.submit()
    const expectClosed = () => {
      expect(buyer.page.status, buyer.page.text).toBe(410)
      expect(buyer.page.text).toContain('This checkout is not open')
      expect(buyer.page.text).not.toContain('name="email"')
    }
    expectClosed()
    // By the addresses of its other pages, too.
    await buyer.visit(buyer.path.replace('/checkout?', '/checkout/payment?'))
    expectClosed()
    expect(market.logs.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
    // The sandbox has its own provider.
    await buyer.pay('/d/tried-without-payments.com')
    expect(buyer.publicId).toBeDefined()
  } finally {
    await market.stop()
  }
})
