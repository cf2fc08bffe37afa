import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { decode, encode } from 'dns-packet'
import { ADMIN_TOKEN, type Contender, ROOT, startService, withContenders } from './contenders.ts'
import { type Line, report } from './report.ts'
import type { Suite } from './suite.ts'

const CLAIMS = 10_000
const AT_ONCE = 1_000
const SYNCED = 50_000
/** How long the registrar takes to respond, and how often it may be asked. */
const RESPONSE_MS = 100
const REQUESTS_PER_MINUTE = 4_800
const EMAIL = 'claimer@example.com'

/**
 * 10,000 claims of one owner, proven by TXT records of a name server on this machine; and 50,000 domains read from a
 * registrar that takes 100 ms for each, no faster than it allows.
 */
export const ownership: Suite = async ({ field }) => {
  const names = await startNameServer()
  const registrar = await startRegistrar()
  try {
    const settings = { DNS_SERVERS: names.address, BASE_URL: 'http://localhost:3000' }
    await withContenders([startService('ours', ROOT, field, settings)], async ([service]) => {
      if (!service) return
      const lines = [await claimAndProve(service, names.txt), await sync(service, registrar.url)]
      report('ownership', 'claims proven by DNS, and domains read from a registrar', lines)
    })
  } finally {
    names.stop()
    registrar.stop()
  }
}

async function claimAndProve(service: Contender, txt: Map<string, string>): Promise<Line> {
  await call(service, 'POST', '/api/admin/v1/users', { email: EMAIL, password: 'long enough' })
  const made = await call(service, 'POST', '/api/admin/v1/user-tokens', { email: EMAIL })
  const token = String(made.token)
  const domains = Array.from({ length: CLAIMS }, (_, index) => `claimed-${index}.com`)
  for (let from = 0; from < CLAIMS; from += AT_ONCE) {
    const body = { domains: domains.slice(from, from + AT_ONCE) }
    const { claims } = await call(service, 'POST', '/api/domains/claims', body, token)
    for (const { txt: record } of claims) txt.set(record.name, record.value)
  }
  const startedAt = performance.now()
  let verified = 0
  while (verified < CLAIMS) {
    await call(service, 'POST', '/api/admin/v1/jobs/check_claims/run', {})
    await sleep(1_000)
    verified = CLAIMS - (await countPending(service, token))
    console.log(`${verified} of ${CLAIMS} claims are proven`)
  }
  return lineOf('claims proven by DNS', CLAIMS, performance.now() - startedAt)
}

async function countPending(service: Contender, token: string): Promise<number> {
  let count = 0
  for (let query = 'status=pending&limit=100'; ; ) {
    const page = await call(service, 'GET', `/api/domains/claims?${query}`, undefined, token)
    count += page.claims.length
    if (page.next_cursor === null) return count
    query = `status=pending&limit=100&cursor=${page.next_cursor}`
  }
}

async function sync(service: Contender, url: string): Promise<Line> {
  await call(service, 'POST', '/api/admin/v1/registrars', {
    name: 'bench',
    driver: 'realtime-register',
    config: {
      tlds: ['com'],
      api_key: 'key',
      customer: 'bench',
      base_url: url,
      requests_per_minute: REQUESTS_PER_MINUTE,
    },
  })
  const domains = Array.from({ length: SYNCED }, (_, index) => `synced-${index}.com`)
  const startedAt = performance.now()
  const path = '/api/admin/v1/registrars/bench/syncs'
  let sync = await call(service, 'POST', path, { domains })
  while (sync.status === 'running') {
    await sleep(5_000)
    sync = await call(service, 'GET', `/api/admin/v1/registrar-syncs/${sync.sync_id}`)
    console.log(`${sync.found} of ${SYNCED} domains are read`)
  }
  if (sync.found !== SYNCED) throw new Error(JSON.stringify(sync))
  return lineOf('domains read from a registrar', SYNCED, performance.now() - startedAt)
}

function lineOf(workload: string, rows: number, ms: number): Line {
  return {
    workload,
    who: 'ours',
    rows,
    perSecond: (rows / ms) * 1_000,
    medianMs: ms,
    p99Ms: ms,
    serverUs: null,
    databaseUs: null,
    ofBare: null,
    ofBareByCpu: null,
    growth: null,
  }
}

async function call(
  { port }: Contender,
  method: string,
  path: string,
  body?: object,
  token = ADMIN_TOKEN,
) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return await response.json()
}

/** A name server that knows TXT records alone. */
async function startNameServer() {
  const txt = new Map<string, string>()
  const socket = createSocket('udp4')
  socket.on('message', (message, { port, address }) => {
    const { id = 0, questions = [] } = decode(message)
    const name = questions[0]?.name.toLowerCase() ?? ''
    const value = questions[0]?.type === 'TXT' ? txt.get(name) : undefined
    const answers = value === undefined ? [] : [{ type: 'TXT' as const, name, data: [value] }]
    const flags = 0x8180 | (txt.has(name) ? 0 : 3)
    socket.send(encode({ type: 'response', id, flags, questions, answers }), port, address)
  })
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve)
  })
  return { txt, address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() }
}

/** A registrar that has every domain, and takes its time. */
async function startRegistrar() {
  const server = createServer((request, response) => {
    const domainName = request.url?.split('/').at(-1)
    const expiryDate = '2030-01-01T00:00:00Z'
    const known = { domainName, customer: 'bench', expiryDate, status: ['OK'], ns: [] }
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(known))
    }, RESPONSE_MS)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v2`, stop: () => server.close() }
}
