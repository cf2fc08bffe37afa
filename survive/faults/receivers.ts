import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freshName } from '../../test/support/market.ts'
import { eventually, startRawReceiver, startReceiver } from '../../test/support/receiver.ts'
import { sold } from '../../test/support/sale.ts'
import { startService } from '../../test/support/service.ts'
import { hold, type Proof } from '../proof.ts'

const SECRET = 'sixteen-or-more-characters'
const MEGABYTE = Buffer.alloc(2 ** 20)

/** What a receiver may do instead of answering. */
const BROKEN: Record<string, (socket: Socket, canary: string) => void> = {
  hangs: () => {},
  drips: (socket) => {
    const timer = setInterval(() => socket.write('H'), 300)
    socket.on('close', () => clearInterval(timer))
  },
  resets: (socket) => void socket.resetAndDestroy(),
  redirects: (socket, canary) =>
    void socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${canary}\r\nContent-Length: 0\r\n\r\n`),
  'answers a gigabyte': (socket) => {
    socket.write('HTTP/1.1 500 No\r\nContent-Length: 1073741824\r\n\r\n')
    let left = 1_024
    const pour = () => {
      while (left > 0 && !socket.destroyed) {
        left -= 1
        if (socket.write(MEGABYTE)) continue
        socket.once('drain', pour)
        break
      }
    }
    pour()
  },
  'answers headers without an end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write(`X-${'a'.repeat(1_000)}: b\r\n`), 5)
    socket.on('close', () => clearInterval(timer))
  },
  'answers nonsense': (socket) => void socket.end('\u0000\u0001\u0002 nonsense\r\n\r\n'),
}

/** Receivers of every bad kind, beside one that is well. */
export const badReceivers: Proof = {
  name: 'receivers that hang, drip, reset, redirect, answer a gigabyte',
  async run({ size }) {
    const each = size({ quick: 2, ci: 10, release: 40 })
    const service = await startService()
    const canary = await startReceiver(200)
    const kinds = Object.entries(BROKEN)
    const clients = await Promise.all(
      kinds.map(async ([kind, behave]) => {
        const client = await service.partner()
        const receiver = await startRawReceiver((socket) => {
          socket.resume()
          socket.once('data', () => behave(socket, canary.url))
        })
        await client.put('/api/partner/webhooks', { url: receiver.url, secret: SECRET })
        return { kind, client, receiver }
      }),
    )
    const well = await service.partner()
    const good = await startReceiver(200)
    await well.put('/api/partner/webhooks', { url: good.url, secret: SECRET })
    const before = process.memoryUsage().rss
    let most = before
    let slowest = 0
    try {
      for (let round = 0; round < each; round++) {
        for (const { client } of clients) await sold(client, await freshName(service))
        const startedAt = performance.now()
        await sold(well, await freshName(service))
        await good.until(round + 1, 10_000)
        slowest = Math.max(slowest, performance.now() - startedAt)
        most = Math.max(most, process.memoryUsage().rss)
      }
      for (const { kind, client, receiver } of clients) {
        await eventually(() => receiver.connections() > 0, 10_000)
        await eventually(
          async () => {
            const { body } = await client.get('/api/partner/webhooks/deliveries?limit=100')
            return body.deliveries.length > 0
          },
          20_000,
          () => `an attempt at one that ${kind} never ended`,
        )
        const { body } = await client.get('/api/partner/webhooks/deliveries?limit=100')
        for (const { error, response_status } of body.deliveries) {
          hold(error !== null || response_status === 200, `one that ${kind} counts as delivered`)
        }
      }
      await pause(500)
      hold(canary.got.length === 0, 'a redirect was followed')
      const grown = Math.round((most - before) / 2 ** 20)
      hold(grown < 400, `${grown} MB more are in use`)
      hold(slowest < 5_000, `the one that is well waited ${Math.round(slowest)} ms`)
      return (
        `${kinds.length} kinds of bad receivers, ${each} events each; the one that is well waited ` +
        `${Math.round(slowest)} ms at most, order and all; ${grown} MB more memory`
      )
    } finally {
      await service.stop()
    }
  },
}
