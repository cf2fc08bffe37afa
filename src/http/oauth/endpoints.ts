import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { revokeToken } from '../../domain/oauth/access.ts'
import { findClient, registerClient } from '../../domain/oauth/client.ts'
import { exchangeCode, refreshTokens } from '../../domain/oauth/grant.ts'
import type { TokenResponse } from '../../domain/oauth/issue-tokens.ts'
import { checkResource, OAuthError, singleParameters } from '../../domain/oauth/oauth-error.ts'
import { readScope } from '../../domain/oauth/scope.ts'
import { errorHeaders, toApiError } from '../api-errors.ts'
import { handlePreflight } from '../public/headers.ts'
import { idempotencyOf } from '../public/idempotency.ts'
import { addressOf, type Web } from '../web.ts'
import { registrationsOf } from './make-registration.ts'

const BASE = '/api/oauth'
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

type Work = (request: FastifyRequest, reply: FastifyReply, now: Date) => Promise<object>

/** What apps call themselves: registration, token and revocation. All respond as RFC 6749 has it. */
export function serveOAuthEndpoints(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { db, clock, settings } = app

  route('/register', async (request, reply, now) => {
    const register = () =>
      web.execute(registerClient, {
        caller: { kind: 'page', user: null, partner: null },
        now,
        requestId: request.id,
        idempotency: () => idempotencyOf(request, addressOf(request)),
        input: () => ({ metadata: readJson(request) }),
      })
    const makeClient = registrationsOf(app, web, request)
    const { value, replayed } = await makeClient(register, (made) => !made.replayed)
    reply.code(201)
    if (replayed) reply.header('Idempotent-Replayed', 'true')
    return value
  })

  route('/token', async (request, reply, now) => {
    await web.countUnauthenticated(request, now)
    // RFC 6749, 5.1.
    reply.header('pragma', 'no-cache')
    const form = readForm(request)
    const parameters = singleParameters(form)
    const grantType = required(parameters, 'grant_type')
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
      throw new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token.',
      )
    }
    const clientId = await identify(request, parameters)
    checkResource(form, settings.baseUrl)
    const asked = parameters.get('scope')
    const scope = asked === undefined ? null : askedScope(asked, grantType)
    return grantType === 'refresh_token'
      ? await refreshTokens(app, {
          clientId,
          refreshToken: required(parameters, 'refresh_token'),
          scope,
        })
      : await exchange(clientId, parameters, scope)
  })

  route('/revoke', async (request, _reply, now) => {
    await web.countUnauthenticated(request, now)
    const parameters = singleParameters(readForm(request))
    const token = required(parameters, 'token')
    const clientId = await identify(request, parameters)
    await revokeToken(db, now, { clientId, token })
    return {}
  })

  async function exchange(
    clientId: string,
    parameters: Map<string, string>,
    scope: string | null,
  ): Promise<TokenResponse> {
    const code = required(parameters, 'code')
    const verifier = required(parameters, 'code_verifier')
    if (!VERIFIER.test(verifier)) {
      throw new OAuthError(
        'invalid_grant',
        'code_verifier must be 43 to 128 unreserved characters.',
      )
    }
    return await exchangeCode(app, {
      clientId,
      code,
      verifier,
      redirectUri: parameters.get('redirect_uri'),
      scope,
    })
  }

  /** Public clients name themselves; there is nothing that they could prove it with. */
  async function identify(
    { headers }: FastifyRequest,
    parameters: Map<string, string>,
  ): Promise<string> {
    if (headers.authorization !== undefined || parameters.has('client_secret')) {
      throw new OAuthError('invalid_client', 'Clients are public here: send client_id, no secret.')
    }
    const clientId = required(parameters, 'client_id')
    if (await findClient(db, clientId)) return clientId
    throw new OAuthError('invalid_client', 'client_id is unknown here. Register first.')
  }

  function route(path: string, work: Work): void {
    const url = `${BASE}${path}`
    fastify.options(url, async (_request, reply) => handlePreflight(reply, 'POST'))
    fastify.post(
      url,
      {
        config: { operation: `oauth_${path.slice(1)}` },
        errorHandler: (error, request, reply) => fail(error, request, reply),
      },
      async (request, reply) => {
        reply.headers({ 'cache-control': 'no-store' })
        const result = await work(request, reply, clock.now())
        return reply
          .header('content-type', 'application/json; charset=utf-8')
          .send(JSON.stringify(result))
      },
    )
  }

  function fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, headers, body } = resultOf(error, request.headers.authorization !== undefined)
    if (status >= 500) request.log.error({ err: error }, 'oauth: it failed')
    return reply
      .code(status)
      .headers({ ...headers, 'cache-control': 'no-store' })
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(body))
  }

  function resultOf(error: unknown, usedScheme: boolean) {
    if (error instanceof OAuthError) {
      return {
        status: error.status,
        // RFC 6749, 5.2: a client that used this scheme is told that it is not to.
        headers: usedScheme ? { 'www-authenticate': 'Basic realm="oauth"' } : {},
        body: { error: error.error, error_description: error.message },
      }
    }
    const problem = toApiError(error)
    const code = problem.status < 500 && problem.status !== 429 ? 'invalid_request' : problem.code
    return {
      status: problem.status,
      headers: errorHeaders(problem, settings.baseUrl),
      body: { error: code, error_description: problem.message },
    }
  }
}

function required(parameters: Map<string, string>, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** A refresh may name only what was granted (RFC 6749, 6); before it an app may also name `offline_access`. */
function askedScope(scope: string, grantType: 'authorization_code' | 'refresh_token'): string {
  return grantType === 'refresh_token' ? scope : readScope(scope).join(' ')
}

function readForm(request: FastifyRequest): URLSearchParams {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    throw new OAuthError('invalid_request', 'Send the body as application/x-www-form-urlencoded.')
  }
  return new URLSearchParams(textOf(request, 'invalid_request'))
}

function readJson(request: FastifyRequest): unknown {
  const text = textOf(request, 'invalid_client_metadata')
  const type = request.headers['content-type'] ?? 'application/json'
  try {
    if (/^application\/json\b/i.test(type)) return JSON.parse(text)
  } catch {
    // Rejected below, as whatever else is no JSON.
  }
  throw new OAuthError('invalid_client_metadata', 'Send the metadata as a JSON object.')
}

function textOf(request: FastifyRequest, problem: 'invalid_request' | 'invalid_client_metadata') {
  try {
    return request.body instanceof Uint8Array ? utf8.decode(request.body) : ''
  } catch {
    throw new OAuthError(problem, 'The body is not text in UTF-8.')
  }
}
