import { expect } from 'vitest'
import { createEppClient, type EppClient, type EppClientOptions } from '../../src/index.ts'
import { schemaProblems } from './schemas.ts'
import { EppTestServer } from './server.ts'

const servers: EppTestServer[] = []

export async function startServer(
  options: ConstructorParameters<typeof EppTestServer>[0] = {},
): Promise<EppTestServer> {
  const server = await new EppTestServer(options).start()
  servers.push(server)
  return server
}

/** At the end of a file every frame of both sides has to be valid by its schema. */
export async function endServers(): Promise<void> {
  const frames: string[] = []
  for (const server of servers.splice(0)) {
    await server.stop()
    frames.push(...server.received, ...server.sent)
  }
  expect(frames.length).toBeGreaterThan(0)
  expect(await schemaProblems(frames)).toEqual([])
}

export function clientOf(
  server: EppTestServer,
  options: Partial<EppClientOptions> = {},
): EppClient {
  return createEppClient({
    ...server.access,
    reach: 'loopback',
    maxFrameBytes: 100_000,
    loginTimeoutMs: 5_000,
    commandTimeoutMs: 1_000,
    ...options,
  })
}

let calls = 0
export const call = (reference = `test-${++calls}`, signal = AbortSignal.timeout(10_000)) => ({
  reference,
  signal,
})
