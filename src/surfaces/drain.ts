import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

export interface Drain {
  isStopping(): boolean
  /**
   * Is not ready from now on, after the delay takes no more connections, and ends when every request under
   * way has its answer.
   */
  close(delayMs: number): Promise<void>
}

/**
 * Closing, request by request. Fastify's own waits for connections instead: for one that never sent
 * anything and one kept open after its answer, but not for any on the second address of `localhost`.
 */
export function createDrain(app: FastifyInstance): Drain {
  const connections = new Set<Socket>()
  const underWay = new Set<IncomingMessage>()
  let stopping = false
  let emptied = () => {}

  function end(request: IncomingMessage): void {
    underWay.delete(request)
    if (!stopping) return
    // An answer that had begun before did not say that its connection closes.
    setImmediate(() => app.server.closeIdleConnections())
    if (underWay.size === 0) emptied()
  }

  app.server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  app.addHook('onRequest', async (request, reply) => {
    underWay.add(request.raw)
    // Not onResponse: a sender that hangs up ends its request without one.
    reply.raw.once('close', () => end(request.raw))
  })
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close')
  })
  return {
    isStopping: () => stopping,
    async close(delayMs) {
      stopping = true
      if (delayMs > 0) await sleep(delayMs)
      const answered = new Promise<void>((resolve) => {
        emptied = resolve
      })
      if (underWay.size === 0) emptied()
      const closed = app.close()
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      await Promise.all([closed, answered])
    },
  }
}
