import { createHash, createHmac, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import {
  type Batch,
  type BenchCredential,
  listingName,
  PRICE_CENTS,
  quoteId,
  saleName,
} from './workload.ts'

/**
 * The process that makes the load. Requests are signed before the clock starts and written as they
 * are to keep-alive sockets, so that the load costs little beside what it measures.
 */
export type LoadCommand = { prepare: Batch } | { go: { port: number; inFlight: number } }

export interface LoadResult {
  seconds: number
  /** How many responses had which status. */
  statuses: Record<number, number>
  medianMs: number
  p95Ms: number
  p99Ms: number
  /** One of the responses. */
  sample: string
}

let requests: Buffer[] = []

process.on('message', (command: LoadCommand) => {
  if ('prepare' in command) {
    requests = prepare(command.prepare)
    process.send?.('ready')
  } else {
    void go(command.go.port, command.go.inFlight).then((result) => process.send?.(result))
  }
})

function prepare(batch: Batch): Buffer[] {
  if (batch.kind === 'verbatim') {
    const requests = batch.requests.map((text) => Buffer.from(text))
    return Array.from(
      { length: batch.count },
      (_, index) => requests[index % requests.length] as Buffer,
    )
  }
  return Array.from({ length: batch.count }, (_, index) => {
    const credential = batch.credentials[index % batch.credentials.length] as BenchCredential
    if (batch.kind === 'read') {
      const domain = listingName(Math.floor(Math.random() * batch.listings))
      return signed(credential, 'GET', `/domains/${domain}`)
    }
    if (batch.kind === 'search') {
      const query = batch.queries[index % batch.queries.length] ?? ''
      return signed(credential, 'GET', '/domains/search', '', `q=${encodeURIComponent(query)}`)
    }
    const body = {
      domain: saleName(batch.name, index),
      sale_price_cents: PRICE_CENTS,
      quote_id: quoteId(batch.name, index),
      external_payment_ref: `pay-${batch.name}-${index}`,
      buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
    }
    return signed(credential, 'POST', '/orders', JSON.stringify(body))
  })
}

function signed(
  { keyId, secret }: BenchCredential,
  method: string,
  path: string,
  body = '',
  query = '',
) {
  const target = `/api/partner/v1${path}`
  const timestamp = Math.floor(Date.now() / 1000)
  const nonce = randomUUID()
  const hash = createHash('sha256').update(body).digest('hex')
  const canonical = [method, target, query, timestamp, nonce, hash].join('\n')
  const lines = [
    `${method} ${target}${query && `?${query}`} HTTP/1.1`,
    'Host: localhost',
    `X-Service-Key-Id: ${keyId}`,
    `X-Service-Timestamp: ${timestamp}`,
    `X-Service-Nonce: ${nonce}`,
    `X-Service-Signature: v1=${createHmac('sha256', secret).update(canonical).digest('hex')}`,
  ]
  if (method === 'POST') {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
    lines.push(`Idempotency-Key: ${randomUUID()}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Sends all prepared requests, so many at once, and returns how it went. */
async function go(port: number, inFlight: number): Promise<LoadResult> {
  const statuses: Record<number, number> = {}
  const times: number[] = []
  let next = 0
  let sample = ''

  function work(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let received = ''
      let sentAt = 0
      const send = () => {
        const request = requests[next]
        if (!request) {
          socket.destroy()
          resolve()
          return
        }
        next += 1
        sentAt = performance.now()
        socket.write(request)
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
        const end = received.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1]
        if (received.length < end + 4 + Number(length)) return
        times.push(performance.now() - sentAt)
        const status = Number(received.slice(9, 12))
        statuses[status] = (statuses[status] ?? 0) + 1
        sample = received.slice(end + 4)
        received = ''
        send()
      })
    })
  }

  const start = performance.now()
  await Promise.all(Array.from({ length: inFlight }, work))
  const seconds = (performance.now() - start) / 1000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { seconds, statuses, medianMs: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), sample }
}
