import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadBrand } from '../../src/core/brand.ts'
import { fold, type Letter, letter } from '../../src/core/letter.tsx'
import { framed } from '../../src/core/mail-frame.tsx'
import { readSettings } from '../../src/core/settings.ts'
import { addressChangedMail } from '../../src/domain/accounts/mails/address-changed.ts'
import { addressChangingMail } from '../../src/domain/accounts/mails/address-changing.ts'
import { addressTakenMail } from '../../src/domain/accounts/mails/address-taken.ts'
import { changeAddressMail } from '../../src/domain/accounts/mails/change-address.ts'
import { confirmAddressMail } from '../../src/domain/accounts/mails/confirm-address.ts'
import { invitationMail } from '../../src/domain/accounts/mails/invitation.ts'
import { resetPasswordMail } from '../../src/domain/accounts/mails/reset-password.ts'
import { secondFactorMail } from '../../src/domain/accounts/mails/second-factor.ts'
import { tokenMadeMail } from '../../src/domain/accounts/mails/token-made.ts'
import { wrongPasswordsMail } from '../../src/domain/accounts/mails/wrong-passwords.ts'
import { alertMail } from '../../src/domain/alerts/mails/alert.ts'
import type { Case, CaseStep } from '../../src/domain/brokerage/case.ts'
import { caseProgressMail } from '../../src/domain/brokerage/mails/case-progress.ts'
import { boughtByAppMail } from '../../src/domain/checkout/mails/bought-by-app.ts'
import { goodwillMail } from '../../src/domain/checkout/mails/goodwill.ts'
import { paymentRefundedMail } from '../../src/domain/checkout/mails/payment-refunded.ts'
import { receiptMail } from '../../src/domain/checkout/mails/receipt.ts'
import { domainsChangedMail } from '../../src/domain/domains/mails/changed.ts'
import { claimLostMail } from '../../src/domain/domains/mails/claim-lost.ts'
import { confirmRenewalMail } from '../../src/domain/domains/mails/confirm-renewal.ts'
import { expiredMail } from '../../src/domain/domains/mails/expired.ts'
import { notRenewedMail } from '../../src/domain/domains/mails/not-renewed.ts'
import { renewalDisputedMail } from '../../src/domain/domains/mails/renewal-disputed.ts'
import { renewalRefundedMail } from '../../src/domain/domains/mails/renewal-refunded.ts'
import { renewedMail } from '../../src/domain/domains/mails/renewed.ts'
import { appLetInMail } from '../../src/domain/oauth/mails/app-let-in.ts'
import { offerAcceptedMail } from '../../src/domain/offers/mails/offer-accepted.ts'
import { offerAgreedMail } from '../../src/domain/offers/mails/offer-agreed.ts'
import { offerCounteredMail } from '../../src/domain/offers/mails/offer-countered.ts'
import { offerEndedMail } from '../../src/domain/offers/mails/offer-ended.ts'
import { offerReceivedMail } from '../../src/domain/offers/mails/offer-received.ts'
import { offerSentMail } from '../../src/domain/offers/mails/offer-sent.ts'
import type { Offer } from '../../src/domain/offers/offer.ts'
import { codeAvailableMail } from '../../src/domain/orders/mails/code-available.ts'
import { codeReminderMail } from '../../src/domain/orders/mails/code-reminder.ts'
import { codeWantedMail } from '../../src/domain/orders/mails/code-wanted.ts'
import { domainDeliveredMail } from '../../src/domain/orders/mails/domain-delivered.ts'
import { domainHandedOverMail } from '../../src/domain/orders/mails/domain-handed-over.ts'
import { domainSoldMail } from '../../src/domain/orders/mails/domain-sold.ts'
import { orderCancelledMail } from '../../src/domain/orders/mails/order-cancelled.ts'
import { saleReversedMail } from '../../src/domain/orders/mails/sale-reversed.ts'
import { shareDisputedMail } from '../../src/domain/orders/mails/share-disputed.ts'
import { shareLostMail } from '../../src/domain/orders/mails/share-lost.ts'
import { shareReturnedMail } from '../../src/domain/orders/mails/share-returned.ts'
import { transferDelayedMail } from '../../src/domain/orders/mails/transfer-delayed.ts'
import { transferStartedMail } from '../../src/domain/orders/mails/transfer-started.ts'
import { transferWaitsMail } from '../../src/domain/orders/mails/transfer-waits.ts'
import type { Order } from '../../src/domain/orders/order.ts'
import { credentialChangedMail } from '../../src/domain/partners/mails/credential-changed.ts'
import { liveApprovedMail } from '../../src/domain/partners/mails/live-approved.ts'
import { liveDeclinedMail } from '../../src/domain/partners/mails/live-declined.ts'
import { liveWithdrawnMail } from '../../src/domain/partners/mails/live-withdrawn.ts'
import { payeeChangedMail } from '../../src/domain/payees/mails/payee-changed.ts'
import type { Charge } from '../../src/domain/payments/charge.ts'
import type { Payment } from '../../src/domain/payments/payment.ts'
import { payoutPaidMail } from '../../src/domain/payouts/mails/payout-paid.ts'
import { payoutReturnedMail } from '../../src/domain/payouts/mails/payout-returned.ts'
import { statementOverdueMail } from '../../src/domain/settlements/mails/statement-overdue.ts'

