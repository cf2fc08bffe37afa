import { OPERATIONS } from '../generated/partner-operations.ts'
import { type Check, expectStatus, expectThat, Failure, type Kit, type Signed } from './kit.ts'

const RULE = 'service, Authentication'
const ORDER = 'contract 3'
/** Past the 300 seconds by more than a clock that was read from a Date field may be wrong. */
const TOO_FAR_S = 305
const HEADERS = ['Key-Id', 'Timestamp', 'Nonce', 'Signature'].map((name) => `X-Service-${name}`)
const AT_ONCE = 8
/** Not of the specification: a service need not have them. */
const BEYOND = /\/(replays|progress-link|offers|clock)\b/

type Asked = Pick<Signed, 'method' | 'target' | 'headers' | 'body'>

interface Call extends Asked {
  what: string
  isBeyond: boolean
}

/** All that a partner may do: what is checked on some of it alone would let the rest through. */
const CALLS: Call[] = Object.values(OPERATIONS).map(({ method, path }) => ({
  what: `${method} ${path.replace('/api/partner/v1', '')}`,
  method,
  target: path.replaceAll(/\{\w+\}/g, 'none'),
  isBeyond: BEYOND.test(path),
  // No write takes this, so that nothing happens where the signature is not looked at either.
  ...(/POST|PUT/.test(method) && { body: '{', headers: { 'content-type': 'text/plain' } }),
}))
const WRITES = CALLS.filter(({ body }) => body !== undefined)

type Sent = (more?: Partial<Signed>) => Promise<void>

/** Runs for each call, and says of all of them where the service was wrong. */
async function forEach(
  kit: Kit,
  calls: Call[],
  code: string,
  run: (rejected: Sent, call: Asked) => Promise<void>,
): Promise<void> {
  const wrong: string[] = []
  const left = [...calls]
  const work = async () => {
    for (let call = left.shift(); call; call = left.shift()) {
      const { what, isBeyond, ...asked } = call
      const rejected: Sent = async (more = {}) => {
        const headers = { ...asked.headers, ...more.headers }
        const answer = await kit.signed({ ...asked, ...more, headers })
        if (!(isBeyond && answer.status === 404)) expectStatus(answer, 401, code)
      }
      await run(rejected, asked).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
        wrong.push(`${what} ${error.message}`)
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const more = wrong.length > 3 ? `; and ${wrong.length - 3} more` : ''
  expectThat(wrong.length === 0, wrong.slice(0, 3).join('; ') + more)
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
    run: (kit) => forEach(kit, calls, code, (rejected) => rejected(more)),
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
      forEach(kit, CALLS, 'replay_detected', async (rejected, call) => {
        const nonce = crypto.randomUUID()
        const { status } = await kit.signed({ ...call, nonce })
        expectThat(status !== 401, 'answered 401 to the first')
        await rejected({ nonce, isRepeatable: true })
      }),
  },
]
