import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECOND } from '../lib/clock.ts'

const EVERY_MS = 10 * SECOND
/** Bytes within that time, of a client that we wait for. */
const LEAST_BYTES = 1_024
/** How long what is left of a rejected file may still come: the next request comes by the same connection. */
const AFTER_RESPONSE_MS = 10 * SECOND

/**
 * A file may take as long as it needs, but not for ever: whoever sends next to nothing, or goes on after the response,
 * does not keep the connection. Where we read slowly ourselves, bytes wait here, and nobody is to blame.
 */
export function watchUpload(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  let seen = socket.bytesRead
  const watching = setInterval(() => {
    const came = socket.bytesRead - seen
    seen = socket.bytesRead
    if (request.complete || request.readableLength > 0 || came >= LEAST_BYTES) return
    socket.destroy()
  }, EVERY_MS)
  const ending = () => {
    if (request.complete) return
    setTimeout(() => {
      if (!request.complete) socket.destroy()
    }, AFTER_RESPONSE_MS).unref()
  }
  response.once('finish', ending)
  request.once('close', () => clearInterval(watching))
}
