import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caseBody } from '../support/brokerage.ts'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { PartnerClient } from '../support/client.ts'
import { must } from '../support/market.ts'
import { makeUser, PASSWORD } from '../support/oauth.ts'
import { closeReceivers, type Receiver, startReceiver } from '../support/receiver.ts'
import { sold } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

/** Where to leave pictures for a person to look at; none by default. */
const PICTURES = process.env.SCREENSHOTS
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } }

describe.skipIf(!HAS_BROWSER).each([
  ['phone', 'light'],
  ['desktop', 'dark'],
  ...(PICTURES
    ? ([
        ['phone', 'dark'],
        ['desktop', 'light'],
      ] as const)
    : []),
] as const)('the partner portal in a real browser, on a %s, %s', (size, colorScheme) => {
  let service: TestService
  let browser: Browser
  let receiver: Receiver
  beforeAll(async () => {
    if (PICTURES) mkdirSync(PICTURES, { recursive: true })
    service = await startService()
    await makeUser(service, 'ann@example.com')
    browser = await openBrowser()
    receiver = await startReceiver((response) =>
      response.end(`{"received": true, "by": "${'orders of the bakery, '.repeat(9)}"}`),
    )
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
    closeReceivers()
  })

  test('from the account to the first sale, its events, and a rejected request', async () => {
    const context = await browser.newContext({ viewport: SIZES[size], colorScheme })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('dialog', (dialog) => void dialog.accept())
    const look = async (name: string) => await lookAt(page, `${name}-${size}-${colorScheme}`, size)
    const go = async (path: string, name: string) => {
      await page.goto(`${service.baseUrl}/partner${path}`)
      await look(name)
    }

    await page.goto(`${service.baseUrl}/partner`)
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Become a partner' }).waitFor()
    await look('01-start')
    await page.getByLabel('Company or project').fill('Harbour Bakery Supplies')
    await page.getByRole('button', { name: 'Get my sandbox credential' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await look('02-secret')
    const copy = async (id: string) => (await page.locator(`#${id}`).textContent()) ?? ''
    const client = new PartnerClient(service.baseUrl, service.clock.now, {
      key_id: await copy('key-id'),
      secret: await copy('secret'),
      partner_id: '',
    })

    await go('/sandbox', '03-overview-empty')
    await go('/sandbox/webhook', '04-webhook-empty')
    await page.getByLabel('Address').fill('https://192.168.0.1/hook')
    await page.getByRole('button', { name: 'Register it' }).click()
    await page.getByText('must not point to an address that is not public').first().waitFor()
    await look('05-webhook-refused')
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByRole('button', { name: 'Register it' }).click()
    await page.getByText('The endpoint is registered and on.').waitFor()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('A test event is on its way.').waitFor()
    await receiver.until(1, 20_000)

    const order = await sold(client, 'petpantry.test')
    await sold(client, 'lawyerdirectory.test')
    must(await client.post('/brokerage', caseBody({ domain: 'moonlit-harbour.example' })), 201)
    must(await client.post('/quotes', { domain: 'manual-review.test' }), 201)
    must(await client.post('/checkout-session', { domain: 'backupvault.example' }), 201)
    must(await client.get('/orders/ord_nothing'), 404)
    const wrong = { canonical: (text: string) => text.toLowerCase() }
    must(await client.get('/orders?limit=10&status=PAID', wrong), 401)

    await go('/sandbox/sandbox', '06-sandbox')
    await page.getByRole('button', { name: 'Start transfer' }).first().click()
    await page.getByText('is transfer in progress.').waitFor()
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByText('is transfer completed.').waitFor()
    await go('/sandbox', '07-overview')
    await go('/sandbox/orders', '08-orders')
    await page.getByRole('link', { name: order.domain }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await look('09-order')
    await go('/sandbox/quotes', '10-quotes')
    await go('/sandbox/checkout-sessions', '11-checkout-sessions')
    await go('/sandbox/cases/new', '12-case-new')
    await page.getByRole('textbox', { name: /^Domain/ }).fill('moonlit-harbour.example')
    await page.getByLabel('e-mail address').fill('buyer@example.com')
    await page.getByLabel('Budget').fill('5,000')
    await page.getByRole('button', { name: 'Open the case' }).click()
    await page.getByText('is in a running case already').first().waitFor()
    await look('12-case-refused')
    await go('/sandbox/cases', '12-cases')
    await page.getByRole('link', { name: 'moonlit-harbour.example' }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await look('13-case')
    await go('/sandbox/links', '14-links')
    await page.getByText('Create a link').click()
    await page.getByLabel('Label').fill('Newsletter in May')
    await page.getByRole('button', { name: 'Create the link' }).click()
    await page.getByText('The link is ready.').waitFor()
    await look('15-links')
    await go('/sandbox/transactions', '16-transactions')
    await go('/sandbox/settlements', '17-settlements')
    await page.getByRole('link', { name: '– now' }).click()
    await page.getByRole('heading', { name: 'Statement' }).waitFor()
    await look('18-settlement')
    await go('/sandbox/payouts', '19-payouts')
    await go('/sandbox/credentials', '20-credentials')

    await go('/sandbox/events', '21-events')
    await page.getByRole('link', { name: 'order.recorded' }).first().click()
    await page.getByRole('heading', { name: 'Body' }).waitFor()
    await look('22-event')
    await page.getByRole('button', { name: 'Send again' }).first().click()
    await page.getByText('The event is sent again.').waitFor()
    await page.goto(`${service.baseUrl}/partner/sandbox/deliveries`)
    await page.getByText('Response', { exact: true }).first().click()
    await look('23-deliveries')
    await page.goto(`${service.baseUrl}/partner/sandbox/webhook`)
    const day = service.clock.now().toISOString().slice(0, 10)
    await page.getByLabel('From', { exact: true }).fill(`${day}T00:00`)
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('The replay has begun.').waitFor()
    await look('24-replay')

    await page.waitForTimeout(1_500)
    await go('/sandbox/requests', '25-requests')
    await go('/sandbox/requests?outcome=rejected', '26-requests-rejected')
    await page.getByRole('link', { name: 'status=PAID' }).click()
    await page.getByRole('heading', { name: 'Why the signature is wrong' }).waitFor()
    await look('27-request')
    await page.getByRole('link', { name: 'Compare with what you signed' }).click()
    const canonical = (await client.get('/orders?limit=10&status=PAID', wrong)).body.error.details
      .canonical_string
    await page.getByLabel('The string that you signed').fill(canonical.toLowerCase())
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('The first difference is in line 1').waitFor()
    await look('28-signature')

    await go('/live', '29-live-empty')
    await go('/live-access', '30-live-access')
    await page
      .getByLabel('What do you sell')
      .fill('Names for bakeries, in our own shop, by credit card.')
    await page.getByRole('button', { name: 'Ask for live access' }).click()
    await page.getByText('We have your request').waitFor()
    await look('31-live-access-asked')

    await go('/sandbox/members', '32-members')
    await page.getByLabel('E-mail address').fill('bob@example.com')
    await page.getByRole('button', { name: 'Send an invitation' }).click()
    await page.getByText('An invitation to bob@example.com is on its way.').waitFor()
    await look('33-members-invited')
    const { mails } = (await service.admin('GET', '/mails?to=bob@example.com')).body
    const [link = ''] = /\/partner\/join\?token=\S+/.exec(mails[0].text) ?? []
    const others = await browser.newContext({ viewport: SIZES[size], colorScheme })
    const other = await others.newPage()
    await other.goto(service.baseUrl + link)
    await other.getByRole('link', { name: 'Create an account' }).click()
    await other.getByLabel('E-mail address').fill('bob@example.com')
    await other.getByLabel('Password').fill(PASSWORD)
    await other.getByRole('button', { name: 'Create account' }).click()
    await other.getByText('Please confirm your address').waitFor()
    await lookAt(other, `34-join-unconfirmed-${size}-${colorScheme}`, size)
    await other.goto(`${service.baseUrl}/account`)
    await lookAt(other, `34-account-unconfirmed-${size}-${colorScheme}`, size)
    await service.app.db
      .updateTable('users')
      .set({ email_confirmed_at: service.clock.now() })
      .where('email', '=', 'bob@example.com')
      .execute()
    await other.goto(service.baseUrl + link)
    await lookAt(other, `35-join-${size}-${colorScheme}`, size)
    await other.getByRole('button', { name: 'Join as bob@example.com' }).click()
    await other.getByText('You are a member of Harbour Bakery Supplies now.').waitFor()
    await others.close()
    await go('/sandbox/members', '36-members-two')

    await page.goto(`${service.baseUrl}/partner/sandbox/sandbox`)
    await page.getByRole('button', { name: 'Reset the sandbox' }).click()
    await page.getByText('Your sandbox is reset').waitFor()
    expect(problems.filter((text) => !/status of 40[049]/.test(text))).toEqual([])
    await context.close()
  }, 300_000)
})

async function lookAt(page: Page, name: string, size: keyof typeof SIZES): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true })
  expect(await accessibilityProblems(page), name).toEqual([])
  const wide = await page.evaluate('document.documentElement.scrollWidth')
  expect(wide, `${name} is no wider than the ${size}`).toBeLessThanOrEqual(SIZES[size].width)
}
