import { createServer, type ServerResponse } from 'node:http'
import pg from 'pg'

/**
 * What the market's lists and searches are measured against: `node:http` and SQL. No limits, no log, no
 * schemas, and a cursor that is plain text.
 */
const { DATABASE_URL = '', CONNECTIONS = '3' } = process.env
const LIMIT = 20
const COUNT_CACHE_MS = 10_000

const page = (where: string) => `
  with shown as (
    select environment, domain from listings
    where environment = 'live' and status = 'listed' ${where}
    order by listed_at desc, domain desc limit $1
  )
  select domain, tld, price_cents, currency, listed_at,
    (extract(epoch from listed_at) * 1000000)::bigint as listed_at_us
  from shown join listings using (environment, domain) order by listed_at desc, domain desc`
const FIRST = page('')
const NEXT = page(
  `and (listed_at, domain) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::text)`,
)
const COUNT = `select count(*)::int as total from listings where environment = 'live' and status = 'listed'`

interface Row {
  domain: string
  tld: string
  currency: string
  listed_at: Date
  listed_at_us: number
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
const clients = await Promise.all(
  Array.from({ length: Number(CONNECTIONS) }, async () => {
    const client = new pg.Client({ connectionString: DATABASE_URL, types, pipeline: true })
    await client.connect()
    return client
  }),
)
let turn = 0
async function run<T>(name: string, text: string, values: unknown[]): Promise<T[]> {
  turn = (turn + 1) % clients.length
  const response = await clients[turn]?.query({ name, text, values })
  return (response?.rows ?? []) as T[]
}

let count: { total: Promise<number>; until: number } | undefined
function countListings(): Promise<number> {
  if (!count || count.until < Date.now()) {
    const total = run<{ total: number }>('count', COUNT, []).then((rows) => rows[0]?.total ?? 0)
    count = { total, until: Date.now() + COUNT_CACHE_MS }
  }
  return count.total
}

async function list(cursor: string | null, response: ServerResponse): Promise<void> {
  const [offset = 0, time, domain] = cursor === null ? [] : JSON.parse(cursor)
  const [rows, total] = await Promise.all([
    cursor === null
      ? run<Row>('first', FIRST, [LIMIT + 1])
      : run<Row>('next', NEXT, [LIMIT + 1, time, domain]),
    countListings(),
  ])
  const shown = rows.slice(0, LIMIT)
  const last = shown.at(-1)
  const has_more = rows.length > LIMIT
  const next = has_more && last ? [offset + shown.length, last.listed_at_us, last.domain] : null
  const body = JSON.stringify({
    items: shown.map(({ domain, tld, currency, listed_at }) => ({
      domain,
      tld,
      price_cents: null,
      price_masked: true,
      currency,
      listed_at,
    })),
    page: { limit: LIMIT, offset, total, has_more, next_cursor: next && JSON.stringify(next) },
  })
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const SEARCH = `
  select domain, price_cents, currency, similarity(label, $1) as score from listings
  where environment = 'live' and status = 'listed' and label % $1
  order by score desc limit 5`

async function search(words: string, response: ServerResponse): Promise<void> {
  const results = await run('search', SEARCH, [words.replaceAll(' ', '')])
  const body = JSON.stringify({ query: words, count: results.length, results })
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const server = createServer((request, response) => {
  const query = new URLSearchParams(request.url?.split('?')[1])
  const words = query.get('q')
  const answered = words === null ? list(query.get('cursor'), response) : search(words, response)
  answered.catch((error: unknown) => {
    console.error(error)
    response.writeHead(500).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