const baseUrl = 'https://market.example'
const HOSTILE = '<script>alert("1")</script> & \'more\''
const LONG = `${'word '.repeat(500)}${'x'.repeat(2_000)}`
const name = 'example.com'
const order = {
  domain: name,
  public_id: 'ord_1',
  sale_price_cents: 125_000,
  currency: 'USD',
} as Order
const nameOffer = {
  offer_id: 'ofr_1',
  domain: name,
  amount_cents: 90_000,
  currency: 'USD',
  expires_at: new Date(0),
  history: [{ at: '', by: 'buyer', amount_cents: 90_000, message: LONG }],
  status: 'declined',
  closed_by: 'seller',
  closing_message: HOSTILE,
} as unknown as Offer
const charge = { id: 'chg_1', amount_cents: 2_598, currency: 'USD' } as Charge
const payment = { amount_cents: 125_000, currency: 'USD' } as Payment
const renewal = {
  domain: name,
  price_cents: 1_299,
  currency: 'USD',
  from_expires_at: new Date('2026-12-01'),
  automatic: true,
  until: new Date('2027-12-01'),
} as Parameters<typeof renewedMail>[1][number]
const step = {
  type: 'brokerage.case_contacted',
  note: `${HOSTILE} ${LONG}`,
  price_cents: null,
} as CaseStep
const brokerageCase = { domain: name, status: 'contacted', currency: 'USD' } as Case

