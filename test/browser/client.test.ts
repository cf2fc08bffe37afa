import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HAS_BROWSER, openBrowser } from '../support/browser.ts'
import { installClient } from '../support/client-package.ts'
import { freshName } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

describe.skipIf(!HAS_BROWSER)('the public client in a real browser', () => {
  let service: TestService
  let browser: Browser
  let folder: string
  let site: Server
  beforeAll(async () => {
    service = await startService({ tokens: { 'good-token': 'usr_1' } })
    browser = await openBrowser()
    folder = mkdtempSync(join(tmpdir(), 'client-'))
    await installClient(folder)
    const dist = join(folder, 'node_modules/domain-marketplace-client/dist')
    // A site of somebody else's: what it asks the service for crosses origins.
    site = createServer(({ url = '/' }, response) => {
      if (url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html>')
      // A browser asks for an icon too.
      if (!url.endsWith('.js')) return response.writeHead(404).end()
      response.setHeader('content-type', 'text/javascript')
      return response.end(readFileSync(join(dist, normalize(url))))
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    site?.close()
    await service?.stop()
    rmSync(folder, { recursive: true })
  })

  test('searches, by rows too, walks listings and sends its token', async () => {
    const domain = await freshName(service, 'live')
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const script = `(async () => {
      const { PublicClient, ApiError } = await import('/public.js')
      const baseUrl = ${JSON.stringify(service.baseUrl)}
      const market = new PublicClient({ baseUrl })
      const known = new PublicClient({ baseUrl, accessToken: 'good-token' })
      const price = async (client) =>
        (await client.search({ q: '${domain}' })).results[0].listing.price_cents
      const rows = []
      for await (const row of market.searchRows({ q: '${domain}' })) rows.push(row.domain)
      const listed = []
      for await (const item of market.listings.each({ limit: 1 })) listed.push(item.domain)
      const refused = await market.search({ q: '' }).catch((error) => error)
      return {
        prices: [await price(market), await price(known)],
        rows: rows.includes('${domain}'),
        listed,
        refused: [refused instanceof ApiError, refused.code],
      }
    })()`
    expect(await page.evaluate(script)).toEqual({
      prices: [null, 10_000],
      rows: true,
      listed: [domain],
      refused: [true, 'validation_error'],
    })
    await page.close()
  }, 60_000)
})
