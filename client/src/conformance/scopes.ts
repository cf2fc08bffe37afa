import { CALLS, type Call, expectRejected, forEach, sendCall } from './every-operation.ts'
import { expectThatOf, Failure, Skipped } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import type { Answer } from './wire.ts'

const check = checksOf('answers')

/** A read for each scope, or a write that is rejected: it tells whether a credential has the scope. */
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

const detailsOf = ({ body }: Answer) => JSON.stringify(body?.error?.details) ?? ''

/** A credential without an affiliate account gets 403 as well, although it has the scope. */
const isRefused = (answer: Answer) =>
  answer.status === 403 && !detailsOf(answer).includes('affiliate_not_linked')

function expectOpen(answer: Answer, scope: string): void {
  const isOpen = answer.status !== 401 && !isRefused(answer)
  expectThatOf(answer, isOpen, `responded ${answer.status} to a credential with the scope ${scope}`)
}

/** The scopes that the limited credential has, or the kit's own: as told, or as one call of each says. */
async function scopesOf(kit: Kit): Promise<string[]> {
  const { limited } = kit.options
  const has: string[] = []
  for (const [scope, method, target] of OF_SCOPES) {
    const body = method === 'POST' && { body: '{}' }
    const answer = await kit.signed({ method, target, ...body, ...limited })
    if (limited?.scopes?.includes(scope)) expectOpen(answer, scope)
    if (!isRefused(answer)) has.push(scope)
  }
  if (limited?.scopes) return limited.scopes
  if (has.length < SCOPES.length) return has
  if (limited) throw new Failure(`rejected nothing of ${limited.keyId}, which lacks a scope`)
  throw new Skipped('the credential has all scopes, and SERVICE_LIMITED_KEY_ID names no other')
}

function expectScope(call: Call, answer: Answer, has: string[]): void {
  const { scopes } = call
  const needed = scopes.join(' or ')
  if (scopes.some((scope) => has.includes(scope))) {
    expectOpen(answer, needed)
    return
  }
  expectRejected(call, answer, 403, 'forbidden')
  if (answer.status !== 403) return
  const isNamed = scopes.some((scope) => detailsOf(answer).includes(scope))
  expectThatOf(answer, isNamed, `error.details does not name the scope ${needed}`)
}

export const SCOPE_CHECKS: Check[] = [
  check(
    'service, Errors',
    'answers every operation 403 forbidden where the credential lacks its scope',
    async (kit) => {
      const has = await scopesOf(kit)
      await forEach(CALLS, async (call) =>
        expectScope(call, await sendCall(kit, call, kit.options.limited), has),
      )
    },
  ),
]
