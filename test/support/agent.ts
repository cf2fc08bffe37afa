import type { Result } from './client.ts'
import {
  authorizeUrl,
  type Browser,
  CALLBACK,
  exchange,
  hidden,
  type LetIn,
  pkce,
  registerApp,
} from './oauth.ts'
import type { TestService } from './service.ts'

export interface Agent {
  clientId: string
  tokens: { access_token: string; refresh_token: string; scope: string; mandate?: object }
  post(path: string, body: object, headers?: Record<string, string>): Promise<Result>
  get(path: string): Promise<Result>
}

/** Consents to an app, up to its code. */
export async function consent(
  service: TestService,
  browser: Browser,
  { scope = 'pricing:read orders:create', clientId, ...limits }: AgentOptions = {},
): Promise<LetIn> {
  const id = clientId ?? (await registerApp(service)).body.client_id
  const { verifier, challenge } = pkce()
  const page = await browser.get(
    authorizeUrl({
      response_type: 'code',
      client_id: id,
      redirect_uri: CALLBACK,
      code_challenge: challenge,
      scope,
    }),
  )
  const response = await browser.post('/oauth/authorize', {
    consent: hidden(page, 'consent'),
    decision: 'allow',
    ...limits,
  })
  if (response.status !== 303) throw new Error(response.text)
  const { searchParams } = new URL(String(response.headers.location))
  return { clientId: id, code: searchParams.get('code') ?? '', verifier }
}

interface AgentOptions {
  scope?: string
  /** The limits as somebody fills them in on the consent page. */
  max_per_order?: string
  max_total?: string
  max_per_order_cents?: string
  max_total_cents?: string
  currency?: string
  expires_at?: string
  clientId?: string
}

/** An app that a user let in, with its token. */
export async function letIn(
  service: TestService,
  browser: Browser,
  options: AgentOptions = {},
): Promise<Agent> {
  const let_in = await consent(service, browser, options)
  const tokens = await exchange(service, let_in)
  if (tokens.status !== 200) throw new Error(tokens.text)
  return agentOf(service, let_in.clientId, tokens.body)
}

export function agentOf(service: TestService, clientId: string, tokens: Agent['tokens']): Agent {
  const authorization = `Bearer ${tokens.access_token}`
  return {
    clientId,
    tokens,
    post: (target, body, headers = {}) =>
      service.send({
        method: 'POST',
        target,
        headers: { 'content-type': 'application/json', authorization, ...headers },
        body: JSON.stringify(body),
      }),
    get: (target) => service.send({ method: 'GET', target, headers: { authorization } }),
  }
}

/** Buys a domain in both steps. */
export async function buy(agent: Agent, domain: string): Promise<Result> {
  const first = await agent.post('/api/agent/orders', { domain })
  if (first.status !== 200) return first
  return await agent.post('/api/agent/orders', { domain, confirm: first.body.confirmation })
}
