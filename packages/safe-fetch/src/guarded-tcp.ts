import { connect, isIP, type Socket } from 'node:net'
import { BlockedAddress, isAllowed, type Reach, reachOf } from './addresses.ts'
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

export interface TcpTarget {
  host: string
  port: number
  reach: Reach
  signal: AbortSignal
}

/**
 * A TCP connection to an allowed address, checked on the connection itself, whatever the name resolved to.
 * Rejects with `BlockedAddress`, the error of the connection, or the signal's reason.
 */
export function connectTcp({ host, port, reach, signal }: TcpTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    if (isIP(host) !== 0 && !isAllowed(host, reach)) {
      throw new BlockedAddress(`${host} is not a public address.`)
    }
    const lookup = guardedLookup(reach)
    const socket = connect({ host, port, lookup, autoSelectFamily: true })
    const fail = (error: unknown) => {
      reject(error)
      socket.destroy()
    }
    const leave = () => fail(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    socket.on('error', fail)
    socket.once('close', () => signal.removeEventListener('abort', leave))
    socket.once('connect', () => {
      signal.removeEventListener('abort', leave)
      if (!isAllowed(socket.remoteAddress ?? '', reach)) {
        return fail(new BlockedAddress(`${host} is not at a public address.`))
      }
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** Sends a text and reads until the other side ends, as WHOIS does (RFC 3912), to public addresses only. */
export function queryTcp(query: TcpQuery): Promise<Buffer> {
  return withDeadline(query, (signal) => converse(query, signal))
}

async function converse(query: TcpQuery, signal: AbortSignal): Promise<Buffer> {
  const socket = await connectTcp({ ...query, reach: reachOf(query), signal })
  const { text, maxBytes } = query
  return await new Promise((resolve, reject) => {
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
    socket.on('data', (chunk) => {
      received += chunk.length
      if (received > maxBytes) return fail(new ResponseTooLarge(`More than ${maxBytes} bytes.`))
      chunks.push(chunk)
    })
    socket.on('end', () => {
      resolve(Buffer.concat(chunks))
      socket.destroy()
    })
    socket.write(text)
  })
}
