import { ROOT, startBare, startService, withContenders } from './contenders.ts'
import { countSales } from './databases.ts'
import { measureInTurn, type Series } from './measure.ts'
import { linesOf, report } from './report.ts'
import type { Suite } from './suite.ts'

/** GET /domains/{name}, over few and over many listings. */
export const reads: Suite = async ({ field, load, options, against }) => {
  const { credentials } = field
  const starting = options.sizes.flatMap((listings) => {
    const sized = { ...field, listings }
    return [
      startBare('bare', 'single', options.connections, sized),
      startBare('bare, grouped', 'grouped', options.connections, sized),
      startService('ours', ROOT, sized),
      ...against.map((root) => startService('against', root, sized)),
    ]
  })
  await withContenders(starting, async (contenders) => {
    const series = contenders.map((contender, index): Series => {
      const listings = options.sizes[Math.floor(index / (3 + against.length))] ?? 0
      return {
        workload: 'signed read',
        who: contender.name,
        size: listings,
        contender,
        batch: () => ({ kind: 'read', count: options.requests, listings, credentials }),
        expect: 200,
      }
    })
    const lines = linesOf(await measureInTurn(load, series, options))
    report('reads', 'GET /domains/{name}: bare is one pipelined statement', lines)
  })
}

/** POST /orders, by eight partners and by one, whose orders wait for each other's events. */
export const orders: Suite = async ({ field, load, options, against }) => {
  const starting = [
    startBare('bare', 'single', options.saleConnections, field),
    startService('ours', ROOT, field),
    ...against.map((root) => startService('against', root, field)),
  ]
  await withContenders(starting, async (contenders) => {
    const series = [field.credentials, field.credentials.slice(0, 1)].flatMap((credentials) =>
      contenders.map((contender): Series => {
        const workload = `order, ${credentials.length === 1 ? 'one partner' : `${credentials.length} partners`}`
        const count = Math.ceil(options.requests / 4)
        return {
          workload,
          who: contender.name,
          size: field.listings,
          contender,
          batch: (round) => ({
            kind: 'order',
            name: `${credentials.length}-${round}`,
            count,
            credentials,
          }),
          expect: 201,
        }
      }),
    )
    const measured = await measureInTurn(load, series, options)
    const expected = 2 * (options.rounds + 1) * Math.ceil(options.requests / 4)
    for (const { name, database } of contenders) {
      const counts = await countSales(database)
      if (counts.some((count) => count !== expected)) {
        throw new Error(`${name} left ${counts.join(', ')} records of ${expected} sales`)
      }
    }
    report('orders', 'POST /orders: bare is one PL/pgSQL call', linesOf(measured))
  })
}
