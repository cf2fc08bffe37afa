import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { batcher } from '../src/lib/batcher.ts'
import { newId } from '../src/lib/ids.ts'
import type { BenchCredential } from './workload.ts'

/**
 * What the service is measured against: the least that keeps the same promises of one read and one
 * write. `node:http`, the signature, and one statement; no limits, log, metrics or schemas.
 */
const { DATABASE_URL = '', CREDENTIALS = '[]', FORM, CONNECTIONS = '3' } = process.env
const BASE = '/api/partner/v1'
const NONCE = /^[\x21-\x7e]{8,128}$/
const EMPTY_SHA256 = createHash('sha256').digest('hex')
const ENVIRONMENT = 'live'

const READ = `
  with spent as (
    insert into nonces values ($1, $2, $3) on conflict do nothing returning true
  )
  select l.domain, l.tld, l.status, l.reserved_until, l.price_cents, l.floor_price_cents,
    l.currency, l.offers, l.min_offer_cents,
    l.metadata
  from spent left join listings l on l.environment = '${ENVIRONMENT}' and l.domain = $4`

const READ_GROUP = `
  with asked as (
    select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) with ordinality
      as a (key_id, nonce, expires_at, domain, place)
  ), spent as (
    insert into nonces select key_id, nonce, expires_at from asked
    on conflict do nothing returning key_id, nonce
  )
  select a.place::int, l.domain, l.tld, l.status, l.reserved_until, l.price_cents,
    l.floor_price_cents, l.currency, l.offers, l.min_offer_cents,
    l.metadata
  from spent join asked a using (key_id, nonce)
  left join listings l on l.environment = '${ENVIRONMENT}' and l.domain = a.domain`

const SELL = `select answer_status, answer from sell(${Array.from({ length: 21 }, (_, index) => `$${index + 1}`).join(', ')})`

interface Admitted {
  credential: BenchCredential
  nonce: string
  expiresAt: string
}

interface ListingRow {
  domain: string | null
  tld: string
  status: string
  reserved_until: Date | null
  price_cents: number
  floor_price_cents: number
  currency: string
  offers: string
  min_offer_cents: number | null
  metadata: unknown
}

const credentials = new Map(
  (JSON.parse(CREDENTIALS) as BenchCredential[]).map((one) => [one.keyId, one]),
)
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
const clients = await Promise.all(
  Array.from({ length: Number(CONNECTIONS) }, async () => {
    const client = new pg.Client({ connectionString: DATABASE_URL, types, pipeline: true })
    await client.connect()
    return { client, underWay: 0 }
  }),
)
await clients[0]?.client.query(await readFile(new URL('sale.sql', import.meta.url), 'utf8'))

/** On the connection with the fewest statements under way. */
async function run<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
  const slot = clients.reduce((best, next) => (next.underWay < best.underWay ? next : best))
  slot.underWay += 1
  try {
    return (await slot.client.query({ name, text, values })).rows as Row[]
  } finally {
    slot.underWay -= 1
  }
}

async function readOne(admitted: Admitted, domain: string): Promise<ListingRow | undefined> {
  const { credential, nonce, expiresAt } = admitted
  const rows = await run<ListingRow>('read', READ, [credential.keyId, nonce, expiresAt, domain])
  return rows[0]
}

const readInGroup = batcher(async (reads: { admitted: Admitted; domain: string }[]) => {
  const rows = await run<ListingRow & { place: number }>('reads', READ_GROUP, [
    reads.map(({ admitted }) => admitted.credential.keyId),
    reads.map(({ admitted }) => admitted.nonce),
    reads.map(({ admitted }) => admitted.expiresAt),
    reads.map(({ domain }) => domain),
  ])
  const found: (ListingRow | undefined)[] = reads.map(() => undefined)
  for (const row of rows) found[row.place - 1] = row
  return found
})

function admit(
  request: IncomingMessage,
  path: string,
  query: string,
  body: Buffer,
): Admitted | null {
  const counts = new Map<string, number>()
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]?.toLowerCase() ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const header = (name: string) =>
    counts.get(name) === 1 ? ((request.headers[name] as string) ?? '') : ''
  const keyId = header('x-service-key-id')
  const timestamp = header('x-service-timestamp')
  const nonce = header('x-service-nonce')
  const signature = header('x-service-signature')
  if (!NONCE.test(nonce) || !/^\d{10}$/.test(timestamp)) return null
  if (Math.abs(Number(timestamp) - Date.now() / 1000) > 300) return null
  const credential = credentials.get(keyId)
  const bodyHash =
    body.length === 0 ? EMPTY_SHA256 : createHash('sha256').update(body).digest('hex')
  const canonical = `${request.method}\n${path}\n${query}\n${timestamp}\n${nonce}\n${bodyHash}`
  const expected = `v1=${createHmac('sha256', credential?.secret ?? 'nobody')
    .update(canonical)
    .digest('hex')}`
  if (!credential || signature.length !== expected.length) return null
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return null
  return { credential, nonce, expiresAt: new Date((Number(timestamp) + 301) * 1000).toISOString() }
}

async function getDomain(admitted: Admitted, domain: string, response: ServerResponse) {
  const row = await (FORM === 'grouped'
    ? readInGroup({ admitted, domain })
    : readOne(admitted, domain))
  if (!row) return answer(response, 401, '{}')
  if (row.domain === null) return answer(response, 404, '{}')
  const isReserved = row.reserved_until !== null && row.reserved_until > new Date()
  const status = row.status === 'listed' && isReserved ? 'reserved' : row.status
  const body = {
    domain: row.domain,
    tld: row.tld,
    available: status === 'listed',
    status,
    price_cents: row.price_cents,
    floor_price_cents: row.floor_price_cents,
    currency: row.currency,
    offers: row.offers,
    min_offer_cents: row.min_offer_cents,
    metadata: row.metadata,
  }
  answer(response, 200, JSON.stringify(body))
}

async function createOrder(
  { credential, nonce, expiresAt }: Admitted,
  request: IncomingMessage,
  bytes: Buffer,
  response: ServerResponse,
) {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return answer(response, 400, '{}')
  const now = new Date()
  const body = JSON.parse(bytes.toString())
  const { email, name = null, country = null } = body.buyer
  const [row] = await run<{ answer_status: number; answer: string | null }>('sell', SELL, [
    credential.keyId,
    nonce,
    expiresAt,
    credential.partnerId,
    ENVIRONMENT,
    request.url,
    key,
    createHash('sha256').update(bytes).digest(),
    body.domain,
    body.sale_price_cents,
    body.expected_price ?? null,
    body.currency ?? null,
    body.quote_id,
    body.external_payment_ref,
    JSON.stringify({ email, name, country }),
    body.return_url ?? null,
    body.cancel_url ?? null,
    newId('ord', now),
    newId('txn', now),
    newId('evt', now),
    now.toISOString(),
  ])
  answer(response, row?.answer_status ?? 500, row?.answer ?? '{}')
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = request.method === 'POST' ? await bodyOf(request) : Buffer.alloc(0)
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const admitted = admit(request, path, query, body)
  if (!admitted) return answer(response, 401, '{}')
  if (request.method === 'GET' && path.startsWith(`${BASE}/domains/`)) {
    return getDomain(admitted, path.slice(BASE.length + 9), response)
  }
  if (request.method === 'POST' && path === `${BASE}/orders`) {
    return createOrder(admitted, request, body, response)
  }
  answer(response, 404, '{}')
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    )
    request.on('error', reject)
  })
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error)
    answer(response, 500, '{}')
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
