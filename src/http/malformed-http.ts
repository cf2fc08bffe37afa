import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { errorBody, invalid } from '../core/errors.ts'

/** How long a sender that we hung up on may still read why. */
const LINGER_MS = 500

/** What is no HTTP at all never becomes a request, but its sender still gets our form of error. */
export function rejectMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  log: FastifyBaseLogger,
  known: { request_id: string; method: string | null; route: string | null },
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { status, reason, issue } = malformation(error.code)
  const { request_id: id } = known
  const body = JSON.stringify(errorBody(invalid({ field: 'request', issue }), id))
  // Why, in the parser's words: of what it could not read, nothing else is known.
  log.info({ ...known, status, reason: error.code }, 'request')
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${id}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // A sender that does not read to the end, or is gone, must not keep the service from stopping.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function malformation(code: string | undefined) {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: 431,
        reason: 'Request Header Fields Too Large',
        issue: 'has too large a head',
      }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, reason: 'Request Timeout', issue: 'took too long to arrive' }
    default:
      return { status: 400, reason: 'Bad Request', issue: 'is not well-formed HTTP' }
  }
}
