import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Agent, request } from 'undici'
import { signatureHeaders } from '../src/domain/events/webhook-signature.ts'
import { newId } from '../src/lib/ids.ts'

/**
 * What deliveries are measured against: a loop that takes what is due, sends it with undici, signed, and
 * writes down what was received. No leases, retries, fairness between receivers, or guarded addresses.
 */
const { DATABASE_URL = '', SECRET = '' } = process.env
const AT_ONCE = 256
const IDLE_MS = 20

const client = new pg.Client({ connectionString: DATABASE_URL })
await client.connect()
const dispatcher = new Agent({ connections: AT_ONCE, pipelining: 1 })

const DUE = `
  select d.id, d.attempts, d.endpoint_id, e.id as event_id, e.type, e.data, e.created_at, e.partner_id, w.url
  from webhook_deliveries d join events e on e.id = d.event_id join webhook_endpoints w on w.id = d.endpoint_id
  where d.status = 'pending' and d.due_at <= now() limit ${AT_ONCE}`
const DONE = `
  with sent as (
    select * from unnest($1::text[], $2::text[], $3::int[], $4::int[]) as s (id, attempt_id, status, ms)
  ), marked as (
    update webhook_deliveries d set status = 'delivered', attempts = d.attempts + 1 from sent
    where d.id = sent.id returning d.id, d.endpoint_id, d.event_id, d.attempts
  )
  insert into webhook_attempts (id, delivery_id, endpoint_id, event_id, type, attempt, response_status,
    duration_ms, at)
  select sent.attempt_id, m.id, m.endpoint_id, m.event_id, e.type, m.attempts, sent.status, sent.ms, now()
  from marked m join sent using (id) join events e on e.id = m.event_id`

async function send(due: Record<string, string & Date>): Promise<[number, number]> {
  const startedAt = performance.now()
  const { event_id = '', type, data, created_at, partner_id, url = '' } = due
  const body = JSON.stringify({ id: event_id, type, created_at, partner_id, data })
  const headers = signatureHeaders(SECRET, event_id, Math.floor(Date.now() / 1000), body)
  const response = await request(url, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  await response.body.dump()
  return [response.statusCode, Math.round(performance.now() - startedAt)]
}

async function loop(): Promise<never> {
  for (;;) {
    const { rows } = await client.query({ name: 'due', text: DUE })
    if (rows.length === 0) {
      await sleep(IDLE_MS)
      continue
    }
    const sent = await Promise.all(rows.map(send))
    const ids = rows.map(({ id }) => id)
    const attempts = rows.map(() => newId('att', new Date()))
    const values = [ids, attempts, sent.map(([status]) => status), sent.map(([, ms]) => ms)]
    await client.query({ name: 'done', text: DONE, values })
  }
}

process.send?.({ port: 0 })
await loop()
