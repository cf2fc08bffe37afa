import { expectStatus, expectThatOf, shown, text } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import { type Answer } from './wire.ts'

const RULE = 'service, Errors'
const GAPS = 'contract 2'
const LARGEST_BODY = 256 * 1024

const check = checksOf('answers')

function search(kit: Kit, body: string, type = 'application/json'): Promise<Answer> {
  const headers = { 'content-type': type }
  return kit.send({ method: 'POST', target: '/api/domain/search', headers, body })
}

const publicRead = (kit: Kit, target: string, method = 'GET') => kit.send({ method, target })

export const REFUSALS: Check[] = [
  check(GAPS, 'gives a validation_error its details: field and issue', async (kit) => {
    const key = crypto.randomUUID()
    for (const answer of [
      await kit.post('/quotes', {}),
      await kit.post('/orders', {}, { key }),
      await kit.post('/refunds', {}),
      await kit.get('/orders?limit=0'),
      await kit.get('/events?limit=0'),
      await search(kit, '{}'),
      await publicRead(kit, '/api/market/listings?limit=0'),
    ]) {
      const { details } = expectStatus(answer, 400, 'validation_error').body.error
      const isList = Array.isArray(details) && details.length > 0
      expectThatOf(
        answer,
        isList && details.every(({ field, issue }) => text(field) && text(issue)),
        `error.details is ${shown(details)} instead of [{"field", "issue"}]`,
      )
    }
  }),
  check(GAPS, 'rejects JSON that does not parse: 400 validation_error', async (kit) => {
    expectStatus(await search(kit, '{"q":'), 400, 'validation_error')
    const answer = await kit.signed({ method: 'POST', target: '/quotes', body: '{"domain":' })
    expectStatus(answer, 400, 'validation_error')
  }),
  check(RULE, 'answers 404 to an unknown path, order and quote', async (kit) => {
    for (const target of ['/nothing-here', '/orders/ord_none', '/quotes/qt_none']) {
      expectStatus(await kit.get(target), 404, 'not_found')
    }
    expectStatus(await publicRead(kit, '/api/nothing-here'), 404, 'not_found')
    const key = crypto.randomUUID()
    const refund = await kit.post('/refunds', { public_id: 'ord_none' }, { key })
    expectStatus(refund, 404, 'not_found')
  }),
  check(GAPS, 'answers 405 to another method, with Allow', async (kit) => {
    for (const [allowed, answer] of [
      ['POST', await kit.signed({ method: 'DELETE', target: '/orders' })],
      ['POST', await kit.put('/quotes', {})],
      ['POST', await publicRead(kit, '/api/domain/search')],
      ['GET', await publicRead(kit, '/api/batch', 'DELETE')],
    ] as const) {
      const { allow } = expectStatus(answer, 405, 'method_not_allowed').headers
      expectThatOf(answer, allow?.includes(allowed), `Allow is ${shown(allow)} without ${allowed}`)
    }
  }),
  check(GAPS, 'takes a body of 256 KiB, and answers 413 to a larger one', async (kit) => {
    const small = JSON.stringify({ q: 'example.com' })
    expectStatus(await search(kit, small.padEnd(LARGEST_BODY)), 200)
    const body = small.padEnd(LARGEST_BODY + 1)
    expectStatus(await search(kit, body), 413, 'payload_too_large')
    const answer = await kit.signed({ method: 'POST', target: '/quotes', body })
    expectStatus(answer, 413, 'payload_too_large')
  }),
  check(GAPS, 'answers 415 to a body that is not JSON', async (kit) => {
    const form = 'application/x-www-form-urlencoded'
    expectStatus(await search(kit, 'q=example.com', form), 415, 'unsupported_media_type')
  }),
]
