import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { loadBrand } from '../../src/core/brand.ts'
import { readSettings } from '../../src/core/settings.ts'
import { contrast } from '../../src/lib/color.ts'
import { Buyer } from '../support/buyer.ts'
import type { PartnerClient } from '../support/client.ts'
import { freshName, must } from '../support/market.ts'
import { Operator } from '../support/operator.ts'
import { startService, type TestService } from '../support/service.ts'
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'brand-'))
const LOGO = join(folder, 'logo.svg')
writeFileSync(
  LOGO,
  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" onload="alert(1)">
    <script>alert(2)</script><style>@import url(https://evil.example/x.css);</style>
    <a href="javascript:alert(3)"><rect width="64" height="64"/></a>
    <foreignObject><iframe src="https://evil.example"/></foreignObject>
    <image href="https://evil.example/pixel.png"/>
    <path d="M32 4 58 18v28L32 60 6 46V18Z" fill="#0b6e4f"/></svg>`,
)
const TEXTS = join(folder, 'texts')
mkdirSync(TEXTS)
writeFileSync(join(TEXTS, 'about.md'), '# Our harbour\n\nSince *1999*. <script>alert(1)</script>\n')

const VARIABLES = {
  BRAND_NAME: 'Harbour Names',
  BRAND_LOGO: LOGO,
  BRAND_COLOR: '#0B6E4F',
  SUPPORT_EMAIL: 'help@harbour.example',
  PLATFORM_NAME: 'Harbour GmbH',
  PLATFORM_ADDRESS: 'Kai 4, 20457 Hamburg',
  PLATFORM_COUNTRY: 'DE',
  TERMS_URL: 'https://harbour.example/terms',
  PRIVACY_URL: 'https://harbour.example/privacy',
  PAGES_DIR: TEXTS,
}

/** What differs from the settings of a service under test. */
function settingsOf(variables: Record<string, string>) {
  const { brand, platform, pagesDir, mailFrom } = readSettings(variables)
  return { brand, platform, pagesDir, mailFrom }
}

let smtp: SmtpServer
let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  smtp = await startSmtpServer()
  service = await startService({ settings: { ...settingsOf(VARIABLES), smtpUrl: smtp.url } })
  partner = await service.partner({ environment: 'live' })
})
afterAll(async () => {
  await service.stop()
  smtp.stop()
})

const get = (target: string, from = service) =>
  from.send({ method: 'GET', target, headers: { accept: 'text/html' } })

async function checkoutLink(client = partner): Promise<string> {
  const domain = await freshName(service, client === partner ? 'live' : 'sandbox')
  const { checkout_url } = must(await client.post('/checkout-session', { domain }), 201).body
  return checkout_url.replace('http://localhost:3000', '')
}

describe('a brand in the settings', () => {
  test.each(['/', '/browse', '/docs', '/sign-in', '/nothing-here'])(
    'is in the header, the footer and the head of %s',
    async (path) => {
      const { text } = await get(path)
      expect(text).toMatch(/<title>[^<]*Harbour Names<\/title>/)
      const [header = ''] = /<header class="top">.*?<\/header>/s.exec(text) ?? []
      expect(header).toContain('Harbour Names')
      expect(header).toMatch(/<img[^>]+src="\/brand\/logo\?v=/)
      const [footer = ''] = /<footer.*?<\/footer>/s.exec(text) ?? []
      for (const part of [
        'Harbour Names',
        'Harbour GmbH, Kai 4, 20457 Hamburg, DE',
        'mailto:help@harbour.example',
        'href="/about"',
        'href="/contact"',
        'href="https://harbour.example/terms"',
        'href="https://harbour.example/privacy"',
      ]) {
        expect(footer).toContain(part)
      }
      expect(text).toContain('<meta name="theme-color" content="#0b6e4f"/>')
      expect(text).toContain('href="/brand/accent.css?color=0b6e4f"')
      expect(text).toMatch(/<link rel="icon" href="\/brand\/logo\?v=[^"]+" type="image\/svg\+xml"/)
      expect(text).not.toContain('Domain Marketplace')
    },
  )

  test('has colors that can be read in light and in dark', async () => {
    const { headers, text } = await get('/brand/accent.css?color=0b6e4f')
    expect(headers['content-type']).toContain('text/css')
    const [, light = '', dark = ''] = /--accent: light-dark\((#\w{6}), (#\w{6})\)/.exec(text) ?? []
    expect(light).toBe('#0b6e4f')
    for (const ground of ['#ffffff', '#f8f9fa']) {
      expect(contrast(light, ground)).toBeGreaterThanOrEqual(4.5)
    }
    for (const ground of ['#16191d', '#0d0f12']) {
      expect(contrast(dark, ground)).toBeGreaterThanOrEqual(4.5)
    }
    for (const color of ['ffffff', 'red', '0b6e4', '0b6e4f&color=1864ab']) {
      expect((await get(`/brand/accent.css?color=${color}`)).status).toBe(404)
    }
  })

  test('serves its logo without what could run or load', async () => {
    const { text } = await get('/')
    const [, address = ''] = /src="(\/brand\/logo[^"]*)"/.exec(text) ?? []
    const logo = await get(address)
    expect(logo.headers['content-type']).toBe('image/svg+xml')
    expect(logo.headers['content-security-policy']).toContain("default-src 'none'")
    expect(logo.headers['x-content-type-options']).toBe('nosniff')
    expect(logo.text).toContain('<path d="M32 4')
    expect(logo.text).not.toMatch(/script|onload|evil|javascript|foreignObject|<a\b/)
    expect((await get('/brand/logo.png')).headers['content-type']).toBe('image/png')
  })

  test('is on the checkout, with what a buyer asks before paying', async () => {
    const buyer = new Buyer(service)
    await buyer.visit(await checkoutLink())
    for (const part of [
      'Harbour Names',
      'Sold by',
      'Harbour GmbH, Kai 4, 20457 Hamburg, DE',
      'Refund policy',
      'Delivery',
      'aria-label="Visa"',
      'mailto:help@harbour.example',
    ]) {
      expect(buyer.page.text).toContain(part)
    }
    await buyer.submit({
      email: 'details@example.com',
      name: 'Robin',
      address: '1 Main Street',
      city: 'Springfield',
      country: 'US',
    })
    expect(buyer.page.text).toMatch(/<li class="done">Details/)
    expect(buyer.page.text).toContain('Sold by')
  })

  test('is on the receipt, in its mail as text and as HTML, and on the invoice', async () => {
    const buyer = new Buyer(service)
    await buyer.pay(await checkoutLink(), undefined, { email: 'mailed@example.com' })
    expect(buyer.page.text).toContain('Thank you')
    expect(buyer.page.text).toContain('Harbour GmbH, Kai 4, 20457 Hamburg, DE')
    expect(buyer.page.text).toContain('mailto:help@harbour.example')

    const mail = await vi.waitFor(
      async () => {
        await service.app.mail.deliver(new AbortController().signal)
        const found = smtp.messages.find((message) => message.includes('To: mailed@example.com'))
        if (!found) throw new Error('not there yet')
        return found
      },
      { timeout: 20_000 },
    )
    expect(mail).toMatch(/^From: "?Harbour Names"? <no-reply@localhost>\r$/m)
    const [, text = '', html = ''] = /text\/plain([^]*)text\/html([^]*)/.exec(mail) ?? []
    for (const part of [
      'Harbour Names',
      'help@harbour.example',
      'Harbour GmbH, Kai 4, 20457 Hamburg, DE',
      'https://harbour.example/terms',
      'https://harbour.example/privacy',
    ]) {
      expect(text).toContain(part)
      expect(html).toContain(part)
    }
    expect(html).toContain('background:#0b6e4f')
    expect(html).toContain('src="http://localhost:3000/brand/logo.png?v=')

    const [, link = ''] = /href="([^"]*\/invoice[^"]*)"/.exec(buyer.page.text) ?? []
    const pdf = await buyer.visit(link.replaceAll('&amp;', '&'))
    expect(pdf.text.startsWith('%PDF-')).toBe(true)
    // The logo, as a picture in the file.
    expect(pdf.text).toContain('/Subtype /Image')
    const [invoice] = must(await service.admin('GET', '/invoices?environment=live'), 200).body
      .invoices
    const row = await service.app.db
      .selectFrom('invoices')
      .select('seller')
      .where('number', '=', invoice.number)
      .executeTakeFirstOrThrow()
    expect(row.seller).toMatchObject({ name: 'Harbour GmbH', country: 'DE' })
  })

  test('has the operator’s own texts, and those that are elsewhere', async () => {
    const about = await get('/about')
    expect(about.text).toContain('<h1>Our harbour</h1>')
    expect(about.text).toContain('<em>1999</em>')
    expect(about.text).not.toContain('<script>alert')
    expect(about.text).not.toContain('standard text')
    expect((await get('/contact')).text).toContain('mailto:help@harbour.example')
    for (const name of ['terms', 'privacy']) {
      const { status, headers } = await get(`/${name}`)
      expect([status, headers.location]).toEqual([302, `https://harbour.example/${name}`])
    }
  })
})

