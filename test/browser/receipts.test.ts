import { existsSync, mkdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { Buyer } from '../support/buyer.ts'
import { must, operate } from '../support/market.ts'
import { makeUser, PASSWORD } from '../support/oauth.ts'
import { readerOf } from '../support/reader.ts'
import { registered } from '../support/registered.ts'
import { startService, type TestService } from '../support/service.ts'

/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS
const MAX_PAGE = 60_000

describe.skipIf(!HAS_BROWSER)('receipts and records in a real browser', () => {
  let service: TestService
  let browser: Browser
  let receiptId = ''
  beforeAll(async () => {
    if (PICTURES && !existsSync(PICTURES)) mkdirSync(PICTURES, { recursive: true })
    service = await startService({ settings: { dnsServers: ['127.0.0.1:9'] } })
    const email = 'seller@example.com'
    await makeUser(service, email, ['sold-one.com', 'still-for-sale.com'])
    const { token } = must(await service.admin('POST', '/user-tokens', { email }), 201).body
    const listing = {
      domains: ['sold-one.com', 'still-for-sale.com'],
      params: { price_cents: 129_500 },
    }
    const reader = readerOf(() => service, token)
    must(await reader.post('/api/domains/bulk/list_for_sale', listing), 200)
    const buyer = new Buyer(service)
    await buyer.pay('/d/sold-one.com')
    await operate(service, buyer.publicId ?? '', 'start', 'complete')
    const row = await service.app.db
      .selectFrom('delivery_receipts')
      .select('receipt_id')
      .executeTakeFirstOrThrow()
    receiptId = row.receipt_id
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test.each([
    ['phone', { width: 390, height: 844 }, 'light'],
    ['desktop', { width: 1280, height: 800 }, 'dark'],
  ] as const)('%s: can be read by everybody, and fit', async (size, viewport, colorScheme) => {
    vi.spyOn(service.app.registry, 'lookup').mockResolvedValue(registered())
    vi.spyOn(service.app.dns, 'txt').mockResolvedValue([
      'v=FORSALE1;furi=https://owner.example/a-page-with-a-long-address/that-has-to-break-somewhere',
      'v=FORSALE1;fval=USD4500',
    ])
    const context = await browser.newContext({ viewport, colorScheme })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const look = async (path: string, name: string) => {
      const response = await page.goto(service.baseUrl + path)
      expect(response?.status(), path).toBe(200)
      expect((await page.content()).length, path).toBeLessThan(MAX_PAGE)
      if (PICTURES) {
        const file = `${PICTURES}/${name}-${size}-${colorScheme}.png`
        await page.screenshot({ path: file, fullPage: true })
      }
      expect(await accessibilityProblems(page), name).toEqual([])
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow, name).toBe(0)
    }
    await look(`/receipts/${receiptId}`, 'receipt')
    await look('/whois?domain=owned.com', 'whois')
    await look('/search?q=owned.com', 'search')
    await page.goto(`${service.baseUrl}/sign-in`)
    await page.fill('input[name=email]', 'seller@example.com')
    await page.fill('input[name=password]', PASSWORD)
    await page.click('main button[type=submit]')
    await page.waitForURL(/account|\/$/)
    await look('/account/sales', 'sales')
    await look('/account/claims', 'claims')
    await look('/account', 'domains')
    await page.click('summary:has-text("Say in DNS")')
    if (PICTURES) {
      const path = `${PICTURES}/records-${size}-${colorScheme}.png`
      await page.screenshot({ path, fullPage: true })
    }
    expect(await accessibilityProblems(page)).toEqual([])
    await context.close()
  })
})
