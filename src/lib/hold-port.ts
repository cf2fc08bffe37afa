import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

interface HeldPort {
  port: number
  /** Lets go of it, for another to listen there. */
  release(): Promise<void>
}

/** Takes a free port of a host: nobody else gets it until it is released, and no connection to it is served. */
export async function holdPort(host: string): Promise<HeldPort> {
  const holder = createServer((socket) => socket.destroy()).listen(0, host)
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  return {
    port,
    async release() {
      holder.close()
      await once(holder, 'close')
    },
  }
}

/** The host that listens on all interfaces: `::`, which takes IPv4 too, or `0.0.0.0` without IPv6. */
export async function allInterfaces(hold = holdPort): Promise<'::' | '0.0.0.0'> {
  try {
    await (await hold('::')).release()
    return '::'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL') return '0.0.0.0'
    throw error
  }
}
