import {
  type Answer,
  type Check,
  checksOf,
  expectStatus,
  expectThat,
  type Kit,
  Skipped,
} from './kit.ts'

const RULE = 'service, OAuth endpoints'
const GAPS = 'contract 14'
const REDIRECT = 'http://127.0.0.1/conformance'
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
    state: 'state-of-the-kit',
    ...change,
  }
  const given = Object.entries(wanted).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  return await read(kit, `/oauth/authorize?${new URLSearchParams(given)}`)
}

/** What an error that goes back to the client says. */
function sentBack({ status, headers }: Answer): URLSearchParams {
  expectThat(status === 302 || status === 303, `answered ${status} instead of a redirect`)
  const location = headers.location ?? ''
  expectThat(location.startsWith(REDIRECT), `redirects to ${location}`)
  return new URL(location).searchParams
}

export const OAUTH: Check[] = [
  check(RULE, 'challenges a call of /api, and names its metadata', async (kit) => {
    const answer = expectStatus(await read(kit, '/api'), 401)
    const [, address = ''] =
      /^Bearer .*resource_metadata="([^"]+)"/.exec(answer.headers['www-authenticate'] ?? '') ?? []
    expectThat(URL.canParse(address), 'WWW-Authenticate names no resource_metadata')
    const { body } = expectStatus(await read(kit, new URL(address).pathname), 200)
    expectThat(typeof body.resource === 'string', 'the metadata has no resource (RFC 9728)')
    expectThat(body.authorization_servers?.length > 0, 'the metadata has no authorization_servers')
  }),
  check(RULE, 'publishes what its authorization server does', async (kit) => {
    const { body } = expectStatus(await read(kit, '/.well-known/oauth-authorization-server'), 200)
    for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
      expectThat(String(body[name]).startsWith(body.issuer), `${name} is ${body[name]}`)
    }
    const { code_challenge_methods_supported: methods } = body
    expectThat(String(methods) === 'S256', `code_challenge_methods_supported is ${methods}`)
    expectThat(body.response_types_supported?.includes('code'), 'code is not supported')
    expectThat(body.scopes_supported?.includes('pricing:read'), 'pricing:read is not supported')
  }),
  check(GAPS, 'names itself in what it sends back, and says so in its metadata', async (kit) => {
    const { body } = expectStatus(await read(kit, '/.well-known/oauth-authorization-server'), 200)
    const supported = body.authorization_response_iss_parameter_supported
    expectThat(
      supported === true,
      `authorization_response_iss_parameter_supported is ${supported} (RFC 9207)`,
    )
    const iss = sentBack(await authorize(kit, { response_type: 'token' })).get('iss')
    expectThat(iss === body.issuer, `iss is ${iss} instead of ${body.issuer}`)
  }),
  check(GAPS, 'lets any origin read the metadata, without credentials', async (kit) => {
    const answer = await read(kit, '/.well-known/oauth-authorization-server', {
      origin: 'https://example.com',
    })
    const { headers } = answer
    const allowed = String(headers['access-control-allow-origin'])
    expectThat(['*', 'https://example.com'].includes(allowed), 'no origin is allowed')
    expectThat(!headers['access-control-allow-credentials'], 'credentials are allowed')
  }),
  check(RULE, 'registers a public client, and gives out no secret', async (kit) => {
    const client = { client_name: 'Conformance kit', redirect_uris: [REDIRECT] }
    const { body } = expectStatus(await postJson(kit, '/api/oauth/register', client), 201)
    expectThat(typeof body.client_id === 'string', 'there is no client_id')
    expectThat(body.client_secret === undefined, 'there is a client_secret')
  }),
  check(GAPS, 'registers no redirect to plain http elsewhere, nor to a script', async (kit) => {
    for (const uri of ['http://example.com/cb', 'javascript:alert(1)', 'https://example.com/#f']) {
      const client = { client_name: 'Conformance kit', redirect_uris: [uri] }
      const { status } = await postJson(kit, '/api/oauth/register', client)
      expectThat(status === 400, `answered ${status} to ${uri}`)
    }
  }),
  check(GAPS, 'sends nobody to an address that is not registered', async (kit) => {
    for (const change of [
      { client_id: 'nobody' },
      { redirect_uri: 'https://example.com/elsewhere' },
      { redirect_uri: `${REDIRECT}/more` },
    ]) {
      const { status, headers } = await authorize(kit, change)
      expectThat(status >= 400 && status < 500, `answered ${status}`)
      expectThat(headers.location === undefined, `redirects to ${headers.location}`)
    }
  }),
  check(RULE, 'demands a code challenge, by S256', async (kit) => {
    for (const change of [{ code_challenge: undefined }, { code_challenge_method: 'plain' }]) {
      const sent = sentBack(await authorize(kit, change))
      expectThat(sent.get('error') === 'invalid_request', `the error is ${sent.get('error')}`)
      expectThat(sent.get('state') === 'state-of-the-kit', 'the state is not the one sent')
    }
  }),
  check(RULE, 'knows the response type code alone', async (kit) => {
    const sent = sentBack(await authorize(kit, { response_type: 'token' }))
    expectThat(
      sent.get('error') === 'unsupported_response_type',
      `the error is ${sent.get('error')}`,
    )
  }),
  check(RULE, 'gives no token for a code that it did not give', async (kit) => {
    const fields = {
      client_id: await register(kit),
      code: 'made-up',
      code_verifier: 'x'.repeat(43),
      redirect_uri: REDIRECT,
    }
    const answer = await postForm(kit, { ...fields, grant_type: 'authorization_code' })
    expectStatus(answer, 400, 'invalid_grant')
    const other = await postForm(kit, { ...fields, grant_type: 'password' })
    expectStatus(other, 400, 'unsupported_grant_type')
    const refresh = { client_id: fields.client_id, refresh_token: 'made-up' }
    const again = await postForm(kit, { ...refresh, grant_type: 'refresh_token' })
    expectStatus(again, 400, 'invalid_grant')
  }),
  check(GAPS, 'answers 401 to a client that it does not know', async (kit) => {
    const answer = await postForm(kit, {
      grant_type: 'authorization_code',
      client_id: 'nobody',
      code: 'made-up',
      code_verifier: 'x'.repeat(43),
    })
    expectStatus(answer, 401, 'invalid_client')
  }),
  check('contract 13', 'rejects a bad token instead of masking prices', async (kit) => {
    const search = { q: 'example.com' }
    const bad = { authorization: 'Bearer made-up' }
    const answer = await postJson(kit, '/api/domain/search', search, bad)
    expectStatus(answer, 401, 'invalid_token')
  }),
  check('contract 13', 'masks prices without a token', async (kit) => {
    const { body } = expectStatus(await read(kit, '/api/market/listings?limit=20'), 200)
    if (body.items.length === 0) throw new Skipped('nothing is listed')
    for (const { domain, price_cents, price_masked } of body.items) {
      expectThat(price_masked === true && price_cents === null, `not that of ${domain}`)
    }
    const { domain } = body.items[0]
    const found = expectStatus(await postJson(kit, '/api/domain/search', { q: domain }), 200)
    const { listing } = found.body.results[0]
    expectThat(listing?.price_masked === true && listing.price_cents === null, 'not in a search')
  }),
  check('contract 13', 'shows prices with a token', async (kit) => {
    const { accessToken } = kit.options
    if (accessToken === undefined) throw new Skipped('no SERVICE_ACCESS_TOKEN is set')
    const headers = { authorization: `Bearer ${accessToken}` }
    const { body } = expectStatus(await read(kit, '/api/market/listings?limit=20', headers), 200)
    if (body.items.length === 0) throw new Skipped('nothing is listed')
    for (const { domain, price_cents, price_masked } of body.items) {
      expectThat(price_masked === false && price_cents > 0, `not that of ${domain}`)
    }
  }),
]
