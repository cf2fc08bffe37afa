import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { type FullMarket, fillMarket } from '../support/full-market.ts'
import { PASSWORD } from '../support/oauth.ts'
import { Operator } from '../support/operator.ts'
import { startService, type TestService } from '../support/service.ts'

/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } }
/** As long as an address may well be: it breaks, and the page is as wide as before. */
const MEMBER = 'annofthepurchasingdepartment@longname.example'
/** In pixels: two lines of text on a phone. */
const TALLEST_BUTTON = 80

/** Every page of the portal, the console and the account, each with much on it. */
const PORTAL = [
  '',
  '/orders',
  '/orders/{failed}',
  '/orders/{under}',
  '/orders/{done}',
  '/quotes',
  '/offers',
  '/offers?view=all',
  '/checkout-sessions',
  '/checkout-sessions/{session}',
  '/cases',
  '/cases/new',
  '/cases/{case}',
  '/links',
  '/links/{link}',
  '/members',
  '/transactions',
  '/settlements',
  '/settlements/{settlement}',
  '/payouts',
  '/payee',
  '/credentials',
  '/delivery',
  '/webhook',
  '/deliveries',
  '/events',
  '/events/{event}',
  '/requests',
  '/signature',
  '/sandbox',
]
const CONSOLE = [
  '',
  '/search?q=petals.test',
  '/review',
  '/transfers',
  '/transfers?view=started',
  '/orders',
  '/orders/{held}',
  '/orders/{failed}',
  '/orders/{hosted}',
  '/cases',
  '/cases/list',
  '/cases/{case}',
  '/offers?view=all',
  '/offers/{offer}',
  '/settlements',
  '/settlements/{settlement}',
  '/payments?view=all',
  '/invoices',
  '/disputes',
  '/payouts',
  '/partners',
  '/partners/{partner}',
  '/live-requests',
  '/webhooks',
  '/listings',
  '/imports',
  '/prices',
  '/registrars',
  '/users',
  '/users/{user}',
  '/mails',
  '/jobs',
  '/audit',
]
const ACCOUNT = [
  '',
  '/domains/petalshop.com',
  '/claims',
  '/sell',
  '/purchases',
  '/sales',
  '/renewals',
  '/offers',
  '/payment-method',
  '/access',
  '/security',
  '/second-factor',
  '/payee',
]

describe.skipIf(!HAS_BROWSER)('every page of a full marketplace', () => {
  let service: TestService
  let browser: Browser
  let market: FullMarket
  let operator: Operator
  beforeAll(async () => {
    if (PICTURES) mkdirSync(PICTURES, { recursive: true })
    service = await startService()
    market = await fillMarket(service, MEMBER)
    operator = await Operator.enter(service)
    browser = await openBrowser()
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  const withIds = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, what: string) => market.ids[what] ?? `no-${what}`)

  async function signIn(email: string, size: keyof typeof SIZES, colorScheme: 'light' | 'dark') {
    const context = await browser.newContext({ viewport: SIZES[size], colorScheme })
    const page = await context.newPage()
    await page.goto(`${service.baseUrl}/sign-in`)
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', PASSWORD)
    await page.click('button:has-text("Sign in")')
    await page.waitForURL(/\/account/)
    return { context, page }
  }

  async function walk(page: Page, name: string, paths: string[], width: number) {
    const problems: Record<string, unknown> = {}
    for (const path of paths) {
      const response = await page.goto(service.baseUrl + path)
      if (PICTURES) {
        const file = `${name}${path.replace(/[^a-z0-9]+/gi, '-').replace(/_[0-9a-z]{20,}/, '')}`
        await page.screenshot({ path: `${PICTURES}/${file}.png`, fullPage: true })
      }
      const found = [
        ...(response?.status() === 200 ? [] : [`status ${response?.status()}`]),
        ...(await accessibilityProblems(page)),
        ...(await tooWide(page, width)),
      ]
      if (found.length > 0) problems[path] = found
    }
    return problems
  }

  /** What reaches past the screen, or past the panel that it is in. */
  async function tooWide(page: Page, width: number): Promise<string[]> {
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    const panels = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.panel')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.getAttribute('aria-label') + ' ' + each.scrollWidth + ' in ' + each.clientWidth)`,
    )
    const tall = await page.evaluate<number>(
      `Math.max(0, ...[...document.querySelectorAll('main button, main a.button')].map((each) => each.offsetHeight))`,
    )
    const lists = await page.locator('#list').count()
    return [
      ...(lists > 1 ? [`it has ${lists} lists to skip to`] : []),
      ...(wide > width ? [`the page is ${wide} wide`] : []),
      ...(tall > TALLEST_BUTTON ? [`a button is ${tall} tall`] : []),
      ...panels.map((text) => `a panel is too wide: ${text}`),
    ]
  }

  describe.each([
    ['phone', 'dark'],
    ['desktop', 'light'],
    ...(PICTURES
      ? ([
          ['phone', 'light'],
          ['desktop', 'dark'],
        ] as const)
      : []),
  ] as const)('on a %s, %s', (size, colorScheme) => {
    const { width } = SIZES[size]
    test('of the portal and the account', async () => {
      const { context, page } = await signIn(MEMBER, size, colorScheme)
      const paths = [
        ...PORTAL.map((path) => `/partner/sandbox${withIds(path)}`),
        '/partner/live',
        '/partner/live-access',
        ...ACCOUNT.map((path) => `/account${path}`),
      ]
      expect(await walk(page, `${size}-${colorScheme}`, paths, width)).toEqual({})
      await context.close()
    }, 600_000)

    test('of the console', async () => {
      const { context, page } = await signIn(operator.email, size, colorScheme)
      const paths = CONSOLE.map((path) => {
        const mark = path.includes('?') ? '&' : '?'
        return `/operator${withIds(path)}${mark}environment=sandbox`
      })
      expect(await walk(page, `${size}-${colorScheme}`, paths, width)).toEqual({})
      await context.close()
    }, 600_000)
  })
})
