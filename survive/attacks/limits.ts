import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Result, send } from '../../test/support/client.ts'
import { startService } from '../../test/support/service.ts'
import { hold, type Proof } from '../proof.ts'

const LIMIT = 50
const WHOIS_LIMIT = 20
const FORGED = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'x-cluster-client-ip',
  'x-forwarded',
  'forwarded-for',
  'via',
  'x-originating-ip',
  'x-remote-addr',
  'x-service-key-id',
] as const

/** Ways of one client to look like many. */
export const limits: Proof = {
  name: 'rate limits against forged headers, IPv6 neighbours and batch packing',
  async run({ random, size }) {
    const count = size({ quick: 300, ci: 1_000, release: 5_000 })
    const rateLimits = { publicPerMinute: LIMIT, whoisPerMinute: WHOIS_LIMIT }
    const address = () => Array.from({ length: 4 }, () => random.below(256)).join('.')
    const granted = (responses: Result[]) => responses.filter(({ status }) => status !== 429).length

    const bare = await startService({ settings: { rateLimits } })
    const responses: Result[] = []
    for (let sent = 0; sent < count; sent++) {
      const name = random.pick(FORGED)
      const value = name === 'forwarded' ? `for=${address()}` : address()
      responses.push(
        await bare.send({
          method: 'GET',
          target: '/api/pricing/tld?tld=com',
          headers: { [name]: random.chance(0.5) ? value : `${address()}, ${value}` },
        }),
      )
    }
    const forged = granted(responses)
    await bare.stop()
    hold(forged === LIMIT, `with forged headers ${forged} instead of ${LIMIT} came through`)

    const proxied = await startService({ settings: { rateLimits, trustedProxies: ['127.0.0.1'] } })
    const byNeighbour: Result[] = []
    for (let sent = 0; sent < count; sent++) {
      const low = Array.from({ length: 4 }, () => random.below(65_536).toString(16)).join(':')
      byNeighbour.push(
        await proxied.send({
          method: 'GET',
          target: '/api/pricing/tld?tld=com',
          // What a client wrote itself stands before what the proxy added.
          headers: { 'x-forwarded-for': `${address()}, 2001:db8:1:2:${low}` },
        }),
      )
    }
    const neighbours = granted(byNeighbour)
    hold(neighbours === LIMIT, `of one /64 ${neighbours} instead of ${LIMIT} came through`)
    const other = await proxied.send({
      method: 'GET',
      target: '/api/pricing/tld?tld=com',
      headers: { 'x-forwarded-for': '2001:db8:1:3::1' },
    })
    hold(other.status === 200, 'another /64 was refused with it')
    await proxied.stop()

    const packed = await startService({ settings: { rateLimits } })
    let entries = 0
    for (let sent = 0; sent < count / 20; sent++) {
      const response = await packed.send({
        method: 'POST',
        target: '/api/batch',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          operations: Array.from({ length: 20 }, (_, id) => ({
            id: String(id),
            op: 'whois_lookup',
            params: { domain: `packed-${sent}-${id}.com` },
          })),
        }),
      })
      const results: { status: number }[] = response.body?.results ?? []
      entries += results.filter(({ status }) => status !== 429).length
    }
    await packed.stop()
    hold(entries === WHOIS_LIMIT, `in batches ${entries} look-ups instead of ${WHOIS_LIMIT} ran`)
    return `${count} forged requests: ${forged} granted of ${LIMIT}; ${count} of one /64: ${neighbours} of ${LIMIT}; ${Math.ceil(count / 20) * 20} entries packed: ${entries} of ${WHOIS_LIMIT}`
  },
}

/** Connections that take their time, while others want to be served. */
export const slowConnections: Proof = {
  name: 'slow connections',
  async run({ size }) {
    const count = size({ quick: 100, ci: 300, release: 1_000 })
    const watchedMs = size({ quick: 12_000, ci: 75_000, release: 75_000 })
    const service = await startService()
    const { port } = new URL(service.baseUrl)
    const sockets: Socket[] = []
    let closed = 0
    for (let index = 0; index < count; index++) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.on('close', () => {
        closed += 1
      })
      const body = index % 2 === 0
      // What is at no path is rejected before its body, which must come to an end all the same.
      const path = index % 4 < 2 ? '/api/domain/search' : '/nothing'
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n`)
      if (body) socket.write('Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n')
      const timer = setInterval(() => socket.write(body ? ' ' : 'X-A: b\r\n'), 1_000)
      socket.on('close', () => clearInterval(timer))
      sockets.push(socket)
    }
    let slowest = 0
    const end = Date.now() + watchedMs
    while (Date.now() < end) {
      const startedAt = performance.now()
      const response = await send(service.baseUrl, {
        method: 'GET',
        target: '/api/pricing/tld?tld=com',
      })
      hold(
        response.status === 200,
        `beside slow connections somebody was answered ${response.text}`,
      )
      slowest = Math.max(slowest, performance.now() - startedAt)
      await pause(100)
    }
    const left = count - closed
    for (const socket of sockets) socket.destroy()
    await service.stop()
    hold(slowest < 2_000, `beside slow connections an answer took ${Math.round(slowest)} ms`)
    hold(watchedMs < 70_000 || left === 0, `${left} slow connections were never closed`)
    return `${count} connections that drip: ${count - left} closed within ${watchedMs / 1_000} s; the slowest answer to others took ${Math.round(slowest)} ms`
  },
}
