import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveCase, openCase } from '../support/brokerage.ts'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must, offer, operate } from '../support/market.ts'
import { PASSWORD } from '../support/oauth.ts'
import { makeOffer } from '../support/offers.ts'
import { Operator } from '../support/operator.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS
const PHONE = { name: 'phone', width: 390, height: 844 }
const TABLET = { name: 'tablet', width: 800, height: 1000 }
const DESKTOP = { name: 'desktop', width: 1280, height: 800 }
const SCREENS = [
  { ...PHONE, colorScheme: 'dark' as const },
  { ...TABLET, colorScheme: 'light' as const },
  { ...DESKTOP, colorScheme: 'light' as const },
  ...(PICTURES
    ? [
        { ...PHONE, colorScheme: 'light' as const },
        { ...DESKTOP, colorScheme: 'dark' as const },
      ]
    : []),
]
type Screen = (typeof SCREENS)[number]

describe.skipIf(!HAS_BROWSER)('the console in a real browser', () => {
  let service: TestService
  let partner: PartnerClient
  let operator: Operator
  let browser: Browser
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    service = await startService({
      settings: { review: { overCents: 500_000, firstLiveOrders: 0 } },
    })
    partner = await service.partner({ environment: 'live', affiliate: true })
    operator = await Operator.enter(service)
    await fillMarket()
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** Something of everything, so that no page is empty. */
  async function fillMarket() {
    await offer(service, 'live', [`${'long'.repeat(15)}.example.test`], 900_000)
    await offer(service, 'live', ['harbour-lights.test', 'big-brand-name.test'], 900_000)
    ids.held = (await sold(partner, 'harbour-lights.test')).public_id
    await sold(partner, 'big-brand-name.test')
    const waiting = await sold(partner, await freshName(service, 'live'))
    ids.order = waiting.public_id
    const started = await sold(partner, await freshName(service, 'live'))
    await operate(service, started.public_id, 'start', 'action-required')
    for (let count = 0; count < 3; count++) {
      const { public_id } = await sold(partner, await freshName(service, 'live'))
      await operate(service, public_id, 'start', 'complete')
    }
    must(await service.admin('POST', '/settlement-runs', { environment: 'live' }), 201)
    const { public_id } = await sold(partner, await freshName(service, 'live'))
    await operate(service, public_id, 'start', 'complete')
    const own = await openCase(partner, { domain: 'moonlit-harbour-bakery-and-tea.example' })
    ids.case = own.case_id
    await moveCase(service, own.case_id, 'source', 'contact')
    await openCase(partner)
    const third = await openCase(partner)
    await moveCase(service, third.case_id, 'source')
    must(
      await partner.put('/api/partner/webhooks', {
        url: 'https://hooks.partner.example/events',
        secret: '0123456789abcdef0123456789abcdef',
      }),
      200,
    )
    await service.app.db
      .insertInto('sale_days')
      .values({
        partner_id: partner.partner_id,
        environment: 'live',
        date: service.clock.now().toISOString().slice(0, 10),
        payment_model: 'hosted_checkout',
        status: 'SETTLED',
        currency: 'EUR',
        count: 2,
        gmv_cents: 125_000_000,
        commission_cents: 0,
      })
      .execute()
    const wanted = await freshName(service, 'live')
    ids.offer = (await makeOffer(partner, wanted, 100, { message: 'For a shop.' })).offer_id
    ids.partner = partner.partner_id
    ids.user = operator.userId
  }

  async function open(path: string, screen: Screen, options: BrowserContextOptions = {}) {
    const { width, height, colorScheme } = screen
    const viewport = { width, height }
    const context = await browser.newContext({ viewport, colorScheme, ...options })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(service.baseUrl) && !url.startsWith('data:')) problems.push(url)
    })
    await page.goto(`${service.baseUrl}/sign-in?next=${encodeURIComponent(path)}`)
    await page.fill('[name=email]', operator.email)
    await page.fill('[name=password]', PASSWORD)
    await page.click('button:has-text("Sign in")')
    await page.waitForURL(service.baseUrl + path)
    return { context, page, problems }
  }

  async function look(page: Page, name: string, screen: Screen) {
    if (PICTURES) {
      const path = `${PICTURES}/console-${name}-${screen.name}-${screen.colorScheme}.png`
      await page.screenshot({ path, fullPage: true })
    }
    expect(await accessibilityProblems(page), name).toEqual([])
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    expect(wide, `${name} is no wider than the screen`).toBeLessThanOrEqual(screen.width)
    const scrolled = await page.evaluate(
      `[...document.querySelectorAll('.panel')].filter((each) => each.scrollWidth > each.clientWidth).length`,
    )
    expect(scrolled, `${name} has no table that is wider than its panel`).toBe(0)
    expect(await page.locator('h1').count(), name).toBe(1)
  }

  /** What stands at a move that nothing takes back: an order under way, one that is held, a case. */
  async function readyToMove() {
    const name = await freshName(service, 'live')
    const started = await sold(partner, name)
    await operate(service, started.public_id, 'start')
    const dear = `dear-${name}`
    await offer(service, 'live', [dear], 900_000)
    const held = await sold(partner, dear)
    const { case_id } = await openCase(partner)
    await moveCase(service, case_id, 'source', 'contact', 'negotiate', 'agree')
    const statusOf = async (path: string) => must(await service.admin('GET', path), 200).body
    return {
      started: `/operator/orders/${started.public_id}`,
      held: `/operator/orders/${held.public_id}`,
      agreed: `/operator/cases/${case_id}`,
      stands: async () => {
        expect(await statusOf(`/orders/${started.public_id}`)).toMatchObject({
          status: 'TRANSFER_IN_PROGRESS',
        })
        expect(await statusOf(`/orders/${held.public_id}`)).toMatchObject({ held: true })
        expect(await statusOf(`/brokerage/${case_id}`)).toMatchObject({ status: 'agreed' })
      },
    }
  }

  test('Enter in a field moves nothing, also without scripts', async () => {
    const { started, held, agreed, stands } = await readyToMove()
    const [screen] = SCREENS as [Screen]
    for (const javaScriptEnabled of [false, true]) {
      const { context, page } = await open('/operator', screen, { javaScriptEnabled })
      const fields = [
        [started, '[name=reason]'],
        [held, '[name=reason]'],
        [agreed, '[name=note]'],
        [agreed, '[name=price_amount]'],
        [agreed, '[name=buyer_consented]'],
      ] as const
      for (const [path, field] of fields) {
        await page.goto(service.baseUrl + path)
        await page.locator(field).first().press('Enter')
        await page.waitForTimeout(300)
        expect(await page.locator('.notice').count(), `${path} ${field}`).toBe(0)
      }
      await stands()
      await context.close()
    }
  }, 60_000)

  test('its whole menu is reached by scrolling the page, and cards have one left edge', async () => {
    const low = { ...DESKTOP, height: 600, colorScheme: 'light' } as const
    for (const screen of [low, { ...DESKTOP, colorScheme: 'light' } as const]) {
      const { context, page } = await open('/operator/orders', screen)
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      const bottom = `document.querySelector('.side > :last-child').getBoundingClientRect().bottom`
      expect(await page.evaluate(bottom)).toBeLessThanOrEqual(screen.height)
      const menu = `document.querySelector('.side')`
      expect(await page.evaluate(`${menu}.scrollHeight - ${menu}.clientHeight`)).toBe(0)
      await context.close()
    }
    const { context, page } = await open('/operator/orders', SCREENS[0] as Screen)
    const edges = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.rows td')].map((cell) => getComputedStyle(cell).paddingLeft)`,
    )
    expect(new Set(edges)).toEqual(new Set(['0px']))
    const header = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.top nav a')].map((link) => link.offsetTop)`,
    )
    expect(new Set(header).size, 'lines of the header’s links').toBe(1)
    await context.close()
  }, 60_000)

  test('what nothing takes back is asked first', async () => {
    const { started, held, agreed, stands } = await readyToMove()
    const { context, page } = await open('/operator', { ...DESKTOP, colorScheme: 'light' })
    const questions: string[] = []
    page.on('dialog', async (dialog) => {
      questions.push(dialog.message())
      await dialog.dismiss()
    })
    const presses = [
      [started, 'Mark as delivered'],
      [held, 'Approve'],
      [held, 'Start transfer'],
      ['/operator/transfers', 'Start transfer'],
      ['/operator/review', 'Approve'],
      ['/operator/transfers?view=started', 'Delivered'],
      [agreed, 'Complete deal'],
      [agreed, 'Deal fell through'],
      [agreed, 'End case'],
    ] as const
    for (const [path, label] of presses) {
      await page.goto(service.baseUrl + path)
      await page.locator(`button:text-is("${label}")`).first().click()
    }
    expect(questions).toHaveLength(presses.length)
    expect(questions[0]).toMatch(/^Was \S+ delivered\?/)
    await stands()
    await context.close()
  }, 60_000)

  const PAGES: [name: string, path: () => string][] = [
    ['home', () => '/operator'],
    ['home-euros', () => '/operator?currency=EUR'],
    ['review', () => '/operator/review'],
    ['transfers', () => '/operator/transfers'],
    ['transfers-started', () => '/operator/transfers?view=started'],
    ['orders', () => '/operator/orders'],
    ['order', () => `/operator/orders/${ids.order}`],
    ['cases', () => '/operator/cases'],
    ['cases-list', () => '/operator/cases/list'],
    ['case', () => `/operator/cases/${ids.case}`],
    ['offers', () => '/operator/offers?view=all'],
    ['offer', () => `/operator/offers/${ids.offer}`],
    ['settlements', () => '/operator/settlements'],
    ['payments', () => '/operator/payments?view=all'],
    ['disputes', () => '/operator/disputes'],
    ['payouts', () => '/operator/payouts'],
    ['partners', () => '/operator/partners'],
    ['partner', () => `/operator/partners/${ids.partner}`],
    ['live-requests', () => '/operator/live-requests'],
    ['webhooks', () => '/operator/webhooks'],
    ['listings', () => '/operator/listings'],
    ['imports', () => '/operator/imports'],
    ['prices', () => '/operator/prices'],
    ['users', () => '/operator/users'],
    ['user', () => `/operator/users/${ids.user}`],
    ['mails', () => '/operator/mails'],
    ['jobs', () => '/operator/jobs'],
    ['audit', () => '/operator/audit'],
  ]

  test.each(SCREENS)(
    'every page on a $name, $colorScheme',
    async (screen) => {
      const { context, page, problems } = await open('/operator', screen)
      for (const [name, path] of PAGES) {
        await page.goto(service.baseUrl + path())
        await look(page, name, screen)
      }
      expect(problems).toEqual([])
      await context.close()
    },
    180_000,
  )
})
