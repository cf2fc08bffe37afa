import { connect } from 'node:net'

/** Writes bytes to a socket of the service and returns everything that came back until it was closed. */
export function exchange(baseUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    const chunks: Buffer[] = []
    socket.setTimeout(5_000, () => socket.destroy(new Error('the service left the socket open')))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** Sends the beginning of something and hangs up. */
export function hangUp(baseUrl: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes, () => setTimeout(() => socket.destroy(), 50))
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}
