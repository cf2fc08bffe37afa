import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTax } from '../../src/domain/tax/tax.ts'
import { Buyer, CARDS, DETAILS } from '../support/buyer.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { freshName, ledgerOf, must, operate } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

const RULES = {
  country: 'DE',
  rates: [
    { country: 'DE', name: 'MwSt', rate_bps: 1_900 },
    { country: 'FR', name: 'TVA', rate_bps: 2_000, reverse_charge: true },
  ],
}
const file = join(mkdtempSync(join(tmpdir(), 'tax-')), 'rules.json')
writeFileSync(file, JSON.stringify(RULES))

const PLATFORM = {
  name: 'Market GmbH',
  address: 'Marktplatz 1, 10115 Berlin',
  country: 'DE',
  taxId: 'DE123456789',
  iban: undefined,
  bic: undefined,
}

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService({
    settings: { platform: PLATFORM, tax: 'rules', taxRulesFile: file },
  })
  partner = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

async function checkout(client = partner): Promise<string> {
  const domain = await freshName(service, client === partner ? 'live' : 'sandbox')
  return must(await client.post('/checkout-session', { domain }), 201).body.checkout_url
}

async function bought(details: Record<string, string> = {}, card = CARDS.succeeds) {
  const buyer = new Buyer(service)
  await buyer.pay(await checkout(), card, details)
  return buyer
}
const invoices = async (query = ''): Promise<any[]> =>
  must(await service.admin('GET', `/invoices?environment=live${query}`), 200).body.invoices
const balanceOf = async (account: string) =>
  (await ledgerOf(service, { partnerId: partner.partner_id, environment: 'live' }))
    .filter((line) => line.account === account)
    .reduce((sum, { amount_cents }) => sum + amount_cents, 0)
