import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { makeUser, PASSWORD } from '../support/oauth.ts'
import { freePort } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const EMAIL = 'ann@example.com'

describe.skipIf(!HAS_BROWSER)('a passkey in a real browser', { timeout: 60_000 }, () => {
  let service: TestService
  let browser: Browser
  let site: string
  beforeAll(async () => {
    const port = await freePort()
    site = `http://localhost:${port}`
    service = await startService({ port, settings: { baseUrl: site } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('is added, asked for at the next sign-in, and signs in', async () => {
    await makeUser(service, EMAIL)
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    page.setDefaultTimeout(8_000)
    const authenticator = await context.newCDPSession(page)
    await authenticator.send('WebAuthn.enable')
    await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const signIn = async () => {
      await page.goto(`${site}/sign-in`)
      await page.locator('[name=email]').fill(EMAIL)
      await page.locator('[name=password]').fill(PASSWORD)
      await page.getByRole('main').getByRole('button').first().click()
    }

    await signIn()
    await page.waitForURL(`${site}/account`)
    await page.goto(`${site}/account/second-factor`)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.getByLabel('Name of the passkey').fill('This laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])

    await context.clearCookies()
    await signIn()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    expect(await accessibilityProblems(page)).toEqual([])
    // The password alone opens nothing.
    const early = await context.request.get(`${site}/account`, { maxRedirects: 0 })
    expect(early.status()).toBe(303)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(`${site}/account`)

    await page.goto(`${site}/account/second-factor`)
    expect(await page.textContent('main table')).toContain('This laptop')
  })
})
