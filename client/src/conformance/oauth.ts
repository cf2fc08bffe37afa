import {
  expectField,
  expectOAuthError,
  expectStatus,
  expectThatOf,
  expectUncached,
  Skipped,
  shown,
  text,
} from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import { type Answer } from './wire.ts'

const RULE = 'service, OAuth endpoints'
const GAPS = 'contract 14'
const REDIRECT = 'http://127.0.0.1/conformance'
const STATE = 'state-of-the-kit'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const check = checksOf('oauth')

const read = (kit: Kit, target: string, headers = {}) =>
  kit.send({ method: 'GET', target, headers })

function postJson(kit: Kit, target: string, value: object, headers = {}): Promise<Answer> {
  return kit.send({
    method: 'POST',
    target,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  })
}

function postForm(kit: Kit, fields: Record<string, string>): Promise<Answer> {
  return kit.send({
    method: 'POST',
    target: '/api/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
}

async function register(kit: Kit): Promise<string> {
  const client = { client_name: 'Conformance kit', redirect_uris: [REDIRECT] }
  return expectStatus(await postJson(kit, '/api/oauth/register', client), 201).body.client_id
}

async function authorize(kit: Kit, change: Record<string, string | undefined>): Promise<Answer> {
  const wanted = {
    response_type: 'code',
    client_id: await register(kit),
    redirect_uri: REDIRECT,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: STATE,
    ...change,
  }
  const given = Object.entries(wanted).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  return await read(kit, `/oauth/authorize?${new URLSearchParams(given)}`)
}

const LISTINGS = { id: '1', op: 'list_listings', params: { limit: 20 } }
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'

/** The address of the metadata that a 401 names. */
function challengeOf(answer: Answer, ...more: string[]): string {
  const { 'www-authenticate': challenge } = answer.headers
  const [, address = ''] = /^Bearer .*resource_metadata="([^"]+)"/.exec(challenge ?? '') ?? []
  for (const part of more) {
    const problem = `WWW-Authenticate is ${shown(challenge)} without ${part} (RFC 6750, 3)`
    expectThatOf(answer, challenge?.includes(part), problem)
  }
  const problem = `WWW-Authenticate is ${shown(challenge)} without resource_metadata="URL" (RFC 9728, 5.1)`
  expectThatOf(answer, URL.canParse(address), problem)
  return address
}

interface Priced {
  price_cents: number | null
  price_masked: boolean
}

function expectMasked(answer: Answer, priced: (Priced | null)[]): void {
  for (const one of priced) {
    const isMasked = one?.price_masked === true && one.price_cents === null
    expectThatOf(answer, isMasked, `without a token, ${shown(one)} is not masked`)
  }
}

/** What an error that goes back to the client says. */
function sentBack(answer: Answer): URLSearchParams {
  const { status, headers } = answer
  const isRedirect = status === 302 || status === 303
  expectThatOf(answer, isRedirect, `responded ${status} instead of a redirect`)
  const location = headers.location ?? ''
  expectThatOf(answer, location.startsWith(REDIRECT), `redirects to ${location}`)
  return new URL(location).searchParams
}

function expectSentBack(answer: Answer, error: string): void {
  const sent = sentBack(answer)
  for (const [name, wanted] of [
    ['error', error],
    ['state', STATE],
  ] as const) {
    const got = sent.get(name)
    expectThatOf(answer, got === wanted, `${name} of the redirect is ${got} instead of ${wanted}`)
  }
}

