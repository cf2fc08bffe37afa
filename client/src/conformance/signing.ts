import { readFileSync } from 'node:fs'
import { canonicalString } from '../signing.ts'
import { EVERY_OPERATION } from './every-operation.ts'
import { expectField, expectStatus, expectThat, expectThatOf, shown, text } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'

const RULE = 'service, Authentication'
const ORDER = 'contract 3'
const READ = '/availability?domain=example.com'

// In a checkout, the loader of the sources adds a query to their address.
const VECTORS = new URL(import.meta.url).pathname.endsWith('.ts')
  ? '../../../docs/signing-vectors.json'
  : '../signing-vectors.json'

interface Vector {
  name: string
  method: string
  path: string
  raw_query: string
  body_base64: string
  timestamp: string
  nonce: string
  canonical_string: string
}

/** The published vectors, which come with the package. */
function vectors(): Vector[] {
  const file = new URL(VECTORS, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }).vectors
}

const check = checksOf('signing')

/** A change that a right signature must not survive. */
function tampered(title: string, send: (kit: Kit) => ReturnType<Kit['send']>): Check {
  return check(RULE, `rejects ${title}`, async (kit) => {
    expectStatus(await send(kit), 401, 'invalid_signature')
  })
}

export const SIGNING: Check[] = [
  check('signing-vectors.json', 'the kit agrees with every published vector', async () => {
    for (const vector of vectors()) {
      const body = new Uint8Array(Buffer.from(vector.body_base64, 'base64'))
      const canonical = await canonicalString({ ...vector, rawQuery: vector.raw_query, body })
      expectThat(
        canonical === vector.canonical_string,
        `the kit disagrees with the vector "${vector.name}"`,
      )
    }
  }),
  check(RULE, 'takes a right signature', async (kit) => {
    expectField(expectStatus(await kit.get(READ), 200), 'available', false)
  }),
  check('signing-vectors.json', 'takes every query of the vectors', async (kit) => {
    for (const { name, raw_query } of vectors().filter((vector) => vector.raw_query !== '')) {
      const { status } = await kit.get(`/availability?${raw_query}`)
      expectThat(status !== 401, `responded 401 to the vector "${name}"`)
    }
  }),
  check('signing-vectors.json', 'takes every body of the vectors', async (kit) => {
    for (const { name, body_base64 } of vectors().filter((vector) => vector.body_base64 !== '')) {
      const body = new Uint8Array(Buffer.from(body_base64, 'base64'))
      const { status } = await kit.signed({ method: 'POST', target: '/quotes', body })
      expectThat(status !== 401, `responded 401 to the vector "${name}"`)
    }
  }),
  tampered('another secret', (kit) => kit.get(READ, { secret: `${kit.options.secret}x` })),
  tampered('the key id as the key', (kit) => kit.get(READ, { secret: kit.options.keyId })),
  tampered('another method than was signed', (kit) => kit.get(READ, { signs: { method: 'POST' } })),
  tampered('another path than was signed', (kit) =>
    kit.get(READ, { signs: { path: '/api/partner/v1/pricing' } }),
  ),
  tampered('a path without its base', (kit) => kit.get(READ, { signs: { path: '/availability' } })),
  tampered('another query than was signed', (kit) =>
    kit.get(READ, { signs: { rawQuery: 'domain=example.net' } }),
  ),
  tampered('a query that was not signed', (kit) => kit.get(READ, { signs: { rawQuery: '' } })),
  tampered('an order whose buyer was altered after signing', async (kit) => {
    const body = await kit.offer()
    const other = JSON.stringify({ ...body, buyer: { email: 'other@example.com' } })
    return await kit.post('/orders', body, { key: crypto.randomUUID(), signs: { body: other } })
  }),
  tampered('a right signature without v1=', (kit) =>
    kit.get(READ, { spells: (signature) => signature.slice('v1='.length) }),
  ),
  tampered('a signature of zeros', (kit) =>
    kit.get(READ, { headers: { 'X-Service-Signature': `v1=${'0'.repeat(64)}` } }),
  ),
  check(ORDER, 'answers an unknown key id like a wrong signature', async (kit) => {
    const wrong = await kit.get(READ, { secret: 'wrong' })
    const unknown = await kit.get(READ, { headers: { 'X-Service-Key-Id': 'pk_sandbox_nobody' } })
    expectStatus(unknown, 401, 'invalid_signature')
    expectThatOf(
      unknown,
      unknown.body.error.message === wrong.body.error.message,
      'error.message differs between an unknown key id and a wrong signature, which tells which key ids there are',
    )
  }),
  check(ORDER, 'tells a sandbox credential what it should have signed', async (kit) => {
    const answer = await kit.get(READ, { secret: 'wrong' })
    const told = answer.body?.error?.details?.canonical_string
    expectThatOf(
      answer,
      String(told).startsWith('GET\n/api/partner/v1/availability\n'),
      `error.details.canonical_string is ${shown(told)}`,
    )
    expectThatOf(answer, !answer.text.includes('v1='), 'the body holds a signature')
  }),
  check(ORDER, 'tells a sandbox credential the likely cause of a wrong signature', async (kit) => {
    for (const [mistake, more] of [
      ['the key id as the key', { secret: kit.options.keyId }],
      ['no v1=', { spells: (signature: string) => signature.slice('v1='.length) }],
      ['a path without its base', { signs: { path: '/availability' } }],
    ] as const) {
      const answer = expectStatus(await kit.get(READ, more), 401, 'invalid_signature')
      const cause = answer.body.error.details?.likely_cause
      const problem = `error.details.likely_cause is ${shown(cause)} for ${mistake}`
      expectThatOf(answer, text(cause), problem)
    }
  }),
  check(RULE, 'wants a key id', async (kit) => {
    const answer = await kit.get(READ, { headers: { 'X-Service-Key-Id': undefined } })
    expectStatus(answer, 401, 'missing_credentials')
  }),
  check(RULE, 'wants all four headers, once each and not empty', async (kit) => {
    for (const name of ['X-Service-Timestamp', 'X-Service-Nonce', 'X-Service-Signature']) {
      for (const value of [undefined, '', ['one-of-two', 'two-of-two']]) {
        const answer = await kit.get(READ, { headers: { [name]: value } })
        expectStatus(answer, 401, 'missing_signature_headers')
      }
    }
  }),
  check(ORDER, 'wants a nonce of 8 to 128 characters', async (kit) => {
    for (const nonce of ['1234567', 'x'.repeat(129)]) {
      expectStatus(
        await kit.get(READ, { nonce, isRepeatable: true }),
        401,
        'missing_signature_headers',
      )
    }
    for (const length of [8, 128]) {
      const nonce = crypto.randomUUID().repeat(4).slice(0, length)
      expectStatus(await kit.get(READ, { nonce }), 200)
    }
  }),
  check(RULE, 'wants seconds, within 300 of its clock', async (kit) => {
    for (const timestamp of [`${kit.now()}000`, 'soon']) {
      expectStatus(await kit.get(READ, { timestamp }), 401, 'invalid_timestamp')
    }
    for (const skewS of [-280, 280]) expectStatus(await kit.get(READ, { skewS }), 200)
  }),
  check(RULE, 'takes a nonce once, however many come together', async (kit) => {
    const nonce = crypto.randomUUID()
    const answers = await Promise.all(Array.from({ length: 8 }, () => kit.get(READ, { nonce })))
    const taken = answers.filter(({ status }) => status === 200)
    expectThat(taken.length === 1, `GET /availability took one nonce ${taken.length} times of 8`)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectStatus(answer, 401, 'replay_detected')
    }
    expectStatus(await kit.get(READ, { nonce, isRepeatable: true }), 401, 'replay_detected')
  }),
  ...EVERY_OPERATION,
  check(RULE, 'takes no replay of an order, not even with its key', async (kit) => {
    const body = await kit.offer()
    const sent = { nonce: crypto.randomUUID(), key: crypto.randomUUID() }
    expectStatus(await kit.post('/orders', body, sent), 201)
    const replay = await kit.post('/orders', body, { ...sent, isRepeatable: true })
    expectStatus(replay, 401, 'replay_detected')
  }),
  check(ORDER, 'spends a nonce by a valid signature only', async (kit) => {
    const nonce = crypto.randomUUID()
    const wrong = await kit.get(READ, { nonce, secret: 'wrong', isRepeatable: true })
    expectStatus(wrong, 401, 'invalid_signature')
    expectStatus(await kit.get(READ, { nonce }), 200)
  }),
  check(ORDER, 'rejects a body that is not JSON, or on a GET', async (kit) => {
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expectStatus(await kit.post('/quotes', {}, form), 415, 'unsupported_media_type')
    const answer = await kit.get(READ, { body: '{}', signs: { body: '' } })
    expectStatus(answer, 400, 'validation_error')
  }),
]
