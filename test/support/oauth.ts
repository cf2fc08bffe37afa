import { createHash, randomBytes } from 'node:crypto'
import type { Result } from './client.ts'
import { formWithFile } from './form-with-file.ts'
import type { TestService } from './service.ts'

export const CALLBACK = 'https://app.example/callback'
export const PASSWORD = 'correct horse battery'

/** A browser of one person: keeps the session's cookie and the others, and sends forms as our pages would. */
export class Browser {
  readonly #service: () => TestService
  /** The session's. */
  cookie: string | undefined
  readonly #others = new Map<string, string>()

  constructor(service: () => TestService) {
    this.#service = service
  }

  async get(target: string): Promise<Result> {
    return this.#keep(
      await this.#service().send({
        method: 'GET',
        target,
        headers: { accept: 'text/html', ...this.#headers() },
      }),
    )
  }

  async post(
    target: string,
    form: Record<string, string>,
    headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Result> {
    return this.#keep(
      await this.#service().send({
        method: 'POST',
        target,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
          ...this.#headers(),
        },
        body: new URLSearchParams(form).toString(),
      }),
    )
  }

  /** Sends a form with a file. */
  async upload(
    target: string,
    content: string,
    fields: Record<string, string> = {},
  ): Promise<Result> {
    const { type, body } = formWithFile(content, fields)
    return this.#keep(
      await this.#service().send({
        method: 'POST',
        target,
        headers: { 'content-type': type, 'sec-fetch-site': 'same-origin', ...this.#headers() },
        body,
      }),
    )
  }

  #headers(): Record<string, string> {
    const cookies = [this.cookie, ...this.#others.values()].filter(Boolean)
    return cookies.length === 0 ? {} : { cookie: cookies.join('; ') }
  }

  #keep(response: Result): Result {
    for (const set of response.headers['set-cookie'] ?? []) {
      const pair = set.split(';')[0] ?? ''
      const name = pair.split('=')[0] ?? ''
      if (name.endsWith('-session')) this.cookie = pair
      else this.#others.set(name, pair)
    }
    return response
  }
}

/** The value of a hidden field on a page. */
export function hidden(page: Result, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1]
  if (value === undefined) throw new Error(`no field ${name}: ${page.text}`)
  return value.replaceAll('&amp;', '&')
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export async function registerApp(
  service: TestService,
  metadata: object = { redirect_uris: [CALLBACK], client_name: 'Test app' },
): Promise<Result> {
  return await service.send({
    method: 'POST',
    target: '/api/oauth/register',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })
}

export async function makeUser(
  service: TestService,
  email: string,
  domains: string[] = [],
): Promise<string> {
  const response = await service.admin('POST', '/users', { email, password: PASSWORD, domains })
  if (response.status !== 201) throw new Error(response.text)
  return response.body.user_id
}

export async function signIn(service: TestService, email: string): Promise<Browser> {
  const browser = new Browser(() => service)
  const response = await browser.post('/sign-in', { email, password: PASSWORD })
  if (response.status !== 303) throw new Error(response.text)
  return browser
}

export function authorizeUrl(parameters: Record<string, string>): string {
  return `/oauth/authorize?${new URLSearchParams(parameters)}`
}

/** Lets an app in, and returns the parameters that it gets back. */
export async function allow(
  browser: Browser,
  url: string,
  decision = 'allow',
): Promise<URLSearchParams> {
  const page = await browser.get(url)
  const response = await browser.post('/oauth/authorize', {
    consent: hidden(page, 'consent'),
    decision,
  })
  if (response.status !== 303) throw new Error(response.text)
  return new URL(String(response.headers.location)).searchParams
}

export async function tokenRequest(
  service: TestService,
  form: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): Promise<Result> {
  return await service.send({
    method: 'POST',
    target: '/api/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })
}

export interface LetIn {
  clientId: string
  code: string
  verifier: string
  redirectUri?: string
}

/** Up to the code: registered, signed in, let in. */
export async function newCode(
  service: TestService,
  browser: Browser,
  clientId?: string,
): Promise<LetIn> {
  const id = clientId ?? (await registerApp(service)).body.client_id
  const { verifier, challenge } = pkce()
  const response = await allow(
    browser,
    authorizeUrl({
      response_type: 'code',
      client_id: id,
      redirect_uri: CALLBACK,
      code_challenge: challenge,
      state: 's',
    }),
  )
  return { clientId: id, code: response.get('code') ?? '', verifier }
}

export function exchange(
  service: TestService,
  { clientId, code, verifier, redirectUri = CALLBACK }: LetIn,
) {
  return tokenRequest(service, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  })
}

export function refresh(service: TestService, clientId: string, token: string) {
  return tokenRequest(service, {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token,
  })
}
