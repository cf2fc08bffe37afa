import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A chunk on its way; answering false keeps it from going on. */
type Watch = (chunk: Buffer) => boolean

export interface Proxy {
  port: number
  /** Looks at what the client sends, and at what the server responds. */
  watch(watches: { client?: Watch; server?: Watch }): void
  /** Breaks all connections off, and rejects new ones until `open`. */
  shut(): void
  /** Lets nothing more pass on the connections there are, and serves nobody new, until `open`. */
  freeze(): void
  /** Takes new connections. Those that were frozen stay as they are, as after a lost route. */
  open(): void
  close(): void
}

/** Stands between two sides of a TCP connection, to see what passes and to be the network's faults. */
export async function startProxy(target: () => { host: string; port: number }): Promise<Proxy> {
  let watches: { client?: Watch; server?: Watch } = {}
  let state: 'open' | 'shut' | 'frozen' = 'open'
  const pairs = new Set<{ sockets: [Socket, Socket] | [Socket]; frozen: boolean }>()

  const server = createServer((client) => {
    client.on('error', () => {})
    if (state === 'shut') client.resetAndDestroy()
    else if (state === 'frozen') swallow(client)
    else join(client)
  })

  /** Read, so that the other side's bytes vanish as in a network that lost its route. */
  function swallow(client: Socket): void {
    const pair = { sockets: [client] as [Socket], frozen: true }
    pairs.add(pair)
    client.on('close', () => pairs.delete(pair))
    client.resume()
  }

  function join(client: Socket): void {
    const upstream = connect(target())
    const pair = { sockets: [client, upstream] as [Socket, Socket], frozen: false }
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      if (pair.frozen) return
      client.destroy()
      upstream.destroy()
    }
    client.setNoDelay(true)
    upstream.setNoDelay(true)
    upstream.on('error', () => {})
    client.on('close', end)
    upstream.on('close', end)
    client.on('data', (chunk) => {
      if (!pair.frozen && (watches.client?.(chunk) ?? true)) upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!pair.frozen && (watches.server?.(chunk) ?? true)) client.write(chunk)
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const breakAll = () => {
    for (const { sockets } of pairs) for (const socket of sockets) socket.resetAndDestroy()
    pairs.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    watch(next) {
      watches = next
    },
    shut() {
      state = 'shut'
      breakAll()
    },
    freeze() {
      state = 'frozen'
      for (const pair of pairs) pair.frozen = true
    },
    open() {
      state = 'open'
    },
    close() {
      breakAll()
      server.close()
    },
  }
}

/** A proxy before a database. */
export function proxyTo(url: string): Promise<Proxy> {
  const { hostname, port } = new URL(url)
  return startProxy(() => ({ host: hostname, port: Number(port || 5432) }))
}

/** A database's address with another host and port in it. */
export function through(proxy: Proxy, url: string): string {
  const changed = new URL(url)
  changed.hostname = '127.0.0.1'
  changed.port = String(proxy.port)
  return changed.toString()
}
