import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { newToken } from '../src/lib/bearer-token.ts'
import { sha256 } from '../src/lib/signature.ts'

/**
 * What the token endpoint is measured against: `node:http`, PKCE, and one statement that uses the code up
 * and writes both tokens. A code that comes twice is rejected, but ends nothing.
 */
const { DATABASE_URL = '', CONNECTIONS = '32' } = process.env

const EXCHANGE = `
  with used as (
    update oauth_codes c set used_at = $2 from oauth_grants g
    where c.code_hash = $1 and c.used_at is null and c.expires_at > $2 and c.code_challenge = $3
      and c.redirect_uri = $4 and g.id = c.grant_id and g.client_id = $5 and g.revoked_at is null
    returning c.grant_id
  ), issued as (
    insert into oauth_tokens (token_hash, kind, grant_id, expires_at)
    select t.hash, t.kind, used.grant_id, t.expires_at
    from used, (values ($6::bytea, 'access', $8::timestamptz), ($7::bytea, 'refresh', $9::timestamptz))
      as t (hash, kind, expires_at)
  ), noted as (
    update oauth_grants set last_used_at = $2 from used where id = used.grant_id
  ), seen as (
    update oauth_clients set last_used_at = $2 from used where client_id = $5
  )
  select grant_id from used`

const clients = await Promise.all(
  Array.from({ length: Number(CONNECTIONS) }, async () => {
    const client = new pg.Client({ connectionString: DATABASE_URL, pipeline: true })
    await client.connect()
    return client
  }),
)
let turn = 0

async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  const field = (name: string) => form.get(name) ?? ''
  const access = newToken('mkt_access')
  const refresh = newToken('mkt_refresh')
  const now = Date.now()
  turn = (turn + 1) % clients.length
  const result = await clients[turn]?.query({
    name: 'exchange',
    text: EXCHANGE,
    values: [
      sha256(field('code')),
      new Date(now),
      sha256(field('code_verifier')).toString('base64url'),
      field('redirect_uri'),
      field('client_id'),
      access.hash,
      refresh.hash,
      new Date(now + 1_800_000),
      new Date(now + 2_592_000_000),
    ],
  })
  const body = JSON.stringify(
    result?.rowCount === 1
      ? {
          access_token: access.token,
          token_type: 'Bearer',
          expires_in: 1_800,
          refresh_token: refresh.token,
          scope: 'pricing:read',
        }
      : { error: 'invalid_grant' },
  )
  response.writeHead(result?.rowCount === 1 ? 200 : 400, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  })
  response.end(body)
}

const server = createServer((request, response) => {
  exchange(request, response).catch((error: unknown) => {
    console.error(error)
    response.writeHead(500).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
