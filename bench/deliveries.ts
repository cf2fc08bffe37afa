import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sealSecret } from '../src/domain/partners/credential.ts'
import { createSecretBox } from '../src/lib/secret-box.ts'
import { canonicalString, requestSignature } from '../src/lib/signature.ts'
import {
  type Contender,
  ROOT,
  startBareServer,
  startService,
  withContenders,
} from './contenders.ts'
import { databaseCpu, SECRETS_KEY } from './databases.ts'
import type { Measured, Sample } from './measure.ts'
import { linesOf, report } from './report.ts'
import type { Suite } from './suite.ts'

const ENDPOINTS = 32
const SECRET = 'whsec_YmVuY2gtYmVuY2gtYmVuY2gtYmVuY2g='
const KEY_ID = 'mk_sandbox_bench'
const EVENTS_TIMED = 200
const PAUSE_MS = 20

/** Deliveries that are due, sent as fast as they go, and how long after its commit a single one arrives. */
export const deliveries: Suite = async ({ field, options, against }) => {
  let received = 0
  let receivedAt = 0
  const receiver = createServer((request, response) => {
    received += 1
    receivedAt = performance.now()
    request.resume()
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const count = Math.ceil(options.requests / 4)
  const local = { BASE_URL: 'http://localhost:3000' }
  const starting = [
    startBareServer('bare', 'bare-deliveries.ts', { SECRET }, field),
    startService('ours', ROOT, field, local),
    ...against.map((root) => startService('against', root, field, local)),
  ]
  try {
    await withContenders(starting, async (contenders) => {
      const measured = contenders.map(
        (contender): Measured => ({
          workload: 'webhook delivery',
          who: contender.name,
          size: count,
          contender,
          batch: () => ({ kind: 'verbatim', count, requests: [] }),
          expect: 204,
          samples: [],
        }),
      )
      for (const { database } of contenders) await addEndpoints(database.client, url)
      for (let round = 0; round <= options.rounds; round += 1) {
        const turn = round % measured.length
        for (const one of [...measured.slice(turn), ...measured.slice(0, turn)]) {
          received = 0
          const sample = await deliver(one.contender, `${round}`, count, () => received)
          if (round > 0) one.samples.push(sample)
        }
      }
      const late: number[][] = []
      for (const contender of contenders) {
        late.push(contender.name === 'bare' ? [] : await timeSingly(contender, () => receivedAt))
      }
      const lines = linesOf(measured).map((line, index) => {
        const times = (late[index] ?? []).toSorted((a, b) => a - b)
        const [medianMs, p99Ms] = [0.5, 0.99].map(
          (part) => times[Math.floor(times.length * part)] ?? null,
        )
        return { ...line, medianMs: medianMs ?? null, p99Ms: p99Ms ?? null }
      })
      report(
        'deliveries',
        `Webhook deliveries to ${ENDPOINTS} receivers: bare is an undici loop; p50 and p99 are from the answer to a call that wrote an event to the event's receipt, one at a time`,
        lines,
      )
    })
  } finally {
    receiver.close()
    receiver.closeAllConnections()
  }
}

async function addEndpoints(client: Contender['database']['client'], url: string): Promise<void> {
  const box = createSecretBox(Buffer.from(SECRETS_KEY, 'base64'))
  for (let index = 0; index < ENDPOINTS; index += 1) {
    const partner = `prt_hook_${index}`
    await client.query(
      `insert into partners (id, name, email, status, partner_collected_bps, hosted_checkout_bps,
        referral_bps, created_at)
      values ($1, 'Bench', 'bench@example.com', 'active', 1000, 1000, 500, now())`,
      [partner],
    )
    await client.query(
      `insert into webhook_endpoints (id, partner_id, environment, url, secret_sealed, active,
        created_at, updated_at)
      values ($1, $2, 'sandbox', $3, $4, true, now(), now())`,
      [`wh_${index}`, partner, url, box.seal(SECRET, `webhook ${partner} sandbox`)],
    )
  }
  await client.query(
    `insert into credentials (key_id, partner_id, environment, scopes, secret_sealed, status, revision,
      created_at)
    values ($1, 'prt_hook_0', 'sandbox', '{webhook}', $2, 'active', 1, now())`,
    [KEY_ID, sealSecret(box, KEY_ID, SECRET)],
  )
}

const ADD = `
  with made as (
    select 'evt_' || $1 || '_' || n as id, n % ${ENDPOINTS} as place, n from generate_series(1, $2::int) as n
  ), written as (
    insert into events (id, partner_id, environment, position, type, data, created_at)
    select id, 'prt_hook_' || place, 'sandbox', $3::bigint + n, 'order.recorded',
      '{"order":{"public_id":"ord_1","domain":"a.com","status":"EXTERNALLY_PAID","sale_price_cents":129900,"currency":"USD"}}',
      now()
    from made
  ), counted as (
    insert into event_streams (partner_id, environment, last_position)
    select 'prt_hook_' || place, 'sandbox', $3::bigint + max(n) from made group by place
    on conflict (partner_id, environment) do update set last_position = excluded.last_position
  )
  insert into webhook_deliveries (id, endpoint_id, event_id, status, attempts, due_at, created_at)
  select 'del_' || id, 'wh_' || place, id, 'pending', 0, $4, now() from made`

let position = 0

async function deliver(
  contender: Contender,
  round: string,
  count: number,
  received: () => number,
): Promise<Sample> {
  const { client } = contender.database
  // Written beforehand, and due in a while: what is timed is the sending.
  await client.query(ADD, [round, count, position, new Date(Date.now() + 3_600_000)])
  position += count
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  const cpu = await contender.cpu()
  const database = await databaseCpu(contender.database)
  await client.query(`update webhook_deliveries set due_at = now() where status = 'pending'`)
  while (received() === 0) await sleep(1)
  const start = performance.now()
  let left = count
  while (left > 0) {
    await sleep(20)
    if (received() < count) continue
    const { rows } = await client.query(
      `select count(*)::int as left from webhook_deliveries where status = 'pending'`,
    )
    left = rows[0]?.left ?? 0
  }
  const seconds = (performance.now() - start) / 1000
  const databaseAfter = await databaseCpu(contender.database)
  return {
    perSecond: count / seconds,
    medianMs: 0,
    p99Ms: 0,
    serverCpu: (((await contender.cpu()) - cpu) * 1000) / count,
    databaseCpu:
      database === null || databaseAfter === null
        ? null
        : ((databaseAfter - database) * 1000) / count,
  }
}

/** Milliseconds from the response to a call that wrote an event to the event's receipt. */
async function timeSingly({ port }: Contender, receipt: () => number): Promise<number[]> {
  const times: number[] = []
  const path = '/api/partner/webhooks/test'
  for (let index = 0; index < EVENTS_TIMED; index += 1) {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const nonce = randomUUID()
    const parts = { method: 'POST', path, query: '', timestamp, nonce, body: Buffer.from('{}') }
    const before = receipt()
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        'x-service-key-id': KEY_ID,
        'x-service-timestamp': timestamp,
        'x-service-nonce': nonce,
        'x-service-signature': requestSignature(SECRET, canonicalString(parts)),
        'content-type': 'application/json',
      },
      body: '{}',
    })
    const answered = performance.now()
    if (status !== 202) throw new Error(`a test event was answered ${status}`)
    for (let waited = 0; receipt() === before && waited < 5_000; waited += 1) await sleep(1)
    times.push(Math.max(0, receipt() - answered))
    await sleep(PAUSE_MS)
  }
  return times
}
