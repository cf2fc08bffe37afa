import type { Page } from 'playwright-core'
import { HAS_BROWSER, openBrowser } from '../../test/support/browser.ts'
import { Buyer, CARDS } from '../../test/support/buyer.ts'
import type { Result } from '../../test/support/client.ts'
import { freshName, must } from '../../test/support/market.ts'
import { makeUser, registerApp, signIn } from '../../test/support/oauth.ts'
import { startService } from '../../test/support/service.ts'
import { hold, type Proof, Skipped } from '../proof.ts'

/** How a payload may break out of where it stands. */
const BREAKS = [
  '',
  '"',
  "'",
  '">',
  "'>",
  '</title>',
  '</textarea>',
  '--></style></script>',
  '\u0000',
  '&quot;>',
]
const SCRIPTS = [
  '<script>hit()</script>',
  '<ScRiPt src=data:,hit()></sCrIpT>',
  '<img src=x onerror=hit()>',
  '<svg/onload=hit()>',
  '<svg><script>hit()</script></svg>',
  '<iframe srcdoc="<script>parent.hit()</script>">',
  '<iframe src="javascript:parent.hit()">',
  '<body onload=hit()>',
  '<details open ontoggle=hit()>',
  '<input autofocus onfocus=hit()>',
  '<video><source onerror=hit()></video>',
  '<math><mtext><table><mglyph><style><img src=x onerror=hit()>',
  '<meta http-equiv=refresh content="0;url=javascript:hit()">',
  '<base href="javascript:hit()//">',
  '<a href="javascript:hit()" autofocus>x</a>',
  '<form action="javascript:hit()"><input type=submit></form>',
  ' onmouseover=hit() onfocus=hit() autofocus tabindex=1 x=',
  'javascript:hit()//',
  '&lt;script&gt;hit()&lt;/script&gt;',
  '&#60;img src=x onerror=hit()&#62;',
]
/** What is on none of our pages, so that finding it means that something broke out. */
const FOREIGN =
  'iframe, object, embed, base, svg[onload], img[src="x"], details[ontoggle], video, math, a[href^="javascript:"], form[action^="javascript:"], meta[http-equiv="refresh" i][content*="javascript" i]'

