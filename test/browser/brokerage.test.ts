import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caseBody } from '../support/brokerage.ts'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import type { PartnerClient } from '../support/client.ts'
import { must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const PHONE = { width: 390, height: 844 }
/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS

describe.skipIf(!HAS_BROWSER).each(['light', 'dark'] as const)(
  'the progress page in a real browser, on a phone, %s',
  (colorScheme) => {
    let service: TestService
    let client: PartnerClient
    let browser: Browser
    beforeAll(async () => {
      service = await startService()
      client = await service.partner()
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await service?.stop()
    })

    async function look(page: Page, name: string) {
      if (PICTURES) {
        await page.screenshot({
          path: `${PICTURES}/case-${name}-${colorScheme}.png`,
          fullPage: true,
        })
      }
      expect(await accessibilityProblems(page), name).toEqual([])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect(wide, `${name} is no wider than the phone`).toBeLessThanOrEqual(PHONE.width)
    }

    test('from the link to the deal, by way of a counter-offer', async () => {
      const domain = `moonlit-harbour-bakery-and-tea-${colorScheme}.example`
      const made = must(await client.post('/brokerage', caseBody({ domain })), 201).body
      const play = async (move: string, body: object = {}) =>
        must(
          await client.post(`/sandbox/brokerage/${made.case_id}/${move}`, body),
          move === 'offers' ? 201 : 200,
        ).body
      const path = service.baseUrl + new URL(made.progress_url).pathname

      const context = await browser.newContext({ viewport: PHONE, colorScheme })
      const page = await context.newPage()
      const foreign: string[] = []
      page.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(service.baseUrl) && !url.startsWith('data:')) foreign.push(url)
      })
      await page.goto(path)
      await look(page, '1-open')

      await play('source')
      await play('contact')
      await play('offers', { made_by: 'owner', price_cents: 620_000, message: 'It is dear to me.' })
      await page.reload()
      await look(page, '2-owner-asks')
      // Above the budget: the browser wants the box ticked.
      await page.click('text=Accept $6,200.00')
      expect(page.url()).toBe(path)

      await page.click('summary:has-text("counter-offer")')
      await page.fill('form[action$="/offer"] [name=amount]', '5,500')
      await page.fill('[name=message]', 'Could you meet me halfway?')
      await page.click('text=Send the offer')
      expect(await page.textContent('[role=alert]')).toContain('above your budget of $5,000.00')
      expect(await page.inputValue('[name=message]')).toBe('Could you meet me halfway?')
      await look(page, '3-above-budget')
      await page.check('form[action$="/offer"] [name=consent]')
      await page.click('text=Send the offer')
      expect(page.url()).toBe(path)
      expect(await page.textContent('[role=status].good')).toBe('Your offer is on its way.')
      await look(page, '4-countered')

      await play('offers', { made_by: 'owner', price_cents: 490_000, message: 'My last word.' })
      await page.reload()
      await page.click('text=Accept $4,900.00')
      expect(await page.textContent('main')).toContain('You have a deal for $4,900.00.')
      await look(page, '5-agreed')

      expect(await play('complete')).toMatchObject({ status: 'completed', price_cents: 490_000 })
      await page.reload()
      expect(await page.textContent('main')).toContain('The deal is done, for $4,900.00.')
      await look(page, '6-completed')
      await page.goto(`${path}0`)
      expect(await page.textContent('main')).toContain('This link is invalid or has expired.')
      await look(page, '7-no-link')
      expect(foreign).toEqual([])
    })
  },
)
