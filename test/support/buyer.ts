import { type Result, send } from './client.ts'
import type { TestService } from './service.ts'

const HUMAN =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36'

/** What the test cards of the contract do. */
export const CARDS = {
  succeeds: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  asks: '4000 0025 0000 3155',
  later: '4000 0000 0000 0077',
}

export const DETAILS = {
  email: 'buyer@example.com',
  name: 'Robin Buyer',
  address: '1 Main Street',
  city: 'Springfield',
  postal_code: '12345',
  country: 'US',
}

/** A browser without scripts: it keeps cookies, follows redirects and sends forms. */
export class Buyer {
  readonly #service: Pick<TestService, 'baseUrl'>
  readonly #cookies = new Map<string, string>()
  readonly userAgent: string
  /** The page it is on. */
  path = '/'
  page: Result = { status: 0, headers: {}, text: '', body: undefined }

  constructor(service: Pick<TestService, 'baseUrl'>, userAgent = HUMAN) {
    this.#service = service
    this.userAgent = userAgent
  }

  /** The same buyer on the same page, in another tab. */
  again(): Buyer {
    return Object.assign(new Buyer(this.#service, this.userAgent), {
      path: this.path,
      page: this.page,
    })
  }

  /** A cookie that was set before. */
  carry(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  async visit(url: string): Promise<Result> {
    return await this.#go('GET', this.#relative(url))
  }

  /** Sends the page's first form, or the one that has this action in it, with what is filled in. */
  async submit(values: Record<string, string> = {}, action = ''): Promise<Result> {
    const form = [
      ...this.page.text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([^]*?)<\/form>/g),
    ].find(([, target = '']) => target.includes(action))
    if (!form) throw new Error(`no form on the page: ${this.page.text}`)
    const fields = new URLSearchParams()
    for (const [input] of (form[2] ?? '').matchAll(/<input[^>]*>/g)) {
      const [, name = ''] = / name="([^"]*)"/.exec(input) ?? []
      const [, value = ''] = / value="([^"]*)"/.exec(input) ?? []
      if (!input.includes('checkbox')) fields.set(name, unescape(value))
    }
    const [, selected] =
      /<option[^>]*selected[^>]*value="([^"]*)"|<option value="([^"]*)"/.exec(form[2] ?? '') ?? []
    if (form[2]?.includes('name="country"')) fields.set('country', selected ?? 'US')
    for (const [name, value] of Object.entries(values)) fields.set(name, value)
    return await this.#go('POST', unescape(form[1] ?? ''), fields.toString())
  }

  /** From a checkout link, or a name's page, to whatever the card leads to. */
  async pay(
    url: string,
    card = CARDS.succeeds,
    details: Partial<typeof DETAILS> = {},
  ): Promise<Result> {
    await this.visit(url)
    if (this.path.startsWith('/d/')) await this.submit()
    await this.submit({ ...DETAILS, ...details })
    return await this.card(card)
  }

  async card(number: string): Promise<Result> {
    return await this.submit({ card_number: number, card_expiry: '12/39', card_cvc: '123' })
  }

  /** The order's id on the page. */
  get publicId(): string | undefined {
    return /ord_[0-9a-z]{26}/.exec(this.page.text)?.[0]
  }

  #relative(url: string): string {
    return url.startsWith('http') ? url.replace(/^https?:\/\/[^/]+/, '') || '/' : url
  }

  async #go(method: string, path: string, body?: string): Promise<Result> {
    this.path = path
    this.page = await send(this.#service.baseUrl, {
      method,
      target: path,
      headers: {
        accept: 'text/html',
        'user-agent': this.userAgent,
        ...(this.#cookies.size > 0 && {
          cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        }),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
    })
    for (const cookie of this.page.headers['set-cookie'] ?? []) {
      const [pair = ''] = cookie.split(';')
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const { location } = this.page.headers
    // What leads elsewhere is for the test to look at.
    if (
      location === undefined ||
      (location.startsWith('http') && !location.includes('localhost:3000'))
    ) {
      return this.page
    }
    return await this.#go('GET', this.#relative(location))
  }
}

function unescape(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
}
