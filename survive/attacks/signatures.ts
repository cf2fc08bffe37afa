import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Result, send } from '../../test/support/client.ts'
import { startService, type TestService } from '../../test/support/service.ts'
import { hold, type Proof, type Random } from '../proof.ts'

const JUDGE = fileURLToPath(new URL('judge.py', import.meta.url))
const AT_ONCE = 32
const GROUP = 2_000
/** Shown by responses that count against a credential, and so to authentic requests only. */
const PARTNER_LIMIT = 100_000_007

/** A request as it goes over the wire; the body is base64. */
interface Wire {
  key_id: string
  method: string
  target: string
  timestamp: string
  nonce: string
  body: string
  signature: string
}

/** Signed requests and one-byte mutants of them, judged by the service and by Python. */
export const signatures: Proof = {
  name: 'signed requests and one-byte mutants, against an independent verifier',
  async run({ random, size }) {
    const count = size({ quick: 1_500, ci: 20_000, release: 100_000 })
    const service = await startService({
      settings: {
        rateLimits: { partnerPerMinute: PARTNER_LIMIT, publicPerMinute: 100_000_000 },
      },
    })
    const partners = [await service.partner(), await service.partner()]
    const secrets = Object.fromEntries(
      partners.map(({ credential }) => [credential.key_id, credential.secret]),
    )
    const keyIds = Object.keys(secrets) as [string, ...string[]]
    const judge = startJudge(secrets)
    let signed = 0
    let mutants = 0
    let neutral = 0
    try {
      while (mutants < count) {
        const originals = Array.from({ length: GROUP }, () => generate(random, random.pick(keyIds)))
        const signatures = await Promise.all(originals.map((wire) => judge.sign(wire)))
        for (const [index, wire] of originals.entries()) wire.signature = signatures[index] ?? ''
        const changed = originals.map((wire) => mutate(wire, random))
        // Each mutant before its original, whose nonce it may share.
        for (const group of [changed, originals]) {
          const verdicts = await Promise.all(group.map((wire) => judge.judge(wire)))
          const responses = await sendAll(service, group)
          for (const [index, wire] of group.entries()) {
            const verdict = verdicts[index]
            const response = responses[index]
            const accepted = response?.headers['ratelimit-limit'] === String(PARTNER_LIMIT)
            const isReplay = response?.body?.error?.code === 'replay_detected'
            hold(
              accepted === verdict?.authentic || (isReplay && verdict?.authentic === true),
              `the service says ${response?.text}, Python ${JSON.stringify(verdict)}: ${JSON.stringify(wire)}`,
            )
            if (group === originals) {
              hold(
                verdict?.authentic ?? false,
                `a signed request is wrong: ${JSON.stringify(wire)}`,
              )
              signed += 1
            } else if (verdict?.authentic) neutral += 1
            else {
              hold(!accepted, `a mutant was let in: ${JSON.stringify(wire)}`)
              mutants += 1
            }
          }
        }
      }
    } finally {
      judge.end()
      await service.stop()
    }
    return (
      `${signed} signed requests without a disagreement, ${mutants} mutants without an acceptance ` +
      `(${neutral} more spelt the same request in another way, and were taken as it)`
    )
  },
}

