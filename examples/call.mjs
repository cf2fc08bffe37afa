// node call.mjs METHOD TARGET [BODY]: signs a partner request, sends it and prints the response; exits with 1 after an error.
// With - for BODY it reads standard input, for what other users of the machine must not see in a list of processes.
// Set SERVICE_KEY_ID and SERVICE_SECRET, and SERVICE_URL unless it is http://localhost:3000.
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'

const [method, target, given = ''] = process.argv.slice(2)
const { SERVICE_URL = 'http://localhost:3000', SERVICE_KEY_ID, SERVICE_SECRET } = process.env
if (!target || !SERVICE_KEY_ID || !SERVICE_SECRET) {
  console.error('Set SERVICE_KEY_ID and SERVICE_SECRET, then: node call.mjs METHOD TARGET [BODY]')
  process.exit(1)
}
const body = given === '-' ? await text(process.stdin) : given
const url = new URL(target, SERVICE_URL)
const encode = (part) =>
  encodeURIComponent(part).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
// By key, then by value, each by its bytes: a key may come more than once.
const compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const query = [...url.searchParams]
  .toSorted(([a, b], [c, d]) => compare(a, c) || compare(b, d))
  .map((pair) => pair.map(encode).join('='))
  .join('&')
const timestamp = String(Math.floor(Date.now() / 1000))
const nonce = randomUUID()
const hash = createHash('sha256').update(body).digest('hex')
const canonical = [method, url.pathname, query, timestamp, nonce, hash].join('\n')
const signature = createHmac('sha256', SERVICE_SECRET).update(canonical).digest('hex')
const response = await fetch(url.origin + url.pathname + (query && `?${query}`), {
  method,
  headers: {
    'X-Service-Key-Id': SERVICE_KEY_ID,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': `v1=${signature}`,
    ...(method === 'POST' && { 'Idempotency-Key': process.env.IDEMPOTENCY_KEY ?? randomUUID() }),
    ...(body && { 'Content-Type': 'application/json' }),
  },
  ...(body && { body }),
})
console.log(await response.text())
if (!response.ok) process.exitCode = 1