const linksOn = ({ text }: Result) =>
  [...text.matchAll(/href="([^"]*\/invoice[^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )

describe('a hosted sale', () => {
  test('shows the tax before it is paid, charges it, and says it on the receipt', async () => {
    const buyer = new Buyer(service)
    await buyer.visit(await checkout())
    expect(buyer.page.text).toContain('Tax is added where your country has it')
    await buyer.submit({
      email: 'käufer@example.com'.replace('ä', 'a'),
      name: 'Jörg Käufer',
      address: 'Straße 1',
      city: 'Köln',
      postal_code: '50667',
      country: 'DE',
    })
    expect(buyer.page.text).toContain('MwSt 19 %')
    expect(buyer.page.text).toContain('$19.00')
    expect(buyer.page.text).toContain('Pay $119.00')
    await buyer.card(CARDS.succeeds)
    expect(buyer.page.text).toContain('$119.00')
    const [invoice] = await invoices()
    const year = service.clock.now().getUTCFullYear()
    expect(invoice).toMatchObject({
      number: `live-${year}-1`,
      kind: 'invoice',
      public_id: buyer.publicId,
      net_cents: 10_000,
      tax_cents: 1_900,
      tax_name: 'MwSt',
      total_cents: 11_900,
      country: 'DE',
    })
    const { publicId } = buyer
    const [link = ''] = linksOn(buyer.page)
    const pdf = await buyer.visit(link)
    expect(pdf.headers['content-type']).toBe('application/pdf')
    expect(pdf.text.startsWith('%PDF-')).toBe(true)
    expect((await buyer.visit(link.replace(/-1$/, '-99'))).status).toBe(404)
    const { payments } = must(
      await service.admin('GET', `/payments?public_id=${publicId}`),
      200,
    ).body
    expect(payments[0].amount_cents).toBe(11_900)
    expect(await balanceOf('tax_payable')).toBe(-1_900)
  })

  test('gives its invoice to its buyer alone, by the browser that paid and by mail', async () => {
    const url = await checkout()
    const buyer = new Buyer(service)
    await buyer.pay(url, CARDS.succeeds, { email: 'own-invoice@example.com' })
    const [link = ''] = linksOn(buyer.page)

    const other = new Buyer(service)
    await other.visit(url)
    expect(other.publicId).toBe(buyer.publicId)
    expect(linksOn(other.page)).toEqual([])
    expect((await other.visit(link)).status).toBe(404)

    const { mails } = must(
      await service.admin('GET', '/mails?to=own-invoice@example.com'),
      200,
    ).body
    const [, mailed = ''] = /(\/orders\/\S+)/.exec(mails[0].text) ?? []
    const [there = ''] = linksOn(await other.visit(mailed))
    expect((await other.visit(there)).headers['content-type']).toBe('application/pdf')
    await operate(service, buyer.publicId ?? '', 'start', 'action-required')
    expect((await other.visit(mailed)).text).toContain('The transfer waits for you')
  })

  test('gives its invoice to the one who paid, also where somebody else filled in the details', async () => {
    const url = await checkout()
    const assistant = new Buyer(service)
    await assistant.visit(url)
    await assistant.submit(DETAILS)
    const payer = new Buyer(service)
    await payer.visit(url.replace('/checkout?', '/checkout/payment?'))
    await payer.card(CARDS.declined)
    expect(payer.page.text).not.toContain(DETAILS.address)
    await payer.card(CARDS.succeeds)
    const [link = ''] = linksOn(payer.page)
    expect((await payer.visit(link)).headers['content-type']).toBe('application/pdf')
  })

  test('has the bank ask for the price with its tax', async () => {
    const buyer = await bought({ country: 'DE' }, CARDS.asks)
    expect(buyer.page.text).toContain('Confirm the payment')
    expect(buyer.page.text).toContain('<strong>$119.00</strong>')
  })

  test('is without tax for a business elsewhere that accounts for it, and in other countries', async () => {
    await bought({ country: 'FR', tax_id: 'FR12345678901' })
    expect((await invoices())[0]).toMatchObject({ tax_cents: 0, tax_name: 'TVA', country: 'FR' })
    await bought({ country: 'FR' })
    expect((await invoices())[0]).toMatchObject({ tax_cents: 2_000 })
    await bought({ country: 'US' })
    expect((await invoices())[0]).toMatchObject({ tax_cents: 0, tax_name: null })
  })

  test('that is not paid has no invoice, and takes no number', async () => {
    const before = await invoices()
    await bought({}, CARDS.declined)
    expect(await invoices()).toEqual(before)
  })

  test('that is taken back has a credit note, and all of the money goes back', async () => {
    const buyer = await bought({ country: 'DE' })
    const tax = await balanceOf('tax_payable')
    must(await service.admin('POST', `/orders/${buyer.publicId}/cancel`, {}), 200)
    const [note, invoice] = await invoices(`&public_id=${buyer.publicId}`)
    expect(note).toMatchObject({ kind: 'credit_note', credits: invoice.number, tax_cents: 1_900 })
    expect(await balanceOf('tax_payable')).toBe(tax + 1_900)
    const { payments } = must(
      await service.admin('GET', `/payments?public_id=${buyer.publicId}`),
      200,
    ).body
    expect(payments[0]).toMatchObject({ amount_cents: 11_900, refund_cents: null })
    const { body } = must(await service.admin('POST', `/invoices/${note.number}/pdf`, {}), 200)
    expect(Buffer.from(body.pdf, 'base64').subarray(0, 5).toString()).toBe('%PDF-')
    must(await service.admin('POST', '/invoices/live-1999-1/pdf', {}), 404)
  })
})

describe('invoice numbers', () => {
  test('have no gaps and come once, whatever races', async () => {
    const before = (await invoices('&limit=100')).length
    const buyers = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const buyer = new Buyer(service)
        await buyer.visit(await checkout())
        return { buyer, card: at % 5 === 0 ? CARDS.declined : CARDS.succeeds }
      }),
    )
    await Promise.all(
      buyers.map(async ({ buyer, card }) => {
        await buyer.submit({
          email: 'racer@example.com',
          name: 'Racer',
          address: '1',
          city: 'X',
          country: 'DE',
        })
        await buyer.card(card)
      }),
    )
    const all = await invoices('&limit=100')
    expect(all).toHaveLength(before + 24)
    const numbers = all.map(({ number }) => Number(number.split('-')[2])).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: all.length }, (_, at) => at + 1))
  }, 60_000)

  test('of the sandbox are a run of their own', async () => {
    const sandbox = await service.partner()
    const buyer = new Buyer(service)
    await buyer.pay(await checkout(sandbox))
    const { body } = must(await service.admin('GET', '/invoices?environment=sandbox'), 200)
    expect(body.invoices[0].number).toMatch(/^sandbox-\d{4}-1$/)
  })
})

describe('TAX_RULES_FILE', () => {
  test('that cannot be used says why', () => {
    const read = (rules: unknown) => {
      const path = `${file}.broken`
      writeFileSync(path, typeof rules === 'string' ? rules : JSON.stringify(rules))
      return () => createTax({ tax: 'rules', taxRulesFile: path })
    }
    expect(() => createTax({ tax: 'rules', taxRulesFile: undefined })).toThrow('is required')
    expect(() => createTax({ tax: 'rules', taxRulesFile: '/no/such/file' })).toThrow(
      'cannot be read',
    )
    expect(read('{')).toThrow('cannot be read')
    expect(
      read({ country: 'DE', rates: [{ country: 'DE', name: 'X', rate_bps: 10_001 }] }),
    ).toThrow('rates.0.rate_bps')
    expect(read({ ...RULES, rates: [...RULES.rates, ...RULES.rates] })).toThrow('each country once')
  })
})
