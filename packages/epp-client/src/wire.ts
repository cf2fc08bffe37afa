import { isIP, type Socket } from 'node:net'
import { connect as startTls, type TLSSocket } from 'node:tls'
import { connectTcp, type Reach } from 'domain-marketplace-safe-fetch'
import { messageOf, OpeningFailed } from './errors.ts'
import { encodeFrame, FrameReader } from './frames.ts'
import { identityProblem } from './identity.ts'

interface TlsOptions {
  /** As PEM text. Absent: the certificate authorities that Node.js ships. */
  ca?: string | undefined
  /** Of the client, as PEM text. */
  cert?: string | undefined
  key?: string | undefined
}

export interface Target {
  host: string
  port: number
  /** False: no TLS, which only addresses of this machine are reached without. */
  tls: TlsOptions | false
  /** Which addresses may be connected to. */
  reach: Reach
  maxFrameBytes: number
}

/** A connection that carries frames (RFC 5734). One side waits for one frame at a time. */
export class Wire {
  readonly #socket: Socket
  readonly #reader: FrameReader
  readonly #frames: string[] = []
  #hasReceived = false
  #ended: Error | undefined
  #wake: (() => void) | undefined

  constructor(socket: Socket, maxFrameBytes: number) {
    this.#socket = socket
    this.#reader = new FrameReader(maxFrameBytes)
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => this.#end(new Error(this.#whatIsMissing())))
    socket.on('end', () => this.#end(new Error(this.#whatIsMissing())))
  }

  /** False once nothing more can be sent or received. A frame that nobody waits for ends a connection too. */
  get isUsable(): boolean {
    return this.#ended === undefined && this.#frames.length === 0 && this.#socket.writable
  }

  send(xml: string): void {
    this.#socket.write(encodeFrame(xml))
  }

  /** The next frame. Rejects when the connection ends before it, or with the signal's reason. */
  async receive(signal: AbortSignal): Promise<string> {
    const wake = () => this.#wake?.()
    signal.addEventListener('abort', wake, { once: true })
    try {
      for (;;) {
        const frame = this.#frames.shift()
        if (frame !== undefined) return frame
        if (this.#ended) throw this.#ended
        signal.throwIfAborted()
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      signal.removeEventListener('abort', wake)
      this.#wake = undefined
    }
  }

  destroy(): void {
    this.#end(new Error('The connection was closed.'))
  }

  #take(chunk: Buffer): void {
    if (this.#ended) return
    this.#hasReceived = true
    try {
      this.#frames.push(...this.#reader.push(chunk))
      this.#wake?.()
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(messageOf(error)))
    }
  }

  #end(reason: Error): void {
    this.#ended ??= reason
    this.#socket.destroy()
    this.#wake?.()
  }

  #whatIsMissing(): string {
    if (this.#reader.isInFrame) return 'The server closed the connection in the middle of a frame.'
    return this.#hasReceived
      ? 'The server closed the connection.'
      : 'The server closed the connection at once: it may not accept this address or certificate.'
  }
}

/** Connects, with TLS unless there is none. Rejects with `OpeningFailed` of the step `connect` or `tls`. */
export async function openWire(target: Target, signal: AbortSignal): Promise<Wire> {
  const { host, port, tls, maxFrameBytes } = target
  const reach = tls === false && target.reach === 'private' ? 'loopback' : target.reach
  const socket = await connectTcp({ host, port, reach, signal }).catch((error: unknown) => {
    throw new OpeningFailed('connect', messageOf(error))
  })
  if (tls === false) {
    if (isLoopback(socket.remoteAddress)) return new Wire(socket, maxFrameBytes)
    socket.destroy()
    throw new OpeningFailed('connect', `Without TLS only this machine is reached, not ${host}.`)
  }
  return new Wire(await shakeHands(socket, host, tls, signal), maxFrameBytes)
}

function shakeHands(
  socket: Socket,
  host: string,
  { ca, cert, key }: TlsOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      socket.destroy()
      reject(new OpeningFailed('tls', messageOf(error)))
    }
    const leave = () => fail(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      const secured = startTls({
        socket,
        // What the certificate has to name.
        host,
        ...(isIP(host) === 0 && { servername: host }),
        minVersion: 'TLSv1.2',
        checkServerIdentity: (_name, peer) => identityProblem(host, peer, ca),
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      })
      const hungUp = () => fail(new Error('The server closed the connection during the handshake.'))
      secured.on('error', fail)
      secured.once('close', hungUp)
      secured.once('secureConnect', () => {
        secured.off('error', fail).off('close', hungUp)
        signal.removeEventListener('abort', leave)
        resolve(secured)
      })
    } catch (error) {
      fail(error)
    }
  })
}

function isLoopback(address: string | undefined): boolean {
  return /^(?:127\.|::1$|::ffff:127\.)/.test(address ?? '')
}
