import { createSocket } from 'node:dgram'

/** A name server that responds to queries with the bytes of one address, with none for `[]`, and NXDOMAIN for null. */
export async function startNameServer(
  records: (name: string, type: 'A' | 'AAAA') => number[] | null,
): Promise<{ port: number; close(): void }> {
  const server = createSocket('udp4')
  server.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const question = query.subarray(12, at + 5)
    const address = records(labels.join('.'), query.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA')
    const count = address === null || address.length === 0 ? 0 : 1
    const header = [0x81, address === null ? 0x83 : 0x80, 0, 1, 0, count, 0, 0, 0, 0]
    const record = [
      0xc0,
      12,
      ...query.subarray(at + 1, at + 5),
      0,
      0,
      0,
      1,
      0,
      address?.length ?? 0,
    ]
    const parts = [query.subarray(0, 2), Buffer.from(header), question]
    if (count === 1) parts.push(Buffer.from([...record, ...(address ?? [])]))
    server.send(Buffer.concat(parts), from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  return { port: server.address().port, close: () => void server.close() }
}
