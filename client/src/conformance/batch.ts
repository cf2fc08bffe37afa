import { isDeepStrictEqual } from 'node:util'
import { expectField, expectStatus, expectThatOf } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'

const RULE = 'service, Public read API'
const MOST = 20
/** Of the specification and contract 13. */
const OPERATIONS =
  'search_domain whois_lookup tld_registration_price tld_requirements list_listings'.split(' ')

const check = checksOf('public')

const price = (id: number) => ({
  id: String(id),
  op: 'tld_registration_price',
  params: { tld: 'com', op: 'register' },
})

const read = (kit: Kit, target: string) => kit.send({ method: 'GET', target })
const batch = (kit: Kit, operations: object[]) =>
  kit.send({
    method: 'POST',
    target: '/api/batch',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operations }),
  })

export const BATCH: Check[] = [
  check(RULE, 'lists the operations of a batch', async (kit) => {
    const answer = expectStatus(await read(kit, '/api/batch'), 200)
    expectField(answer, 'max_operations', MOST)
    const names = answer.body.operations.map(({ op }: { op: string }) => op)
    for (const name of OPERATIONS) {
      expectThatOf(answer, names.includes(name), `operations has no ${name}`)
    }
  }),
  check(RULE, `takes a batch of ${MOST}, and rejects ${MOST + 1} and none: 400`, async (kit) => {
    const entries = Array.from({ length: MOST + 1 }, (_, index) => price(index))
    const answer = expectStatus(await batch(kit, entries.slice(1)), 200)
    expectField(answer, 'results.length', MOST)
    expectStatus(await batch(kit, entries), 400, 'validation_error')
    expectStatus(await batch(kit, []), 400, 'validation_error')
  }),
  check(RULE, 'answers a bad entry of a batch with its own 400, and the others', async (kit) => {
    const { params } = price(0)
    const bad = { ...price(2), params: { ...params, op: 'none' } }
    const answer = expectStatus(await batch(kit, [price(1), bad, price(3)]), 200)
    for (const [index, status] of [200, 400, 200].entries()) {
      expectField(answer, `results.${index}.id`, String(index + 1))
      expectField(answer, `results.${index}.status`, status)
    }
    expectField(answer, 'count', 3)
    expectField(answer, 'failed', 1)
    expectField(answer, 'results.1.body.error.code', 'validation_error')
    const single = expectStatus(await read(kit, '/api/pricing/tld?tld=com&op=register'), 200)
    const isSame = isDeepStrictEqual(answer.body.results[0].body, single.body)
    expectThatOf(answer, isSame, 'results.0.body differs from the single call')
  }),
]
