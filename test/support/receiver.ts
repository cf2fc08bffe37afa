import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

/** One request that a receiver got. */
interface Received {
  headers: IncomingHttpHeaders
  body: string
  /** The body's value. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  event: any
  /** Real time, in milliseconds. */
  at: number
}

type Respond = (response: ServerResponse, got: Received) => unknown

export interface Receiver {
  url: string
  got: Received[]
  /** What it responds from now on. */
  answer(how: number | Respond): void
  /** Waits until it has got so many requests in all, and returns the last one. */
  until(count: number, withinMs?: number): Promise<Received>
}

const WITHIN_MS = 4_000
const closing: (() => void)[] = []

/** Listens on loopback and keeps what it gets; `closeReceivers` ends it. */
export async function startReceiver(how: number | Respond = 200): Promise<Receiver> {
  let respond = asRespond(how)
  const got: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const one = { headers: request.headers, body, event: JSON.parse(body), at: Date.now() }
      got.push(one)
      respond(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    got,
    answer(next) {
      respond = asRespond(next)
    },
    async until(count, withinMs = WITHIN_MS) {
      await eventually(
        () => got.length >= count,
        withinMs,
        () => `${got.length} of ${count}`,
      )
      return got[count - 1] as Received
    },
  }
}

/** Listens on loopback with bare sockets, for what no HTTP server would do. */
export async function startRawReceiver(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; connections(): number }> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    connections: () => sockets.length,
  }
}

export function closeReceivers(): void {
  for (const close of closing.splice(0)) close()
}

export const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Waits until a condition holds; fails loudly when it does not in time. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  withinMs = WITHIN_MS,
  state: () => string = () => 'it does not hold',
): Promise<void> {
  const end = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`after ${withinMs} ms: ${state()}`)
    await pause(10)
  }
}

function asRespond(how: number | Respond): Respond {
  return typeof how === 'number' ? (response) => response.writeHead(how).end() : how
}
