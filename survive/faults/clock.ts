import { setTimeout as pause } from 'node:timers/promises'
import { findHalfDone } from '../../test/support/half-done.ts'
import { eventsOf, freshName } from '../../test/support/market.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { quote, sell, sold } from '../../test/support/sale.ts'
import { startService } from '../../test/support/service.ts'
import { hold, type Proof } from '../proof.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A clock that is set forward and back while sales go on. */
export const clockJumps: Proof = {
  name: 'clock jumps, forward and back',
  async run({ random, size }) {
    const jumps = size({ quick: 6, ci: 20, release: 100 })
    const limit = 60
    const service = await startService({
      settings: {
        rateLimits: { partnerPerMinute: 100_000, publicPerMinute: limit },
        settlementSchedule: 'manual',
        payoutSchedule: 'manual',
      },
    })
    const receiver = await startReceiver()
    const client = await service.partner()
    const secret = 'sixteen-or-more-characters'
    await client.put('/api/partner/webhooks', { url: receiver.url, secret })
    const ids: string[] = []
    let blocked = 0
    const read = () => service.send({ method: 'GET', target: '/api/pricing/tld?tld=com' })
    try {
      for (let jump = 0; jump < jumps; jump++) {
        const target = '/api/partner/v1/orders?limit=1'
        const headers = client.sign('GET', target, '')
        await service.send({ method: 'GET', target, headers })
        const held = await quote(client, await freshName(service))
        await read()
        const by = random.pick([
          -3 * HOUR,
          -HOUR,
          -5 * MINUTE,
          -MINUTE,
          MINUTE,
          11 * MINUTE,
          3 * HOUR,
        ])
        service.clock.advance(by)
        const replay = await service.send({ method: 'GET', target, headers })
        hold(replay.status === 401, `after ${by} ms a replay was answered ${replay.status}`)
        const order = await sell(client, held.domain)
        hold(order.status === 201, `after ${by} ms a sale was answered ${order.text}`)
        ids.push(order.body.public_id, (await sold(client, await freshName(service))).public_id)
        // Whoever was within the limit before is so after two minutes at most.
        const state = await read()
        const reset = Number(state.headers['ratelimit-reset'])
        if (reset > 120) blocked = Math.max(blocked, reset)
      }
      hold(blocked === 0, `after a jump back a window ends in ${blocked} s`)
      const sorted = ids.toSorted()
      hold(String(sorted) === String(ids), 'ids are not in the order in which they were made')
      const events = await eventsOf(client)
      const recorded = events.map(({ data }) => data.order.public_id)
      hold(String(recorded) === String(ids), 'the history is not in the order of the sales')
      // What was put off by a jump back is due once the clock is where it was.
      service.clock.advance(4 * HOUR * jumps)
      const end = Date.now() + 20_000
      const got = () => new Set(receiver.got.map(({ event }) => event.id))
      while (events.some(({ id }) => !got().has(id)) && Date.now() < end) await pause(100)
      const missing = events.filter(({ id }) => !got().has(id)).length
      hold(missing === 0, `${missing} events were not delivered`)
      const found = await findHalfDone(service.app.server)
      hold(found.length === 0, `in the end there is ${found.join('; ')}`)
    } finally {
      await service.stop()
    }
    return `${jumps} jumps of up to 3 h, ${ids.length} sales, replays refused, ids and events in order, all delivered`
  },
}