/** Payloads in every field that a page shows, loaded by a browser that no policy holds back. */
export const payloads: Proof = {
  name: 'script payloads through every rendered field',
  async run({ random, size }) {
    if (!HAS_BROWSER) throw new Skipped('no Chromium')
    const all = BREAKS.flatMap((before) => SCRIPTS.map((script) => before + script))
    const count = Math.min(all.length, size({ quick: 5, ci: 30, release: all.length }))
    const chosen = all.toSorted(() => random.next() - 0.5).slice(0, count)
    const service = await startService()
    const browser = await openBrowser()
    let pages = 0
    let shown = 0
    try {
      const page = await browser.newPage()
      let hits = 0
      await page.exposeFunction('hit', () => {
        hits += 1
      })
      page.on('dialog', (dialog) => void dialog.dismiss())
      const client = await service.partner()
      await makeUser(service, 'user@example.com')
      for (const payload of chosen) {
        for (const { name, answer: response } of await render(payload)) {
          const found = await executed(page, response)
          hold(hits === 0, `on ${name} the payload ran: ${payload}`)
          hold(found === null, `on ${name} the payload became ${found}: ${payload}`)
          pages += 1
          if (response.text.includes('hit()')) shown += 1
        }
      }

      /** Every page that shows what others wrote, with the payload in all of its fields. */
      async function render(payload: string): Promise<{ name: string; answer: Result }[]> {
        const rendered: { name: string; answer: Result }[] = []
        const note = (name: string, response: Result) => rendered.push({ name, answer: response })
        const visit = async (name: string, target: string) =>
          note(
            name,
            await service.send({ method: 'GET', target, headers: { accept: 'text/html' } }),
          )
        const encoded = encodeURIComponent(payload)
        // Where the way goes on only from what was taken: no text may hold a NUL.
        const taken = payload.replaceAll('\u0000', '')

        const opened = await client.post('/brokerage', {
          domain: `wanted-${pages}.test`,
          tier: 'self_serve',
          buyer_email: 'buyer@example.com',
          budget: 500_000,
          note: taken,
        })
        const { case_id, progress_url } = must(opened, 201).body
        await service.admin('POST', `/brokerage/${case_id}/assign`, { assignee: payload })
        for (const move of ['source', 'contact', 'negotiate']) {
          await service.admin('POST', `/brokerage/${case_id}/${move}`, { note: payload })
        }
        const offer = { by: 'owner', made_by: 'owner', price_cents: 1_000, message: payload }
        await service.admin('POST', `/brokerage/${case_id}/offers`, offer)
        const buyer = new Buyer(service)
        note('the case', await buyer.visit(progress_url))
        note(
          'the case, an offer refused',
          await buyer.submit({ amount: payload, message: payload }),
        )

        const domain = await freshName(service)
        const session = await client.post('/checkout-session', {
          domain,
          buyer: { email: 'b@example.com', name: taken },
        })
        const paying = new Buyer(service)
        note('the checkout', await paying.visit(must(session, 201).body.checkout_url))
        const bad = { email: payload, name: payload, address: payload, city: payload }
        note('the checkout, details refused', await paying.submit({ ...bad, postal_code: payload }))
        const good = { name: taken, address: taken, city: taken }
        note('the receipt', await paying.pay(session.body.checkout_url, CARDS.succeeds, good))

        const person = await signIn(service, 'user@example.com')
        const callback = 'https://app.example/callback'
        const app = await registerApp(service, { redirect_uris: [callback], client_name: taken })
        const query = new URLSearchParams({
          response_type: 'code',
          client_id: String(app.body.client_id),
          redirect_uri: callback,
          code_challenge: 'x'.repeat(43),
          state: payload,
        })
        note('the consent', await person.get(`/oauth/authorize?${query}`))
        query.set('client_id', payload)
        note('the consent, refused', await person.get(`/oauth/authorize?${query}`))
        query.set('client_id', String(app.body.client_id))
        query.set('redirect_uri', payload)
        note('the redirect, refused', await person.get(`/oauth/authorize?${query}`))
        await person.post('/account/tokens', { label: payload })
        note('the account', await person.get('/account'))
        note(
          'the sign-in',
          await person.post('/sign-in', { email: payload, password: 'x', next: payload }),
        )
        note(
          'the sign-up',
          await person.post('/sign-up', { email: payload, password: 'x', next: payload }),
        )
        note(
          'the new password',
          await person.post('/reset-password', { token: payload, password: 'x' }),
        )

        await visit('a name', `/d/${encoded}`)
        await visit('a link', `/r/${encoded}`)
        await visit('a path', `/${encoded}`)
        await visit('a checkout', `/checkout?pt=${encoded}`)
        await visit('a case', `/cases/${encoded}`)
        await visit('a confirmation', `/confirm-email?token=${encoded}`)
        await visit('a sign-in', `/sign-in?next=${encoded}`)
        return rendered
      }
    } finally {
      await browser.close()
      await service.stop()
    }
    hold(shown > pages / 4, `only ${shown} of ${pages} pages showed a payload at all`)
    return `${count} payloads, ${pages} pages, ${shown} of which showed the payload, no execution`
  },
}

/** Renders without any policy of ours, and returns what is on the page that should not be. */
async function executed(page: Page, { text }: Result): Promise<string | null> {
  if (!text.includes('<')) return null
  await page.setContent(text, { waitUntil: 'load' }).catch(() => {})
  return await page.evaluate((foreign) => {
    const { document } = globalThis as unknown as {
      document: {
        querySelector(selector: string): { outerHTML: string } | null
        querySelectorAll(selector: string): Iterable<{
          outerHTML: string
          textContent: string
          attributes: Iterable<{ name: string }>
        }>
      }
    }
    const stranger = document.querySelector(foreign)
    if (stranger) return stranger.outerHTML.slice(0, 200)
    for (const element of document.querySelectorAll('*')) {
      for (const { name } of element.attributes) {
        if (name.startsWith('on')) return element.outerHTML.slice(0, 200)
      }
    }
    for (const script of document.querySelectorAll('script')) {
      if (script.textContent.includes('hit()')) return script.outerHTML.slice(0, 200)
    }
    return null
  }, FOREIGN)
}
