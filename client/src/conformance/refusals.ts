import {
  type Answer,
  type Check,
  checksOf,
  expectStatus,
  expectThat,
  Failure,
  type Kit,
  Skipped,
} from './kit.ts'

const RULE = 'service, Errors'
const GAPS = 'contract 2'
const LARGEST_BODY = 256 * 1024

const check = checksOf('answers')

function search(kit: Kit, body: string, type = 'application/json'): Promise<Answer> {
  const headers = { 'content-type': type }
  return kit.send({ method: 'POST', target: '/api/domain/search', headers, body })
}

const publicRead = (kit: Kit, target: string, method = 'GET') => kit.send({ method, target })

/** A call for each scope, which changes nothing with it. */
const OF_SCOPES: [scope: string, method: string, target: string][] = [
  ['search', 'GET', '/domains/search?q=home'],
  ['embed', 'POST', '/checkout-session'],
  ['buy', 'GET', '/settlements'],
  ['broker', 'GET', '/brokerage/none'],
  ['refer', 'POST', '/links'],
  ['report', 'GET', '/transactions'],
  ['webhook', 'GET', '/events'],
]
export const SCOPES = OF_SCOPES.map(([scope]) => scope)

export const REFUSALS: Check[] = [
  check(GAPS, 'gives a validation_error its details: field and issue', async (kit) => {
    const key = crypto.randomUUID()
    for (const [what, answer] of Object.entries({
      'POST /quotes': await kit.post('/quotes', {}),
      'POST /orders': await kit.post('/orders', {}, { key }),
      'POST /refunds': await kit.post('/refunds', {}),
      'GET /orders': await kit.get('/orders?limit=0'),
      'GET /events': await kit.get('/events?limit=0'),
      'POST /api/domain/search': await search(kit, '{}'),
      'GET /api/market/listings': await publicRead(kit, '/api/market/listings?limit=0'),
    })) {
      const { details } = expectStatus(answer, 400, 'validation_error').body.error
      expectThat(Array.isArray(details) && details.length > 0, `${what} has none`)
      for (const { field, issue } of details) {
        expectThat(typeof field === 'string' && typeof issue === 'string', `not in ${what}`)
      }
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
    for (const [what, allowed, answer] of [
      ['DELETE /orders', 'POST', await kit.signed({ method: 'DELETE', target: '/orders' })],
      ['PUT /quotes', 'POST', await kit.put('/quotes', {})],
      ['GET /api/domain/search', 'POST', await publicRead(kit, '/api/domain/search')],
      ['DELETE /api/batch', 'GET', await publicRead(kit, '/api/batch', 'DELETE')],
    ] as const) {
      expectStatus(answer, 405, 'method_not_allowed')
      const { allow } = answer.headers
      expectThat(allow?.includes(allowed), `Allow of ${what} is ${allow}`)
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
  check(RULE, 'answers 403 forbidden where the credential lacks the scope', async (kit) => {
    const { limited } = kit.options
    let lacking = 0
    for (const [scope, method, target] of OF_SCOPES) {
      const body = method === 'POST' && { body: '{}' }
      const answer = await kit.signed({ method, target, ...body, ...limited })
      const told = JSON.stringify(answer.body?.error?.details) ?? ''
      // A credential without an affiliate account gets 403 as well, although it has the scope.
      const isRefused = answer.status === 403 && !told.includes('affiliate_not_linked')
      const isLacking = limited?.scopes ? !limited.scopes.includes(scope) : isRefused
      expectThat(
        answer.status !== 401 && isRefused === isLacking,
        `answered ${answer.status} to what needs ${scope}`,
      )
      if (!isRefused) continue
      lacking += 1
      expectStatus(answer, 403, 'forbidden')
      expectThat(told.includes(scope), `details do not name the scope ${scope}`)
    }
    if (lacking > 0) return
    if (limited) throw new Failure(`rejected nothing of ${limited.keyId}, which lacks a scope`)
    throw new Skipped('the credential has all scopes, and SERVICE_LIMITED_KEY_ID names no other')
  }),
]
