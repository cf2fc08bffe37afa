import { existsSync, mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizeUrl, exchange, makeUser, PASSWORD, pkce, registerApp } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

/** Debian's; without it these tests are left out. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const SHOTS = process.env.SCREENSHOTS

let service: TestService
let browser: Browser
let app: Server
let callback: string

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
}

/** As long as an address may well be: it breaks, and the page is as wide as before. */
const ANN = 'annofthepurchasingdepartment@longname.example'

describe.skipIf(!existsSync(CHROMIUM))('in a browser', () => {
  beforeAll(async () => {
    if (SHOTS) mkdirSync(SHOTS, { recursive: true })
    service = await startService()
    await makeUser(service, ANN, ['petpantry.com', 'toolshed.net'])
    // The app sends on once more after its callback, as apps do.
    app = createServer((request, response) => {
      if (request.url?.startsWith('/callback')) {
        response.writeHead(302, { location: `/done${request.url.slice('/callback'.length)}` }).end()
      } else response.end('<h1>Back in the app</h1>')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => app.once('listening', resolve))
    callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    app.close()
    await service.stop()
  })

  test.each(['light', 'dark'] as const)(
    'a user lets an app in, in %s',
    async (colorScheme) => {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 900, height: 760 },
      })
      const page = await context.newPage()
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text())
      })
      const { body } = await registerApp(service, {
        redirect_uris: ['http://127.0.0.1/callback'],
        client_name: 'Name Scout',
      })
      const { verifier, challenge } = pkce()
      const url = authorizeUrl({
        response_type: 'code',
        client_id: body.client_id,
        redirect_uri: callback,
        code_challenge: challenge,
        state: 'kept',
      })
      await page.goto(`${service.baseUrl}${url}`)
      await shoot(page, `sign-in-${colorScheme}`)
      await page.getByLabel('E-mail address').fill(ANN)
      await page.getByLabel('Password').fill('wrong password')
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect(await page.getByRole('alert').textContent()).toContain(
        'The address or the password is wrong.',
      )
      await shoot(page, `sign-in-refused-${colorScheme}`)
      problems.length = 0
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Allow Name Scout?' }).waitFor()
      expect(await page.getByText('127.0.0.1').count()).toBeGreaterThan(0)
      await shoot(page, `consent-${colorScheme}`)
      await page.setViewportSize({ width: 390, height: 760 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      await page.setViewportSize({ width: 900, height: 760 })
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('Back in the app').waitFor()
      const response = new URL(page.url()).searchParams
      expect(response.get('state')).toBe('kept')
      const tokens = await exchange(service, {
        clientId: body.client_id,
        code: response.get('code') ?? '',
        verifier,
        redirectUri: callback,
      })
      expect(tokens.status).toBe(200)
      await page.goto(`${service.baseUrl}/account/access`)
      expect(await page.getByText('Name Scout').count()).toBeGreaterThan(0)
      await shoot(page, `account-${colorScheme}`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      // Whatever a policy blocks, or a style sheet that is missing, is told in the console.
      expect(problems).toEqual([])
      await context.close()
    },
    60_000,
  )

  test('a person signs up, and their password is reset by mail', async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 760 } })
    await page.goto(`${service.baseUrl}/sign-up`)
    await shoot(page, 'sign-up-small')
    await page.getByLabel('E-mail address').fill('new@example.com')
    await page.getByLabel('Password').fill('first password')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Your domains' }).waitFor()
    await shoot(page, 'account-small')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('E-mail address').fill('new@example.com')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor()
    const { mails } = (await service.admin('GET', '/mails?to=new@example.com')).body
    const link = /\/reset-password\?token=\S+/.exec(mails[0].text)?.[0]
    await page.goto(`${service.baseUrl}${link}`)
    await page.getByLabel('New password').fill('second password')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('heading', { name: 'Your domains' }).waitFor()
    await page.close()
  }, 60_000)
})
