import { expectThatOf, shown } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import type { Answer } from './wire.ts'

const RULE = 'contract 14'
const ORIGIN = 'https://example.com'

type Call = [method: string, target: string]

/** What browsers call; a POST after a preflight. */
const READS: Call[] = [
  ['GET', '/api/market/listings?limit=1'],
  ['GET', '/api/pricing/tld?tld=com'],
  ['GET', '/api/tlds/com/metadata'],
  ['GET', '/api/batch'],
  ['POST', '/api/domain/search'],
  ['POST', '/api/tools/whois'],
  ['POST', '/api/batch'],
]
const OAUTH_CALLS: Call[] = [
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['POST', '/api/oauth/register'],
  ['POST', '/api/oauth/token'],
]

function expectAnyOrigin(answer: Answer): void {
  const { headers } = answer
  const origin = headers['access-control-allow-origin']
  const isAllowed = origin === '*' || origin === ORIGIN
  expectThatOf(answer, isAllowed, `Access-Control-Allow-Origin is ${shown(origin)}`)
  const credentials = headers['access-control-allow-credentials']
  expectThatOf(answer, !credentials, `Access-Control-Allow-Credentials is ${credentials}`)
}

/** What a browser asks before it sends JSON with a token. */
async function preflight(kit: Kit, method: string, target: string): Promise<void> {
  const wanted = target.startsWith('/api/oauth')
    ? ['content-type']
    : ['content-type', 'authorization']
  const answer = await kit.send({
    method: 'OPTIONS',
    target,
    headers: {
      origin: ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': wanted.join(),
    },
  })
  const { status, headers } = answer
  expectThatOf(answer, status === 200 || status === 204, `responded ${status} to a preflight`)
  expectAnyOrigin(answer)
  const allowed = headers['access-control-allow-headers']?.toLowerCase() ?? ''
  for (const name of wanted) {
    const problem = `Access-Control-Allow-Headers is ${shown(allowed)} without ${name}`
    expectThatOf(answer, allowed.includes(name), problem)
  }
}

function letsAnyOrigin(group: string, title: string, calls: Call[]): Check {
  return checksOf(group)(RULE, title, async (kit) => {
    for (const [method, target] of calls) {
      const isPost = method === 'POST'
      if (isPost) await preflight(kit, method, target)
      // What a POST says here is rejected, and that must be readable too.
      const headers = { origin: ORIGIN, ...(isPost && { 'content-type': 'application/json' }) }
      expectAnyOrigin(await kit.send({ method, target, headers, ...(isPost && { body: '{}' }) }))
    }
  })
}

export const ORIGINS = {
  public: letsAnyOrigin('public', 'lets pages of any origin read it, without credentials', READS),
  oauth: letsAnyOrigin(
    'oauth',
    'lets pages of any origin read its metadata, register and get tokens',
    OAUTH_CALLS,
  ),
}
