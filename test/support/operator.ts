import { type Result, send } from './client.ts'
import { formWithFile } from './form-with-file.ts'
import { must } from './market.ts'
import { makeUser, PASSWORD } from './oauth.ts'
import type { TestService } from './service.ts'

/** A form of a page: where it goes, and what it would send as it stands. */
export interface PageForm {
  action: string
  fields: [name: string, value: string][]
}

/** Somebody at the console: a browser without scripts, which keeps cookies and sends the forms it finds. */
export class Operator {
  readonly #service: TestService
  readonly #cookies = new Map<string, string>()
  page: Result = { status: 0, headers: {}, text: '', body: undefined }
  path = '/'
  userId = ''
  readonly email: string

  private constructor(service: TestService, email: string) {
    this.#service = service
    this.email = email
  }

  /** Opens an account, makes it an operator, and signs in. */
  static async enter(
    service: TestService,
    email = 'olga@example.com',
    { operator = true }: { operator?: boolean } = {},
  ): Promise<Operator> {
    const own = new Operator(service, email)
    own.userId = await makeUser(service, email)
    if (operator) must(await service.admin('PUT', `/users/${own.userId}`, { operator: true }), 200)
    await own.post('/sign-in', { email, password: PASSWORD })
    return own
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async visit(path: string): Promise<Result> {
    return await this.#go('GET', path, undefined)
  }

  async post(
    path: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Result> {
    const body = new URLSearchParams(fields).toString()
    return await this.#go('POST', path, body, {
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    })
  }

  /** Sends a file as a browser does, after the fields of its form. */
  async upload(
    path: string,
    content: string,
    fields: Record<string, string> = {},
    fileName = 'names.csv',
    headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Result> {
    const { type, body } = formWithFile(content, fields, fileName)
    return await this.#go('POST', path, body, { 'content-type': type, ...headers })
  }

  /** The forms of the page that do this, with these fields among what they send. */
  forms(does: string, having: Record<string, string> = {}): PageForm[] {
    return [...this.page.text.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/g)]
      .map(([, attributes = '', inside = '']) => ({
        action: unescape(/\baction="([^"]*)"/.exec(attributes)?.[1] ?? this.path),
        fields: [
          ...[...inside.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]) => {
            const name = attributeOf(tag, 'name')
            const isOff = /type="(?:checkbox|radio)"/.test(tag) && !/\bchecked\b/.test(tag)
            return name === undefined || isOff
              ? []
              : [[name, attributeOf(tag, 'value') ?? ''] as [string, string]]
          }),
          ...[...inside.matchAll(/<select\b([^>]*)>([^]*?)<\/select>/g)].map(
            ([, tag = '', options = '']): [string, string] => [
              attributeOf(tag, 'name') ?? '',
              attributeOf(/<option\b[^>]*\bselected\b[^>]*>/.exec(options)?.[0] ?? '', 'value') ??
                '',
            ],
          ),
          ...[...inside.matchAll(/<textarea\b([^>]*)>([^]*?)<\/textarea>/g)].map(
            ([, tag = '', text = '']): [string, string] => [
              attributeOf(tag, 'name') ?? '',
              unescape(text),
            ],
          ),
        ],
      }))
      .filter(({ fields }) => {
        const sent = new Map(fields)
        return (
          sent.get('do') === does &&
          Object.entries(having).every(([name, value]) => sent.get(name) === value)
        )
      })
  }

  /** Sends the one form of the page that does this, with what is written into it. */
  async submit(
    does: string,
    written: Record<string, string> = {},
    having: Record<string, string> = {},
  ): Promise<Result> {
    const [form] = this.forms(does, having)
    if (!form) throw new Error(`${this.path} has no form that does ${does}: ${this.page.text}`)
    return await this.send(form, written)
  }

  async send({ action, fields }: PageForm, written: Record<string, string> = {}): Promise<Result> {
    const kept = fields.filter(([name]) => !(name in written))
    return await this.post(action, [...kept, ...Object.entries(written)])
  }

  async #go(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string> = {},
  ): Promise<Result> {
    this.path = path
    this.page = await send(this.#service.baseUrl, {
      method,
      target: path,
      headers: { accept: 'text/html', cookie: this.cookie, ...headers },
      ...(body !== undefined && { body }),
    })
    for (const cookie of this.page.headers['set-cookie'] ?? []) {
      const [pair = ''] = cookie.split(';')
      const at = pair.indexOf('=')
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const { location } = this.page.headers
    return location === undefined ? this.page : await this.#go('GET', location, undefined)
  }

  /** What the page says at its top, in plain text. */
  get notice(): string {
    const text = /<p class="notice[^>]*>([^]*?)<\/p>/.exec(this.page.text)?.[1] ?? ''
    return unescape(text.replace(/<[^>]+>/g, ''))
  }
}

function attributeOf(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : unescape(value)
}

function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}