describe('a partner’s brand', () => {
  const BRAND = {
    name: 'Pet Names',
    logo_url: 'https://pets.example/logo;v=1.png',
    color: '#8A1C7C',
    support_email: 'help@pets.example',
  }

  test('is on the checkout of its links, and nowhere else', async () => {
    const client = await service.partner()
    const path = `/partners/${client.partner_id}/brand`
    expect(must(await service.admin('PUT', path, BRAND), 200).body.brand).toEqual({
      ...BRAND,
      color: '#8a1c7c',
    })
    const { headers, text } = await get(await checkoutLink(client))
    expect(text).toContain('<span>Pet Names</span>')
    expect(text).toContain('src="https://pets.example/logo;v=1.png"')
    expect(text).toContain('href="/brand/accent.css?color=8a1c7c"')
    expect(text).toContain('mailto:help@pets.example')
    expect(text).toContain('Harbour GmbH, Kai 4, 20457 Hamburg, DE')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("img-src 'self' data: https://pets.example/logo%3Bv=1.png;")
    expect(policy).toContain("default-src 'none'")
    expect((await get('/')).text).not.toContain('Pet Names')
    const other = await get(await checkoutLink())
    expect(other.text).not.toContain('Pet Names')
    expect(other.headers['content-security-policy']).toContain("img-src 'self' data:;")

    expect(must(await service.admin('PUT', path, {}), 200).body.brand).toBeNull()
    expect((await get(await checkoutLink(client))).text).not.toContain('Pet Names')
  })

  test.each([
    ['color', { color: '#ffff00' }],
    ['color', { color: 'green' }],
    ['logo_url', { logo_url: 'http://pets.example/logo.png' }],
    ['logo_url', { logo_url: 'https://user@pets.example/logo.png' }],
    ['name', { name: ' ' }],
    ['support_email', { support_email: 'nobody' }],
  ])('with a wrong %s is rejected, and says why', async (field, brand) => {
    const { status, body } = await service.admin(
      'PUT',
      `/partners/${partner.partner_id}/brand`,
      brand,
    )
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'validation_error', details: [{ field }] })
  })

  test('can be set in the console', async () => {
    const client = await service.partner()
    const olga = await Operator.enter(service)
    await olga.visit(`/operator/partners/${client.partner_id}`)
    await olga.submit('set_partner_brand', { name: 'Console Names', color: '#8a1c7c' })
    expect(olga.page.text).toContain('Console Names')
    expect((await get(await checkoutLink(client))).text).toContain('<span>Console Names</span>')
  })
})

