import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { must } from '../support/market.ts'
import { negotiable } from '../support/offers.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { width: 390, height: 844 }
/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS

describe.skipIf(!HAS_BROWSER).each(['light', 'dark'] as const)(
  'an offer in a real browser, on a phone, %s',
  (colorScheme) => {
    let service: TestService
    let browser: Browser
    beforeAll(async () => {
      service = await startService()
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await service?.stop()
    })

    async function look(page: Page, name: string) {
      if (PICTURES) {
        const path = `${PICTURES}/offer-${name}-${colorScheme}.png`
        await page.screenshot({ path, fullPage: true })
      }
      expect(await accessibilityProblems(page), name).toEqual([])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect(wide, `${name} is no wider than the phone`).toBeLessThanOrEqual(PHONE.width)
    }

    test('from the form to the checkout, by way of a counter-offer', async () => {
      const domain = await negotiable(service, { environment: 'live', tld: 'com' })
      const context = await browser.newContext({ viewport: PHONE, colorScheme })
      const page = await context.newPage()
      await page.goto(`${service.baseUrl}/d/${domain}`)
      await page.getByRole('link', { name: 'Make an offer' }).click()
      await look(page, '1-form')
      await page.fill('input[name=amount]', '50')
      await page.fill('input[name=email]', 'phone@offers.example')
      await page.fill('textarea[name=message]', 'For a shop.')
      await page.click('button:text-is("Send the offer")')
      await look(page, '2-waiting')
      const { offers } = must(await service.admin('GET', '/offers?environment=live'), 200).body
      const path = `/offers/${offers[0].offer_id}/counter`
      must(await service.admin('POST', path, { amount_cents: 7_000, message: 'Seventy.' }), 200)
      await page.reload()
      await look(page, '3-countered')
      await page.click('button:text-is("Accept $70.00")')
      await look(page, '4-accepted')
      await page.getByRole('link', { name: 'Go to the checkout' }).click()
      expect(await page.textContent('main')).toContain('$70.00')
      await context.close()
    }, 60_000)
  },
)