export const OAUTH: Check[] = [
  check(RULE, 'challenges a call of /api, and names its metadata', async (kit) => {
    const answer = expectStatus(await read(kit, '/api'), 401)
    const address = challengeOf(answer)
    const metadata = expectStatus(await read(kit, new URL(address).pathname), 200)
    // The metadata of a resource is where its own address says (RFC 9728, 3.1 and 3.3).
    const resource = address.replace('/.well-known/oauth-protected-resource', '')
    expectField(metadata, 'resource', resource)
    const { authorization_servers: servers } = metadata.body
    const { issuer } = expectStatus(await read(kit, AUTHORIZATION_SERVER), 200).body
    expectThatOf(
      metadata,
      Array.isArray(servers) && servers.includes(issuer),
      `authorization_servers is ${shown(servers)} without the issuer ${issuer}`,
    )
  }),
  check(RULE, 'publishes what its authorization server does', async (kit) => {
    const answer = expectStatus(await read(kit, AUTHORIZATION_SERVER), 200)
    const { body } = answer
    for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
      const isOurs = String(body[name]).startsWith(body.issuer)
      expectThatOf(answer, isOurs, `${name} is ${body[name]}, and issuer ${body.issuer}`)
    }
    const { code_challenge_methods_supported: methods } = body
    const isS256 = String(methods) === 'S256'
    expectThatOf(answer, isS256, `code_challenge_methods_supported is ${shown(methods)}`)
    for (const [name, wanted] of [
      ['response_types_supported', 'code'],
      ['scopes_supported', 'pricing:read'],
    ] as const) {
      const isThere = body[name]?.includes(wanted)
      expectThatOf(answer, isThere, `${name} is ${shown(body[name])} without ${wanted}`)
    }
  }),
  check(GAPS, 'names itself in what it sends back, and says so in its metadata', async (kit) => {
    const metadata = expectStatus(await read(kit, AUTHORIZATION_SERVER), 200)
    // RFC 9207.
    expectField(metadata, 'authorization_response_iss_parameter_supported', true)
    const { issuer } = metadata.body
    const sent = await authorize(kit, { response_type: 'token' })
    const iss = sentBack(sent).get('iss')
    expectThatOf(sent, iss === issuer, `iss is ${iss} instead of ${issuer}`)
  }),
  check(RULE, 'registers a public client, and gives out no secret', async (kit) => {
    const client = { client_name: 'Conformance kit', redirect_uris: [REDIRECT] }
    const answer = expectStatus(await postJson(kit, '/api/oauth/register', client), 201)
    expectThatOf(answer, text(answer.body.client_id), 'client_id is missing')
    expectField(answer, 'client_secret', undefined)
  }),
  check(GAPS, 'registers no redirect to plain http elsewhere, nor to a script', async (kit) => {
    for (const uri of ['http://example.com/cb', 'javascript:alert(1)', 'https://example.com/#f']) {
      const client = { client_name: 'Conformance kit', redirect_uris: [uri] }
      const answer = await postJson(kit, '/api/oauth/register', client)
      expectThatOf(answer, answer.status === 400, `responded ${answer.status} to ${uri}`)
      expectOAuthError(answer, 400, 'invalid_redirect_uri', 'invalid_client_metadata')
    }
  }),
  check(GAPS, 'redirects to registered addresses only', async (kit) => {
    for (const change of [
      { client_id: 'nobody' },
      { redirect_uri: 'https://example.com/elsewhere' },
      { redirect_uri: `${REDIRECT}/more` },
    ]) {
      const answer = await authorize(kit, change)
      const { status, headers } = answer
      const problem = `responded ${status} to ${JSON.stringify(change)}`
      expectThatOf(answer, status >= 400 && status < 500, problem)
      expectThatOf(answer, headers.location === undefined, `redirects to ${headers.location}`)
    }
  }),
  check(RULE, 'demands a code challenge, by S256', async (kit) => {
    for (const change of [{ code_challenge: undefined }, { code_challenge_method: 'plain' }]) {
      expectSentBack(await authorize(kit, change), 'invalid_request')
    }
  }),
  check(RULE, 'accepts response_type=code only', async (kit) => {
    expectSentBack(await authorize(kit, { response_type: 'token' }), 'unsupported_response_type')
  }),
  check(
    RULE,
    'rejects a code or refresh token that was not issued: 400 invalid_grant',
    async (kit) => {
      const fields = {
        client_id: await register(kit),
        code: 'made-up',
        code_verifier: 'x'.repeat(43),
        redirect_uri: REDIRECT,
      }
      const answer = await postForm(kit, { ...fields, grant_type: 'authorization_code' })
      expectOAuthError(answer, 400, 'invalid_grant')
      expectUncached(answer)
      const other = await postForm(kit, { ...fields, grant_type: 'password' })
      expectOAuthError(other, 400, 'unsupported_grant_type')
      const refresh = { client_id: fields.client_id, refresh_token: 'made-up' }
      const again = await postForm(kit, { ...refresh, grant_type: 'refresh_token' })
      expectOAuthError(again, 400, 'invalid_grant')
    },
  ),
  check(GAPS, 'answers 401 to a client that it does not know', async (kit) => {
    const answer = await postForm(kit, {
      grant_type: 'authorization_code',
      client_id: 'nobody',
      code: 'made-up',
      code_verifier: 'x'.repeat(43),
    })
    expectOAuthError(answer, 401, 'invalid_client')
  }),
  check('contract 13', 'rejects a bad token instead of masking prices', async (kit) => {
    const bad = { authorization: 'Bearer made-up' }
    for (const answer of [
      await postJson(kit, '/api/domain/search', { q: 'example.com' }, bad),
      await postJson(kit, '/api/batch', { operations: [LISTINGS] }, bad),
      await read(kit, '/api/market/listings?limit=1', bad),
    ]) {
      expectStatus(answer, 401, 'invalid_token')
      challengeOf(answer, 'error="invalid_token"')
    }
  }),
  check('contract 13', 'masks prices without a token', async (kit) => {
    const listed = expectStatus(await read(kit, '/api/market/listings?limit=20'), 200)
    if (listed.body.items.length === 0) throw new Skipped('nothing is listed')
    expectMasked(listed, listed.body.items)
    const q = listed.body.items[0].domain
    const found = expectStatus(await postJson(kit, '/api/domain/search', { q }), 200)
    expectMasked(found, [found.body.results[0].listing])
    const operations = [LISTINGS, { id: '2', op: 'search_domain', params: { q } }]
    const batch = expectStatus(await postJson(kit, '/api/batch', { operations }), 200)
    const [listings, search] = batch.body.results
    expectMasked(batch, listings.body.items)
    expectMasked(batch, [search.body.results[0].listing])
  }),
  check('contract 13', 'shows prices with a token', async (kit) => {
    const { accessToken } = kit.options
    if (accessToken === undefined) throw new Skipped('no SERVICE_ACCESS_TOKEN is set')
    const headers = { authorization: `Bearer ${accessToken}` }
    const answer = expectStatus(await read(kit, '/api/market/listings?limit=20', headers), 200)
    const { items } = answer.body
    if (items.length === 0) throw new Skipped('nothing is listed')
    for (const one of items) {
      const isShown = one.price_masked === false && one.price_cents > 0
      expectThatOf(answer, isShown, `with a token, ${shown(one)} has no price`)
    }
  }),
]
