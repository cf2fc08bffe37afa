import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/core/settings.ts'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { freshName, must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS
const SIZES = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
}

const LOGO = join(mkdtempSync(join(tmpdir(), 'logo-')), 'logo.svg')
writeFileSync(
  LOGO,
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path d="M32 4 58 18v28L32 60 6 46V18Z" fill="#767676"/></svg>',
)

describe.skipIf(!HAS_BROWSER)('a brand in a real browser', () => {
  let service: TestService
  let browser: Browser
  let checkout: string
  beforeAll(async () => {
    if (PICTURES && !existsSync(PICTURES)) mkdirSync(PICTURES, { recursive: true })
    // Of all colors that are taken, the lightest grey has the least contrast.
    const { brand, platform } = readSettings({
      BRAND_NAME: 'Harbour Names',
      BRAND_LOGO: LOGO,
      BRAND_COLOR: '#767676',
      SUPPORT_EMAIL: 'help@harbour.example',
      PLATFORM_NAME: 'Harbour GmbH',
      PLATFORM_ADDRESS: 'Kai 4, 20457 Hamburg',
    })
    service = await startService({ settings: { brand, platform } })
    const partner = await service.partner()
    must(
      await service.admin('PUT', `/partners/${partner.partner_id}/brand`, {
        name: 'Pet Names',
        color: '#000080',
      }),
      200,
    )
    const domain = await freshName(service)
    const { body } = must(await partner.post('/checkout-session', { domain }), 201)
    checkout = body.checkout_url.replace('http://localhost:3000', '')
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test.each([
    ['phone', 'light'],
    ['phone', 'dark'],
    ['desktop', 'light'],
    ['desktop', 'dark'],
  ] as const)(
    'can be read by all on a %s, %s',
    async (size, colorScheme) => {
      const context = await browser.newContext({ viewport: SIZES[size], colorScheme })
      const page = await context.newPage()
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text())
      })
      for (const path of ['/', '/about', '/contact', '/terms', '/privacy', '/sign-in', checkout]) {
        await page.goto(service.baseUrl + path)
        const name = path.replace(/^\/|\?.*/g, '') || 'home'
        if (PICTURES) {
          const file = `${PICTURES}/brand-${name}-${size}-${colorScheme}.png`
          await page.screenshot({ path: file, fullPage: true })
        }
        expect(await accessibilityProblems(page), name).toEqual([])
        const wide = await page.evaluate('document.documentElement.scrollWidth')
        expect(wide, `${name} is no wider than the screen`).toBeLessThanOrEqual(SIZES[size].width)
      }
      expect(problems).toEqual([])
      await context.close()
    },
    120_000,
  )

  test('shows its logo at once', async () => {
    const page = await browser.newPage()
    await page.goto(service.baseUrl)
    const width = await page.evaluate('document.querySelector("img.logo").naturalWidth')
    expect(width).toBeGreaterThan(0)
    await page.close()
  })
})
