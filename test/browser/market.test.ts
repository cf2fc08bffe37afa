import { existsSync, mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { seedListings } from '../../src/domain/sandbox/seed.ts'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { offer } from '../support/market.ts'
import { makeUser, PASSWORD } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS
const SIZES = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
}
/** Bytes on the wire, with all that the page asks for. */
const MAX_FIRST_VISIT = 60_000

describe.skipIf(!HAS_BROWSER)('in a real browser', () => {
  let service: TestService
  let browser: Browser
  beforeAll(async () => {
    if (PICTURES && !existsSync(PICTURES)) mkdirSync(PICTURES, { recursive: true })
    service = await startService()
    service.app.sites.check = async () => 'none'
    await seedListings(service.app, 'live')
    // As their owners' DNS would: names for sale lead here.
    browser = await openBrowser('--host-resolver-rules=MAP *.lander.example 127.0.0.1')
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  describe.each([
    ['phone', 'light'],
    ['desktop', 'dark'],
  ] as const)('%s, %s', (size, colorScheme) => {
    async function open(path: string) {
      const context = await browser.newContext({ viewport: SIZES[size], colorScheme })
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().includes('status of 4')) {
          problems.push(message.text())
        }
      })
      page.on('request', (request) => {
        const isOurs = request.url().startsWith(service.baseUrl)
        if (!isOurs && !request.url().startsWith('data:')) problems.push(request.url())
      })
      await page.goto(service.baseUrl + path)
      return { page, problems }
    }

    async function look(page: Page, name: string) {
      if (PICTURES) {
        const path = `${PICTURES}/${name}-${size}-${colorScheme}.png`
        await page.screenshot({ path, fullPage: true })
      }
      expect(await accessibilityProblems(page), name).toEqual([])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect(wide, `${name} is no wider than the screen`).toBeLessThanOrEqual(SIZES[size].width)
    }

    test('a visitor looks for a name, and buys one', async () => {
      const { page, problems } = await open('/')
      await look(page, 'home')
      await page.getByRole('searchbox').fill('dog walking')
      await page.getByRole('button', { name: 'Search' }).click()
      // Each response stands in the place that waited for it, whenever it came.
      const ideas = page.getByRole('heading', { name: 'For sale here' })
      await ideas.waitFor()
      const asked = page.getByRole('listitem').filter({ hasText: 'dogwalking.com' })
      const placeOf = async (what: typeof asked) => (await what.boundingBox())?.y ?? Number.NaN
      await asked.waitFor()
      const waiting = page.getByText('asking …').filter({ visible: true })
      await vi.waitFor(async () => expect(await waiting.count()).toBe(0), { timeout: 10_000 })
      expect(await placeOf(asked)).toBeLessThan(await placeOf(ideas))
      await look(page, 'search')
      await page.getByRole('link', { name: 'Names', exact: true }).click()
      await page.getByLabel('Words').fill('dog')
      await page.getByRole('button', { name: 'Show' }).click()
      await look(page, 'browse')
      await page.locator('.name-row a').first().click()
      await page.getByText('What protects your money').waitFor()
      await page.getByRole('heading', { name: 'WHOIS' }).waitFor()
      await look(page, 'name')
      await page.getByRole('button', { name: /^Buy / }).click()
      await page.waitForSelector('[name=email]')
      await page.goto(`${service.baseUrl}/d/google.com`)
      await look(page, 'name-taken')
      await page.goto(`${service.baseUrl}/tlds`)
      await look(page, 'tlds')
      await page.goto(`${service.baseUrl}/tlds/co.uk`)
      await look(page, 'tld')
      await page.goto(`${service.baseUrl}/whois?domain=example.com`)
      await look(page, 'whois')
      expect(problems).toEqual([])
    }, 180_000)

    test('a name of 63 letters has its button on the screen', async () => {
      const domain = `${size}${'s'.repeat(63 - size.length)}.com`
      await offer(service, 'live', [domain])
      const { page } = await open(`/d/${domain}`)
      const box = await page.getByRole('button', { name: /^Buy / }).boundingBox()
      expect(box && box.x + box.width).toBeLessThanOrEqual(SIZES[size].width)
      await look(page, 'name-long')
    }, 60_000)

    test('a visitor of a name that is for sale finds its lander', async () => {
      const domain = `${size}.lander.example`
      await offer(service, 'live', [domain], 499_900)
      const { page } = await open('/')
      const problems: string[] = []
      page.on('console', (message) => {
        // Which a browser heeds over https alone, and this is not.
        if (!message.text().includes('Cross-Origin-Opener-Policy')) problems.push(message.text())
      })
      await page.goto(`http://${domain}:${new URL(service.baseUrl).port}/`)
      await page.getByText('$4,999.00').waitFor()
      const buy = page.getByRole('link', { name: `Buy ${domain}` })
      expect(await buy.getAttribute('href')).toBe(`http://localhost:3000/d/${domain}/checkout`)
      await look(page, 'lander')
      expect(await page.context().cookies()).toEqual([])
      expect(problems).toEqual([])
    }, 60_000)

    test('a reader finds their way through the documents', async () => {
      const { page, problems } = await open('/docs')
      await look(page, 'docs')
      await page.getByRole('searchbox').fill('retry after')
      await page.getByRole('button', { name: 'Search' }).click()
      await look(page, 'docs-search')
      await page.goto(`${service.baseUrl}/docs/guides/first-sale`)
      await look(page, 'docs-guide')
      await page.goto(`${service.baseUrl}/docs/errors`)
      await look(page, 'docs-errors')
      await page.goto(`${service.baseUrl}/docs/operations/create_order`)
      const box = await page.locator('#create_order').boundingBox()
      expect(Math.abs(box?.y ?? 1e6)).toBeLessThan(SIZES[size].height)
      await look(page, 'docs-operation')
      // One language for all samples, chosen with the keyboard, and kept for the next page.
      await page.locator('#create_order-curl').focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      const python = page.locator('#create_order .panel-python')
      expect(await python.isVisible()).toBe(true)
      expect(await page.locator('#get_order .panel-curl').isVisible()).toBe(false)
      await page.goto(`${service.baseUrl}/docs/reference/quotes`)
      expect(await page.locator('#create_quote .panel-python').isVisible()).toBe(true)
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBeGreaterThan(0)
      expect(problems).toEqual([])
    }, 180_000)

    test('a reader without scripts chooses a language, and has no dead buttons', async () => {
      const context = await browser.newContext({
        viewport: SIZES[size],
        colorScheme,
        javaScriptEnabled: false,
      })
      const page = await context.newPage()
      await page.goto(`${service.baseUrl}/docs/reference/quotes`)
      await page.locator('#create_quote').getByText('PHP', { exact: true }).click()
      expect(await page.locator('#create_quote .panel-php').isVisible()).toBe(true)
      expect(await page.locator('#create_quote .panel-curl').isVisible()).toBe(false)
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
      await context.close()
    }, 60_000)

    test('an owner changes, sells and asks for domains', async () => {
      const email = `${size}@example.com`
      const mine = ['bakery', 'garden', 'books'].map((name) => `${size}-${name}.com`)
      await makeUser(service, email, mine)
      const { page, problems } = await open('/account')
      await look(page, 'sign-in')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Your domains' }).waitFor()
      await look(page, 'domains')
      await page.getByRole('button', { name: 'Choose all here' }).click()
      await page.getByLabel('With the chosen domains').selectOption('renew')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Renew 3 domains' }).waitFor()
      await look(page, 'domains-renew')
      await page.getByRole('button', { name: 'Renew 3 domains' }).click()
      await page.getByText('Done for 3 domains').waitFor()
      await look(page, 'domains-done')
      await page.getByRole('link', { name: 'Back to your domains' }).click()
      await page.getByText(`${size}-books.com`).click()
      await page.getByLabel('With the chosen domains').selectOption('list_for_sale')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Price, in USD, of each').fill('1,250')
      await page.getByRole('button', { name: 'See what would happen' }).click()
      await page.getByRole('button', { name: 'Offer 1 domain' }).click()
      await page.getByText('Done for 1 domain').waitFor()
      await page.goto(`${service.baseUrl}/d/${size}-books.com`)
      await page.getByLabel('Price').getByText('$1,250.00').waitFor()
      await page.goto(`${service.baseUrl}/account/domains/${size}-books.com`)
      await page.getByLabel('Description').fill('A name for books.')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').waitFor()
      await look(page, 'account-domain')
      for (const path of ['purchases', 'renewals', 'payment-method', 'access', 'security']) {
        await page.goto(`${service.baseUrl}/account/${path}`)
        await look(page, `account-${path}`)
      }
      await page.goto(`${service.baseUrl}/d/google.com`)
      const isFree = (await page.getByRole('link', { name: 'Make an offer' }).count()) === 0
      await page.goto(`${service.baseUrl}/d/${isFree ? 'github' : 'google'}.com/offer`)
      await page.getByLabel('The most that you would pay, in USD').fill('5,000')
      await look(page, 'offer')
      await page.getByRole('button', { name: /^Ask for / }).click()
      await page.waitForURL(/\/case\//)
      await page.goto(`${service.baseUrl}/account/offers`)
      await page.getByText('$5,000.00').waitFor()
      await look(page, 'account-offers')
      expect(problems).toEqual([])
    }, 180_000)
  })

  test('an owner without scripts looks before anything is changed, and sees no button that is dead', async () => {
    await makeUser(service, 'plain@example.com', ['plain-garden.com'])
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${service.baseUrl}/sign-in?next=/account`)
    await page.getByLabel('E-mail address').fill('plain@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Your domains' }).waitFor()
    expect(await page.getByText('Choose all here').isVisible()).toBe(false)
    await page.getByText('plain-garden.com').click()
    await page.getByLabel('With the chosen domains').selectOption('renew')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Renew 1 domain' }).waitFor()
    const one = await page.getByText(/^\$/).first().textContent()
    await page.getByLabel('Years').fill('9')
    await page.getByLabel('Years').press('Enter')
    await page.locator('[name=years][value="9"]').waitFor()
    await page.getByRole('button', { name: 'Renew 1 domain' }).waitFor()
    expect(await page.getByText(/^\$/).first().textContent()).not.toBe(one)
    await context.close()
  }, 60_000)

  test.each([
    '/',
    '/search?q=coffee',
    '/browse',
    '/d/google.com',
    '/d/petpantry.example',
    '/tlds',
    '/tlds/com',
    '/whois',
    '/about',
    '/sign-in',
    '/docs',
    '/docs/guides/signing',
    '/docs/reference/events',
    '/docs/reference/orders',
  ])(
    'a first visit of %s weighs little',
    async (path) => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const session = await context.newCDPSession(page)
      await session.send('Network.enable')
      let bytes = 0
      session.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.goto(service.baseUrl + path, { waitUntil: 'networkidle' })
      expect(bytes).toBeGreaterThan(1_000)
      expect(bytes).toBeLessThan(MAX_FIRST_VISIT)
      await context.close()
    },
    60_000,
  )
})
