import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** So long requests under way may take when the service takes no more. */
const UNHURRIED_MS = 5_000
/** But no longer than this after the stop began, however long it drained: all of it has 10 seconds. */
const LATE_MS = 6_500
/** What then still arrives is cut off so much later. */
const CUT_OFF_MS = 1_000

export interface Drain {
  isStopping(): boolean
  /** Aborts when the service has been stopping for a while: what takes long ends by it. */
  signal: AbortSignal
  /**
   * Is not ready from now on, after the delay takes no more connections, and ends when every request under
   * way has its response.
   */
  close(delayMs: number): Promise<void>
}

/**
 * Closing, request by request. Fastify's own waits for connections instead: for one that never sent
 * anything and one kept open after its response, but not for any on the second address of `localhost`.
 */
export function createDrain(fastify: FastifyInstance): Drain {
  const connections = new Set<Socket>()
  const underWay = new Set<IncomingMessage>()
  const late = new AbortController()
  let stopping = false
  let emptied = () => {}

  function end(request: IncomingMessage): void {
    underWay.delete(request)
    if (!stopping) return
    // A response that had begun before did not say that its connection closes.
    if (request.complete) setImmediate(() => fastify.server.closeIdleConnections())
    else request.socket.destroySoon()
    if (underWay.size === 0) emptied()
  }

  fastify.server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  fastify.addHook('onRequest', async (request, reply) => {
    underWay.add(request.raw)
    // Not onResponse: a sender that hangs up ends its request without one.
    reply.raw.once('close', () => end(request.raw))
  })
  fastify.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close')
  })
  return {
    isStopping: () => stopping,
    signal: late.signal,
    async close(delayMs) {
      stopping = true
      if (delayMs > 0) await sleep(delayMs)
      const responded = new Promise<void>((resolve) => {
        emptied = resolve
      })
      if (underWay.size === 0) emptied()
      const closed = fastify.close()
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      const unhurriedMs = Math.min(UNHURRIED_MS, LATE_MS - delayMs)
      const hurrying = setTimeout(() => {
        late.abort()
        // What has begun to arrive may never be a request.
        const busy = new Set([...underWay].map(({ socket }) => socket))
        for (const socket of connections) if (!busy.has(socket)) socket.destroy()
      }, unhurriedMs)
      const cutting = setTimeout(() => {
        for (const { complete, socket } of underWay) if (!complete) socket.destroy()
      }, unhurriedMs + CUT_OFF_MS)
      await Promise.all([closed, responded])
      clearTimeout(hurrying)
      clearTimeout(cutting)
    },
  }
}
