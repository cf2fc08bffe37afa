import fc from 'fast-check'
import { ADMIN_OPERATIONS } from '../../src/http/admin/serve.ts'
import { documentOf, type OpenApiDocument } from '../../src/http/openapi/document.ts'
import { canonicalQuery, queryPairs } from '../../src/lib/canonical-query.ts'
import { send } from '../../test/support/client.ts'
import { type Generated, requestsOf } from '../../test/support/generated.ts'
import { freshName, operate } from '../../test/support/market.ts'
import { quote, sold } from '../../test/support/sale.ts'
import { ADMIN_TOKEN, startService } from '../../test/support/service.ts'
import { hold, type Proof } from '../proof.ts'

const AT_ONCE = 16
const GROUP = 250

/** What the schemas of all three APIs allow, and what they do not: nothing of it is an error of ours. */
export const generated: Proof = {
  name: 'schema-derived requests to every operation',
  async run({ random, seed, size }) {
    const count = size({ quick: 1_000, ci: 10_000, release: 50_000 })
    const service = await startService({ tokens: { good: 'usr_1' } })
    const client = await service.partner({ affiliate: true })
    const { public_id } = await sold(client, await freshName(service))
    const delivered = await sold(client, await freshName(service))
    await operate(service, delivered.public_id, 'start', 'complete')
    const { quote_id } = await quote(client, await freshName(service))
    // Of somebody else, since the operator's calls may suspend, rotate and revoke what they name.
    const victim = await service.partner()
    const known = [public_id, delivered.public_id, quote_id, victim.partner_id, 'petpantry.test']
    known.push(victim.credential.key_id, await freshName(service), await freshName(service, 'live'))

    const documents = [
      (await service.send({ method: 'GET', target: '/openapi.json' })).body,
      (await service.send({ method: 'GET', target: '/openapi-partner.json' })).body,
      adminDocument(),
    ] as OpenApiDocument[]
    const operations = new Set<string>()
    const statuses = new Map<number, number>()
    const headersOf = ({ method, target, body = '' }: Generated): Record<string, string> => {
      if (target.startsWith('/api/admin/')) return { authorization: `Bearer ${ADMIN_TOKEN}` }
      if (!target.startsWith('/api/partner/')) return {}
      const mark = target.indexOf('?')
      const query = mark === -1 ? '' : canonicalQuery(queryPairs(target.slice(mark + 1)))
      const path = mark === -1 ? target : target.slice(0, mark)
      return client.sign(method, query === '' ? path : `${path}?${query}`, body)
    }
    try {
      for (let done = 0; done < count; done += GROUP) {
        const document = documents[(done / GROUP) % documents.length] as OpenApiDocument
        const all = fc.sample(requestsOf(document, known), {
          numRuns: GROUP,
          seed: seed + done + random.below(1_000),
        })
        let next = 0
        const work = async () => {
          for (let request = all[next++]; request; request = all[next++]) {
            // The one operation that takes its partner's all away would leave little to ask for.
            if (request.path.endsWith('/sandbox/reset') && next % 100 !== 0) continue
            const response = await send(service.baseUrl, {
              method: request.method,
              target: request.target,
              headers: {
                ...(request.body !== undefined && { 'content-type': 'application/json' }),
                ...request.headers,
                ...headersOf(request),
              },
              ...(request.body !== undefined && { body: request.body }),
            })
            operations.add(`${request.method} ${request.path}`)
            statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
            hold(response.status < 500, `${JSON.stringify(request)} was answered ${response.text}`)
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, work))
      }
    } finally {
      await service.stop()
    }
    const shown = [...statuses].toSorted(([a], [b]) => a - b)
    return (
      `${count} requests to ${operations.size} operations without a 5xx ` +
      `(${shown.map(([status, times]) => `${status}: ${times}`).join(', ')})`
    )
  },
}

/** The admin API has no published document; its contracts make one. */
function adminDocument(): OpenApiDocument {
  const info = { title: '', version: '', summary: '', description: '' }
  const license = { name: '', identifier: '' }
  return documentOf(
    { info: { ...info, license }, tags: [], security: [] },
    'http://localhost',
    ADMIN_OPERATIONS.map((contract) => ({
      contract,
      path: `/api/admin/v1${contract.path}`,
      tag: '',
      example: { input: {}, output: null },
      errors: contract.errors,
      replayable: false,
    })),
    {},
  )
}