describe('without settings', () => {
  let plain: TestService
  beforeAll(async () => {
    plain = await startService()
  })
  afterAll(() => plain.stop())

  test('the marketplace has its standard name and color, and no logo', async () => {
    const { text, headers } = await get('/', plain)
    expect(text).toContain('<span>Domain Marketplace</span>')
    expect(text).not.toContain('<img')
    expect(text).not.toContain('accent.css')
    expect(text).toContain('href="/brand/icon.svg?color=1864ab"')
    expect(headers['content-security-policy']).toContain("img-src 'self' data:;")
    expect((await get('/brand/logo', plain)).status).toBe(404)
    expect((await get('/brand/icon.svg?color=1864ab', plain)).headers['content-type']).toBe(
      'image/svg+xml',
    )
  })

  test.each(['about', 'contact', 'terms', 'privacy'])(
    'the page /%s is the standard text, and says so',
    async (name) => {
      const { status, text, headers } = await get(`/${name}`, plain)
      expect(status).toBe(200)
      expect(headers['x-robots-tag']).toBeUndefined()
      expect(text).toContain('This is the standard text of the software')
      expect(text).toContain(`<link rel="canonical" href="http://localhost:3000/${name}"/>`)
    },
  )
})

describe('what cannot be shown stops the start', () => {
  const read = (variables: Record<string, string>) => () => readSettings(variables)

  test('a color with too little contrast on white', () => {
    expect(read({ BRAND_COLOR: '#ffcc00' })).toThrow(
      /^BRAND_COLOR: #ffcc00 has a contrast of 1\.5\d on white, and needs at least 4\.5: choose a darker color$/,
    )
    expect(read({ BRAND_COLOR: '#777777' })).toThrow('4.47')
    expect(readSettings({ BRAND_COLOR: '#767676' }).brand.color).toBe('#767676')
  })

  test.each([
    [{ BRAND_COLOR: 'teal' }, /^BRAND_COLOR: must be a color such as #1864ab$/],
    [{ BRAND_COLOR: '#12345' }, /^BRAND_COLOR: /],
    [{ BRAND_NAME: '  ' }, /^BRAND_NAME: must not be blank$/],
    [{ BRAND_NAME: 'a\nb' }, /^BRAND_NAME: must be one line$/],
    [{ BRAND_LOGO: 'http://a.example/x.png' }, /^BRAND_LOGO: must be an https address or a file$/],
    [{ BRAND_LOGO: 'data:image/png;base64,AA' }, /^BRAND_LOGO: /],
    [{ SUPPORT_EMAIL: 'help' }, /^SUPPORT_EMAIL: must be an e-mail address$/],
    [{ TERMS_URL: 'javascript:alert(1)' }, /^TERMS_URL: /],
    [{ PRIVACY_URL: '/privacy' }, /^PRIVACY_URL: /],
  ])('%j', (variables, message) => {
    expect(read(variables)).toThrow(message)
  })

  test.each([
    ['that is missing', join(folder, 'none.svg'), 'cannot be read'],
    ['that is a folder', folder, 'cannot be read'],
    ['that is no picture', join(TEXTS, 'about.md'), 'is not an SVG, PNG or JPEG picture'],
    ['that is too large', join(folder, 'large.png'), 'is larger than 256 KiB'],
    ['with entities', join(folder, 'entities.svg'), 'is not an SVG, PNG or JPEG picture'],
  ])('a logo %s', async (_, file, message) => {
    writeFileSync(join(folder, 'large.png'), Buffer.alloc(300_000))
    writeFileSync(
      join(folder, 'entities.svg'),
      '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
    )
    await expect(loadBrand(readSettings({ BRAND_LOGO: file }))).rejects.toThrow(message)
  })

  test('a folder of texts that is missing, or has none', async () => {
    for (const [path, message] of [
      [join(folder, 'none'), /^PAGES_DIR: .* cannot be read/],
      [folder, /^PAGES_DIR: .* has none of about\.md, contact\.md, terms\.md, privacy\.md$/],
    ] as const) {
      await expect(loadBrand(readSettings({ PAGES_DIR: path }))).rejects.toThrow(message)
    }
  })
})
