import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { sell } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { width: 390, height: 844 }
/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS

describe.skipIf(!HAS_BROWSER)('in a real browser, on a phone, without scripts of ours', () => {
  let service: TestService
  let client: PartnerClient
  let browser: Browser
  beforeAll(async () => {
    service = await startService()
    client = await service.partner({ affiliate: true })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  async function open(path: string) {
    const context = await browser.newContext({ viewport: PHONE, locale: 'de-CH' })
    const page = await context.newPage()
    const foreign: string[] = []
    const errors: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(service.baseUrl) && !request.url().startsWith('data:')) {
        foreign.push(request.url())
      }
    })
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('status of 4')) {
        errors.push(message.text())
      }
    })
    await page.goto(service.baseUrl + path)
    return { page, foreign, errors }
  }

  async function look(page: Page, name: string) {
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true })
    expect(await accessibilityProblems(page), name).toEqual([])
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    expect(wide, `${name} is no wider than the phone`).toBeLessThanOrEqual(PHONE.width)
  }

  async function link(domain: string) {
    const made = must(await client.post('/checkout-session', { domain }), 201).body
    return made.checkout_url.slice('http://localhost:3000'.length)
  }

  async function fillDetails(page: Page) {
    for (const [name, value] of Object.entries(DETAILS)) {
      if (name === 'country') continue
      await page.fill(`[name=${name}]`, value)
    }
    await page.selectOption('[name=country]', DETAILS.country)
    await page.click('text=Continue to payment')
  }

  async function pay(page: Page, card: string) {
    await page.fill('[name=card_number]', card)
    await page.fill('[name=card_expiry]', '12/39')
    await page.fill('[name=card_cvc]', '123')
    await page.click('button:has-text("Pay")')
  }

  test('from the link to the receipt, by way of a declined card', async () => {
    const domain = await freshName(service)
    const { page, foreign, errors } = await open(await link(domain))
    expect(await page.inputValue('[name=country]')).toBe('CH')
    await look(page, 'lander')
    await fillDetails(page)
    await look(page, 'payment')
    await pay(page, CARDS.declined)
    await page.waitForSelector('text=was declined')
    await look(page, 'declined')
    await pay(page, CARDS.asks)
    await look(page, 'confirm')
    await page.click('button:has-text("Confirm")')
    await page.waitForSelector('text=the payment is in')
    await look(page, 'receipt')
    const publicId = /ord_[0-9a-z]{26}/.exec(await page.content())?.[0]
    const { transactions } = must(await client.get('/transactions'), 200).body
    expect(transactions[0].public_id).toBe(publicId)
    const { entries } = must(await client.get('/me/commissions'), 200).body
    expect(entries[0].sale_id).toBe(publicId)
    const { events } = must(await client.get('/events'), 200).body
    expect(events.at(-1).data.order.public_id).toBe(publicId)
    expect(foreign).toEqual([])
    expect(errors).toEqual([])
  })

  test('what is missing is where one goes on, also where the browser does not look first', async () => {
    const { page } = await open(await link(await freshName(service)))
    await page.fill('[name=email]', DETAILS.email)
    await page.evaluate(`document.querySelector('form').noValidate = true`)
    await page.click('text=Continue to payment')
    await page.waitForSelector('text=Some details are missing or wrong')
    expect(await page.locator('[name=name]:focus').getAttribute('aria-describedby')).toBe(
      'name-note',
    )
    await look(page, 'problems')
  })

  test('a receipt on paper is black on white, without what can only be pressed', async () => {
    const { page } = await open(await link(await freshName(service)))
    await fillDetails(page)
    await pay(page, CARDS.succeeds)
    await page.waitForSelector('text=the payment is in')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const colour = `getComputedStyle(document.querySelector('.card')).backgroundColor`
    expect(await page.evaluate(colour)).toBe('rgb(255, 255, 255)')
    expect(await page.locator('form:visible, button:visible, nav:visible').count()).toBe(0)
  })

  test('with the keyboard alone', async () => {
    const { page } = await open(await link(await freshName(service)))
    await page.focus('[name=email]')
    for (const value of [
      DETAILS.email,
      DETAILS.name,
      '',
      DETAILS.address,
      DETAILS.city,
      DETAILS.postal_code,
    ]) {
      await page.keyboard.type(value)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[name=card_number]')
    await page.focus('[name=card_number]')
    for (const value of [CARDS.succeeds, '12/39', '123']) {
      await page.keyboard.type(value)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=the payment is in')
  })

  test('a payment that takes its time comes in by itself', async () => {
    const { page } = await open(await link(await freshName(service)))
    await fillDetails(page)
    await pay(page, CARDS.later)
    await page.waitForSelector('text=on its way')
    await look(page, 'processing')
    await page.waitForSelector('text=the payment is in', { timeout: 20_000 })
  })

  test('sold meanwhile', async () => {
    const domain = await freshName(service)
    const { page } = await open(await link(domain))
    await fillDetails(page)
    await pay(page, CARDS.asks)
    must(await sell(client, domain), 201)
    await page.click('button[value=confirm]')
    await page.waitForSelector('text=was sold to someone else', { timeout: 20_000 })
    await look(page, 'paid-back')
    const sold = await freshName(service)
    const path = await link(sold)
    must(await sell(client, sold), 201)
    await look((await open(path)).page, 'sold')
  })

  test('the marketplace’s own pages', async () => {
    const { page } = await open('/')
    await look(page, 'home')
    const domain = await freshName(service)
    await page.goto(`${service.baseUrl}/d/${domain}`)
    await look(page, 'name')
    await page.click(`button:has-text("Buy")`)
    await page.waitForSelector('[name=email]')
    await page.click('text=Continue to payment')
    // The browser itself says what is missing.
    expect(await page.locator('[name=email]:invalid').count()).toBe(1)
  })
})