/** Every mail, by the name of its file. */
const MAILS: Record<string, Letter> = {
  'confirm-address': confirmAddressMail({ baseUrl, token: 'mkt_link_1' }),
  'change-address': changeAddressMail({ baseUrl, url: `${baseUrl}/account/email/confirm?token=1` }),
  'address-changing': addressChangingMail({ baseUrl, to: 'new@example.com' }),
  'address-changed': addressChangedMail({
    support: `${baseUrl}/contact`,
    to: 'new@example.com',
  }),
  'reset-password': resetPasswordMail({
    baseUrl,
    link: `${baseUrl}/reset-password?token=1&next=%2F`,
  }),
  invitation: invitationMail({ inviter: 'a@b.example', partnerName: HOSTILE, baseUrl, token: '1' }),
  'live-approved': liveApprovedMail({ baseUrl, reason: HOSTILE }),
  'live-declined': liveDeclinedMail({ baseUrl, reason: LONG }),
  receipt: receiptMail(
    order,
    {
      amount_cents: 100,
      card: 'Visa ending in 4242',
      tax_cents: 10,
      tax: { cents: 10, name: HOSTILE, rate_bps: 1_000, note: null },
    },
    `${baseUrl}/checkout/1`,
  ),
  'bought-by-app': boughtByAppMail(
    HOSTILE,
    order,
    {
      amount_cents: 100,
      tax_cents: 10,
      tax: { cents: 10, name: HOSTILE, rate_bps: 1_000, note: null },
    },
    { url: `${baseUrl}/checkout/1`, account: `${baseUrl}/account/access` },
  ),
  'app-let-in': appLetInMail({
    name: HOSTILE,
    mandate: {
      max_per_order_cents: 1_000,
      max_total_cents: 2_000,
      currency: 'USD',
      expires_at: new Date(),
    },
    manages: true,
    url: `${baseUrl}/account/access`,
  }),
  'payment-refunded': paymentRefundedMail(name, payment, 'example.com was sold to someone else.'),
  'case-progress': caseProgressMail(brokerageCase, step, undefined, `${baseUrl}/case/1`),
  'offer-sent': offerSentMail(nameOffer, `${baseUrl}/offers/1`),
  'offer-received': offerReceivedMail(nameOffer, `${baseUrl}/offers/1`),
  'offer-countered': offerCounteredMail(nameOffer, `${baseUrl}/offers/1`),
  'offer-accepted': offerAcceptedMail(nameOffer, `${baseUrl}/checkout?pt=1`, `${baseUrl}/offers/1`),
  'offer-agreed': offerAgreedMail({ ...nameOffer, closed_by: 'buyer' }),
  'offer-ended': offerEndedMail(nameOffer, 'buyer'),
  'transfer-started': transferStartedMail(name, 'ord_1'),
  'transfer-waits': transferWaitsMail(name, 'ord_1', HOSTILE),
  'code-available': codeAvailableMail(name, 'ord_1', `${baseUrl}/orders/1`),
  'code-reminder': codeReminderMail(name, 'ord_1', `${baseUrl}/account/sales/ord_1/transfer-code`),
  'code-wanted': codeWantedMail(name, 'ord_1', `${baseUrl}/account/sales/ord_1/transfer-code`),
  'domain-delivered': domainDeliveredMail(name, 'ord_1'),
  'order-cancelled': orderCancelledMail(name, 'ord_1', 'rest'),
  'domain-sold': domainSoldMail({ name, publicId: 'ord_1', price: '2.00 USD', share: '1.70 USD' }),
  'domain-handed-over': domainHandedOverMail({
    name,
    publicId: 'ord_1',
    share: '1.70 USD',
    payableFrom: '2026-02-01',
    isDisputed: false,
  }),
  'share-disputed': shareDisputedMail(name, 'ord_1', '1.70 USD'),
  'share-returned': shareReturnedMail(name, 'ord_1', '1.70 USD'),
  'share-lost': shareLostMail(name, 'ord_1', '1.70 USD'),
  'sale-reversed': saleReversedMail(name, 'ord_1', '1.70 USD', true),
  'transfer-delayed': transferDelayedMail(name, 'ord_1', '1.70 USD'),
  renewed: renewedMail(
    charge,
    Array.from({ length: 150 }, () => renewal),
    [renewal],
  ),
  'not-renewed': notRenewedMail([renewal], 'Your card was declined.'),
  'renewal-disputed': renewalDisputedMail(charge, [name], 'Visa ending in 4242'),
  'renewal-refunded': renewalRefundedMail(charge, [name], 100),
  expired: expiredMail([name, 'example.net']),
  'claim-lost': claimLostMail([name, 'example.net']),
  changed: domainsChangedMail({
    op: 'list_for_sale',
    domains: [name, 'example.net'],
    nameservers: [],
    priceText: '$900.00',
    sellsFrom: new Date(),
  }),
  goodwill: goodwillMail(name, 1_500, 'USD'),
  alert: alertMail(
    {
      type: 'alert.order_held',
      environment: 'live',
      data: { public_id: 'ord_1', domain: HOSTILE, amount_cents: 100, currency: 'USD' },
    },
    baseUrl,
  ),
  'live-withdrawn': liveWithdrawnMail(HOSTILE, LONG),
  'wrong-passwords': wrongPasswordsMail(20),
  'credential-changed': credentialChangedMail({
    what: 'created',
    keyId: 'pk_live_1',
    partnerName: HOSTILE,
    by: 'a@b.example',
  }),
  'address-taken': addressTakenMail(baseUrl),
  'confirm-renewal': confirmRenewalMail(
    { id: 'chg_1', amount_cents: 1_200, currency: 'USD' },
    ['attacked.com'],
    new Date(),
    baseUrl,
  ),
  'second-factor': secondFactorMail('A passkey was added'),
  'token-made': tokenMadeMail({ label: HOSTILE, manage: true, expiresAt: new Date() }),
  'payee-changed': payeeChangedMail(HOSTILE, {
    name: HOSTILE,
    account_last4: '3000',
    currency: 'EUR',
    usable_from: new Date(),
    created_by: 'a@b.example',
  }),
  'payout-paid': payoutPaidMail({
    id: 'po_1',
    amount: '1.70 USD',
    account: '3000',
    sales: Array.from({ length: 150 }, (_, index) => `example-${index}.com: 1.70 USD`),
  }),
  'payout-returned': payoutReturnedMail('po_1', '1.70 USD', `${baseUrl}/account/payee`),
  'statement-overdue': statementOverdueMail(
    {
      id: 'stl_1',
      environment: 'live',
      currency: 'USD',
      received_cents: 100,
      due_at: new Date(),
      gross_sold_cents: 1_000,
      commission_retained_cents: 100,
    },
    baseUrl,
  ),
}