function startJudge(secrets: Record<string, string>) {
  const python = spawn('python3', [JUDGE], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: ((line: string) => void)[] = []
  createInterface({ input: python.stdout }).on('line', (line) => waiting.shift()?.(line))
  const ask = (question: object) =>
    new Promise<string>((resolve) => {
      waiting.push(resolve)
      python.stdin.write(`${JSON.stringify(question)}\n`)
    })
  return {
    async sign(request: Wire): Promise<string> {
      return JSON.parse(await ask({ op: 'sign', request, secrets })).signature
    },
    async judge(request: Wire): Promise<{ authentic: boolean }> {
      const now = Math.floor(Date.now() / 1_000)
      return JSON.parse(await ask({ op: 'judge', request, secrets, now }))
    },
    end() {
      python.stdin.end()
      void once(python, 'close')
    },
  }
}

/** A request whose spelling tries the rules of the canonical string. */
function generate(random: Random, key_id: string): Wire {
  const kind = random.below(4)
  const [method, path] = [
    ['GET', '/api/partner/v1/availability'],
    ['GET', `/api/partner/v1/orders/${piece(random, 1 + random.below(20), false)}`],
    ['POST', '/api/partner/v1/refunds'],
    ['DELETE', `/api/partner/v1/quotes/${piece(random, 1 + random.below(20), false)}`],
  ][kind] as [string, string]
  const pairs = Array.from({ length: random.below(6) }, () => {
    const key = piece(random, random.below(8), true)
    return random.chance(0.1) ? key : `${key}=${piece(random, random.below(12), true)}`
  })
  const query = pairs.join(random.chance(0.9) ? '&' : '&&')
  return {
    key_id,
    method,
    target: query === '' && random.chance(0.9) ? path : `${path}?${query}`,
    timestamp: String(Math.floor(Date.now() / 1_000) + random.below(400) - 200),
    nonce: randomUUID(),
    body: (method === 'POST' ? random.bytes(random.below(120)) : Buffer.alloc(0)).toString(
      'base64',
    ),
    signature: '',
  }
}

const PLAIN = [...'abcdefghijklmnopqrstuvwxyzABCXYZ0189-._~'] as [string, ...string[]]
const SIGNS = [...`!$'()*,;:@/+`] as [string, ...string[]]
const WIDE = ['ü', 'ß', '日', '😀', '\uE000', '\uFFFD', ' ', '%', '&', '=', '+', '\u0000'] as [
  string,
  ...string[],
]

/** Characters as they are, escaped, escaped in lower case, or escaped wrongly. */
function piece(random: Random, length: number, inQuery: boolean): string {
  return Array.from({ length }, () => {
    const kind = random.next()
    if (kind < 0.5) return random.pick(PLAIN)
    if (kind < 0.7 && inQuery) return random.pick(SIGNS)
    const escaped = encodeURIComponent(random.pick(WIDE))
    if (kind < 0.85) return escaped
    if (kind < 0.93 || !inQuery) return escaped.toLowerCase()
    // Bytes that are no UTF-8, and escapes that are none.
    return random.pick(['%ff', '%C3', '%E2%82', '%zz', '%4', '%'])
  }).join('')
}

const FIELDS = ['target', 'timestamp', 'nonce', 'signature', 'key_id', 'body'] as const

/** The same with one byte of it changed, wherever. */
function mutate(wire: Wire, random: Random): Wire {
  const field = random.pick(FIELDS)
  if (field === 'body') {
    const bytes = Buffer.from(wire.body, 'base64')
    if (bytes.length === 0) return mutate(wire, random)
    const place = random.below(bytes.length)
    bytes[place] = (bytes[place] ?? 0) ^ (1 + random.below(255))
    return { ...wire, body: bytes.toString('base64') }
  }
  const text = wire[field]
  const place = random.below(text.length)
  const old = text.charCodeAt(place)
  let next = old
  while (next === old) next = 0x21 + random.below(0x7e - 0x20)
  const changed = text.slice(0, place) + String.fromCharCode(next) + text.slice(place + 1)
  return { ...wire, [field]: changed }
}

async function sendAll(service: TestService, group: Wire[]): Promise<Result[]> {
  const responses: Result[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < group.length; index = next++) {
      const { method, target, body, ...signed } = group[index] as Wire
      responses[index] = await send(service.baseUrl, {
        method,
        target,
        headers: {
          'x-service-key-id': signed.key_id,
          'x-service-timestamp': signed.timestamp,
          'x-service-nonce': signed.nonce,
          'x-service-signature': signed.signature,
          ...(method === 'POST' && { 'content-type': 'application/json' }),
        },
        ...(method === 'POST' && { body: Buffer.from(body, 'base64') }),
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return responses
}
