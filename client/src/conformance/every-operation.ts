import { OPERATIONS } from '../generated/partner-operations.ts'
import { expectStatus, expectThat, expectThatOf, Failure } from './expect.ts'
import { type Check, type Kit } from './kit.ts'
import type { Answer, Signed } from './wire.ts'

const RULE = 'service, Authentication'
const ORDER = 'contract 3'
/** Past the 300 seconds by more than a clock that was read from a Date field may be wrong. */
const TOO_FAR_S = 305
const HEADERS = ['Key-Id', 'Timestamp', 'Nonce', 'Signature'].map((name) => `X-Service-${name}`)
const AT_ONCE = 8
/** Not of the specification: a service need not have them. */
const BEYOND = /\/(replays|progress-link|offers|clock)\b/

/** The scopes of which an operation needs one: the first of these that fits. */
const OF_SCOPES: [operation: RegExp, ...scopes: string[]][] = [
  [/ \/api\/partner\/webhooks|\/events$/, 'webhook'],
  [/\/v1\/(domains|availability|pricing)\b/, 'search'],
  [/^GET .*\/v1\/orders(\/[^/]+)?$/, 'search', 'buy'],
  [/^GET .*\/v1\/brokerage$/, 'report'],
  [/\/brokerage\b/, 'broker'],
  [/\/checkout-session\b/, 'embed'],
  [/\/links$/, 'refer'],
  [/\/v1\/(transactions|payouts|payee|me|analytics)\b/, 'report'],
  [/./, 'buy'],
]

type Asked = Pick<Signed, 'method' | 'target' | 'headers' | 'body'>

export interface Call extends Asked {
  /** Any of these will do. */
  scopes: string[]
  isBeyond: boolean
}

/** All that a partner may do: what is checked on some of it alone would let the rest through. */
export const CALLS: Call[] = Object.values(OPERATIONS).map(({ method, path }) => ({
  scopes: OF_SCOPES.find(([operation]) => operation.test(`${method} ${path}`))?.slice(
    1,
  ) as string[],
  method,
  target: path.replaceAll(/\{\w+\}/g, 'none'),
  isBeyond: BEYOND.test(path),
  // No write takes this, so that nothing happens where the signature is not looked at either.
  ...(/POST|PUT/.test(method) && { body: '{', headers: { 'content-type': 'text/plain' } }),
}))
const WRITES = CALLS.filter(({ body }) => body !== undefined)

/** Sends a call, changed as told. */
export function sendCall(kit: Kit, call: Call, more: Partial<Signed> = {}): Promise<Answer> {
  const { scopes: _scopes, isBeyond: _isBeyond, ...asked } = call
  return kit.signed({ ...asked, ...more, headers: { ...asked.headers, ...more.headers } })
}

/** Runs for each call, and says of all of them where the service was wrong. */
export async function forEach(calls: Call[], run: (call: Call) => Promise<void>): Promise<void> {
  const wrong: string[] = []
  const left = [...calls]
  const work = async () => {
    for (let call = left.shift(); call; call = left.shift()) {
      await run(call).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
        wrong.push(error.message)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const more = wrong.length > 3 ? `; and ${wrong.length - 3} more` : ''
  expectThat(wrong.length === 0, wrong.slice(0, 3).join('; ') + more)
}

/** That a call is rejected with a status and code. */
export function expectRejected(
  { isBeyond }: Call,
  answer: Answer,
  status: number,
  code: string,
): void {
  if (!(isBeyond && answer.status === 404)) expectStatus(answer, status, code)
}

function refusesAll(
  rule: string,
  title: string,
  code: string,
  more: Partial<Signed>,
  calls = CALLS,
): Check {
  return {
    group: 'signing',
    rule,
    title: `rejects every ${title}`,
    run: (kit) =>
      forEach(calls, async (call) =>
        expectRejected(call, await sendCall(kit, call, more), 401, code),
      ),
  }
}

export const EVERY_OPERATION: Check[] = [
  refusesAll(ORDER, 'operation without the signing headers', 'missing_credentials', {
    headers: Object.fromEntries(HEADERS.map((name) => [name, undefined])),
  }),
  refusesAll(RULE, 'operation signed with another secret', 'invalid_signature', {
    secret: 'another',
  }),
  refusesAll(RULE, 'signature in upper-case hex', 'invalid_signature', {
    spells: (signature) => `v1=${signature.slice('v1='.length).toUpperCase()}`,
  }),
  refusesAll(
    RULE,
    'body that was altered after signing',
    'invalid_signature',
    { signs: { body: '[' } },
    WRITES,
  ),
  refusesAll(RULE, `operation signed ${TOO_FAR_S} seconds ago`, 'invalid_timestamp', {
    skewS: -TOO_FAR_S,
  }),
  refusesAll(RULE, `operation signed ${TOO_FAR_S} seconds ahead`, 'invalid_timestamp', {
    skewS: TOO_FAR_S,
  }),
  {
    group: 'signing',
    rule: RULE,
    title: 'takes a nonce once on every operation',
    run: (kit) =>
      forEach(CALLS, async (call) => {
        const nonce = crypto.randomUUID()
        const first = await sendCall(kit, call, { nonce })
        expectThatOf(first, first.status !== 401, 'responded 401 to a new nonce')
        const replay = await sendCall(kit, call, { nonce, isRepeatable: true })
        expectRejected(call, replay, 401, 'replay_detected')
      }),
  },
]
