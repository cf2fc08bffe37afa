import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { SignedIn } from '../../domain/accounts/session.ts'
import {
  type AuthorizeRequest,
  readAuthorizeRequest,
  responseUrl,
} from '../../domain/oauth/authorize-request.ts'
import { grantCode } from '../../domain/oauth/grant.ts'
import { OAuthError } from '../../domain/oauth/oauth-error.ts'
import { after, MINUTE } from '../../lib/clock.ts'
import { SignInForm } from '../../web/account/forms.tsx'
import { sendPage } from '../../web/layout/frame.tsx'
import { rawQueryOf } from '../input.ts'
import { allowOrigins } from '../public/headers.ts'
import { readForm } from '../same-origin.ts'
import { readSession } from '../session-cookie.ts'
import type { Web } from '../web.ts'
import { AUTHORIZE_PATH, hostOf } from './asking-app.ts'
import { Consent } from './consent.tsx'
import { serveOAuthEndpoints } from './endpoints.ts'
import { registrationsOf } from './make-registration.ts'
import { defaultMandate, mandateDays, readMandate } from './mandate-form.ts'
import { serveMetadata } from './metadata.ts'

/** How long a consent page may lie open. */
const CONSENT_MS = 15 * MINUTE
const SEALED_FOR = 'oauth consent'

type Rejected = Extract<ReturnType<typeof readMandate>, { problems: object }>

interface SealedConsent {
  query: string
  session: string
  expires: number
}

/** OAuth 2.1: metadata, the endpoints that apps call, and the page where a user lets an app in. */
export function serveOAuth(fastify: FastifyInstance, appContext: AppContext, web: Web): void {
  const { clock, secrets, settings } = appContext
  const page = { config: { page: true as const } }
  fastify.register(async (scope) => {
    allowOrigins(scope)
    serveMetadata(scope, appContext, web)
    serveOAuthEndpoints(scope, appContext, web)
  })

  fastify.get(AUTHORIZE_PATH, page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    const query = rawQueryOf(request)
    const asked = await read(request, new URLSearchParams(query), reply)
    if (asked === null) return reply
    const app = { name: asked.client.name, host: hostOf(asked.redirectUri) }
    const session = await readSession(request, appContext)
    if (!session) {
      const next = `${AUTHORIZE_PATH}?${query}`
      return sendPage(reply, { title: 'Sign in' }, <SignInForm next={next} app={app} />)
    }
    return ask(reply, asked, session, query)
  })

  fastify.post(AUTHORIZE_PATH, page, async (request, reply) => {
    const now = clock.now()
    await web.countUnauthenticated(request, now)
    const form = readForm(request, settings.baseUrl)
    const session = await readSession(request, appContext)
    const query = session && openConsent(form.get('consent') ?? '', session, now)
    if (!session || query === null) {
      return failed(reply, 400, 'This page is out of date. Go back to the app and start again.')
    }
    // Everything is checked anew: the client may have changed what it registered meanwhile.
    const asked = await read(request, new URLSearchParams(query), reply)
    if (asked === null) return reply
    if (form.get('decision') !== 'allow') {
      const denied = new OAuthError('access_denied', 'The user did not let the app in.')
      return sendBack(reply, asked, denied)
    }
    const mayBuy = asked.scopes.includes('orders:create')
    const limits = mayBuy ? readMandate(form, now) : null
    if (limits && 'problems' in limits) return ask(reply, asked, session, query, limits)
    const code = await grantCode(appContext, session.user.id, {
      clientId: asked.client.client_id,
      redirectUri: asked.redirectUri,
      codeChallenge: asked.codeChallenge,
      scopes: asked.scopes,
      mandate: limits?.mandate ?? null,
    })
    return leave(reply, responseUrl(asked, settings.baseUrl, { code }))
  })

  function ask(
    reply: FastifyReply,
    { client, redirectUri, scopes }: AuthorizeRequest,
    { sessionId, user }: SignedIn,
    query: string,
    rejected?: Rejected,
  ): FastifyReply {
    const now = clock.now()
    const expires = after(now, CONSENT_MS).getTime()
    const sealed: SealedConsent = { query, session: sessionId, expires }
    const { fields, problems } = rejected ?? { fields: defaultMandate(now), problems: {} }
    return sendPage(
      reply,
      {
        title: `Allow ${client.name}?`,
        status: rejected ? 400 : 200,
        // Browsers hold redirects after a form to this too, and an app may send on from where we sent to.
        formTargets: ['https:', 'http:', new URL(redirectUri).protocol],
      },
      <Consent
        app={{ name: client.name, host: hostOf(redirectUri) }}
        client={client}
        scopes={scopes}
        email={user.email}
        redirectUri={redirectUri}
        sealed={secrets.sealToken(JSON.stringify(sealed), SEALED_FOR)}
        mandate={
          scopes.includes('orders:create') ? { fields, problems, days: mandateDays(now) } : null
        }
      />,
    )
  }

  /** What is asked for; null when the response has gone out already. */
  async function read(
    request: FastifyRequest,
    query: URLSearchParams,
    reply: FastifyReply,
  ): Promise<AuthorizeRequest | null> {
    try {
      const makeClient = registrationsOf(appContext, web, request)
      const asked = await readAuthorizeRequest(appContext, query, makeClient)
      if (!('error' in asked)) return asked
      sendBack(reply, asked, asked.error)
      return null
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      failed(reply, error.status, error.message, error.error)
      return null
    }
  }

  function sendBack(
    reply: FastifyReply,
    asked: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
    { error, message }: OAuthError,
  ): FastifyReply {
    const result = { error, error_description: message }
    return leave(reply, responseUrl(asked, settings.baseUrl, result))
  }

  function openConsent(token: string, session: SignedIn, now: Date): string | null {
    const text = secrets.openToken(token, SEALED_FOR)
    if (text === null) return null
    const sealed = JSON.parse(text) as SealedConsent
    const isValid = sealed.session === session.sessionId && sealed.expires > now.getTime()
    return isValid ? sealed.query : null
  }
}

/** 303: whatever the browser sent here stays here (RFC 9700, 4.12). */
function leave(reply: FastifyReply, url: string): FastifyReply {
  return reply
    .code(303)
    .headers({ location: url, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .send()
}

function failed(reply: FastifyReply, status: number, message: string, code?: string): FastifyReply {
  return sendPage(
    reply,
    { title: 'This app cannot be let in', status, hidden: true },
    <>
      <h1>This app cannot be let in</h1>
      <p>{message}</p>
      <p class="soft">Nothing was shared with it. {code !== undefined && <code>{code}</code>}</p>
    </>,
  )
}