/** What is no mail beside them. */
const OTHERS = ['names']

/** What a reader of the HTML sees. */
function seen(html: string): string {
  return html
    .replace(/<(head|style)>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => {
      const plain: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }
      return plain[name] ?? ''
    })
}

const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []
const linksOf = (text: string) => text.match(/https?:\/\/[^\s"<]+/g) ?? []

test('every mail is rendered here', () => {
  const modules = new URL('../../src/domain/', import.meta.url)
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .map((file) => /\/mails\/([\w-]+)\.tsx?$/.exec(file)?.[1] ?? '')
    .filter((file) => file !== '' && !OTHERS.includes(file))
  expect(Object.keys(MAILS).toSorted()).toEqual(files.toSorted())
})

const brand = await loadBrand(
  readSettings({ BASE_URL: baseUrl, SUPPORT_EMAIL: 'help@market.example' }),
)

describe.each(Object.entries(MAILS))('the mail %s', (_, mail) => {
  const { subject, text, html } = framed(brand, mail)

  test('says the same in text and in HTML', () => {
    const body = seen(html.replace(/<a href="([^"]*)"[^>]*>/g, ' $1 '))
    const inHtml = new Set(words(body))
    expect(words(text.replace(/(x{50,}\n?)+/, '')).filter((word) => !inHtml.has(word))).toEqual([])
    const hrefs = [...html.matchAll(/href="(https?:[^"]*)"/g)].map(([, url = '']) => seen(url))
    expect(new Set(linksOf(text).map((url) => url.replace(/[.,]$/, '')))).toEqual(new Set(hrefs))
  })

  test('is safe: escaped, nothing loaded, no line too long', () => {
    expect(html).not.toMatch(/<script|<img|<link|src=|url\(/)
    expect(subject).not.toMatch(/[\r\n]/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(998)
  })
})

test('what people wrote stays as they wrote it, in both forms', () => {
  const { text, html } = MAILS['transfer-waits'] as Letter
  expect(text).toContain(`“${HOSTILE}”`)
  expect(seen(html)).toContain(HOSTILE)
})

test('facts, lists and buttons are lines of the text', () => {
  const { text } = letter('A', [
    'Hello.',
    null,
    {
      facts: [
        ['Order', 'ord_1'],
        ['Paid', '1.00 USD'],
      ],
    },
    { list: ['one', 'two'] },
    { button: 'Go', url: 'https://a.example' },
  ])
  expect(text).toBe(
    'Hello.\n\nOrder: ord_1\nPaid: 1.00 USD\n\n- one\n- two\n\nGo:\nhttps://a.example\n',
  )
})

test('only lines that are too long are broken', () => {
  const short = 'a b c '.repeat(140)
  expect(fold(short)).toBe(short)
  const lines = fold(LONG).split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(900)
  expect(lines.join('').replaceAll(' ', '')).toBe(LONG.replaceAll(' ', ''))
})
