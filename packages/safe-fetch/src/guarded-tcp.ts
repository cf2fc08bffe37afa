import { connect, isIP } from 'node:net'
import { BlockedAddress, isAllowed } from './addresses.ts'
import { withDeadline } from './deadline.ts'
import { ResponseTooLarge } from './exchange.ts'
import { guardedLookup } from './guarded-http.ts'

export interface TcpQuery {
  host: string
  port: number
  /** Sent as it is once the connection stands. */
  text: string
  allowLoopback: boolean
  /** One deadline for the whole: name resolution, connection and response. */
  timeoutMs: number
  maxBytes: number
  signal: AbortSignal
}

/** Sends a text and reads until the other side ends, as WHOIS does (RFC 3912), to public addresses only. */
export function queryTcp(query: TcpQuery): Promise<Buffer> {
  const { host, allowLoopback } = query
  if (isIP(host) !== 0 && !isAllowed(host, allowLoopback)) {
    return Promise.reject(new BlockedAddress(`${host} is not a public address.`))
  }
  return withDeadline(query, (signal) => converse(query, signal))
}

function converse(
  { host, port, text, allowLoopback, maxBytes }: TcpQuery,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const lookup = guardedLookup(allowLoopback)
    const socket = connect({ host, port, lookup, autoSelectFamily: true })
    const chunks: Buffer[] = []
    let received = 0
    const fail = (error: Error) => {
      reject(error)
      socket.destroy()
    }
    signal.addEventListener('abort', () => fail(new Error('The query was cancelled.')), {
      once: true,
    })
    socket.on('error', fail)
    socket.on('close', () => reject(new Error('The server hung up.')))
    socket.on('connect', () => {
      // The address that is used, whatever the name resolved to.
      if (isAllowed(socket.remoteAddress ?? '', allowLoopback)) socket.write(text)
      else fail(new BlockedAddress(`${host} is not at a public address.`))
    })
    socket.on('data', (chunk) => {
      received += chunk.length
      if (received > maxBytes) return fail(new ResponseTooLarge(`More than ${maxBytes} bytes.`))
      chunks.push(chunk)
    })
    socket.on('end', () => {
      resolve(Buffer.concat(chunks))
      socket.destroy()
    })
  })
}
