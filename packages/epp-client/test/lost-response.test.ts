import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type EppClient,
  infoDomain,
  NotPerformed,
  ResponseLost,
  renewDomain,
} from '../src/index.ts'
import { call, clientOf, endServers, startServer } from './support/connect.ts'
import type { EppTestServer, Trouble } from './support/server.ts'

let server: EppTestServer
beforeAll(async () => {
  server = await startServer()
  server.add('one.com')
})
afterAll(endServers)

const clients: EppClient[] = []
afterEach(async () => {
  server.faults.length = 0
  for (const client of clients.splice(0)) await client.close()
})

function connected(): EppClient {
  const client = clientOf(server)
  clients.push(client)
  return client
}

describe('a command that changes something', () => {
  const renew = (client: EppClient) =>
    renewDomain(
      client,
      {
        name: 'one.com',
        years: 1,
        expiresAt: server.domains.get('one.com')?.expiresAt ?? new Date(),
      },
      call(),
    )

  test.each<Trouble>([
    'drop_before',
    'drop_after',
    'silence_before',
    'silence_after',
    'half_after',
    'garbage_after',
    'not_xml_after',
    'doctype_after',
    'wrong_id_after',
    'no_id_after',
    'huge_after',
  ])('may have taken effect after %s', async (does) => {
    const client = connected()
    await client.reconnect(call())
    server.faults.push({ on: 'renew', does })
    await expect(renew(client)).rejects.toThrow(ResponseLost)
    // What comes late belongs to a session that is over.
    expect((await renew(client)).isPending).toBe(false)
  })

  test.each([2400, 2500, 2501, 2502])('was not performed after %i', async (code) => {
    const client = connected()
    server.faults.push({ on: 'renew', does: { code } })
    await expect(renew(client)).rejects.toThrow(NotPerformed)
    await renew(client)
  })

  test.each([2000, 2003, 2104, 2201, 2304, 2306])('is rejected by %i', async (code) => {
    const client = connected()
    server.faults.push({ on: 'renew', does: { code, reason: 'Because.' } })
    await expect(renew(client)).rejects.toMatchObject({
      name: 'Error',
      code,
      message: `Error ${code}`,
      reason: 'Because.',
    })
  })

  test('is rejected, also by a server that could not read its id', async () => {
    const client = connected()
    server.faults.push({ on: 'renew', does: { code: 2001, reason: 'No schema.', readsNone: true } })
    await expect(renew(client)).rejects.toMatchObject({ code: 2001, reason: 'No schema.' })
    server.faults.push({ on: 'renew', does: { code: 2500, readsNone: true } })
    await expect(renew(client)).rejects.toThrow(NotPerformed)
  })

  test('is not sent when no session can be opened, or its time is over', async () => {
    const client = connected()
    server.faults.push({ on: 'login', does: { code: 2502 } })
    await expect(renew(client)).rejects.toThrow(NotPerformed)
    const over = call('over', AbortSignal.abort(new Error('too late')))
    await expect(infoDomain(client, 'one.com', over)).rejects.toThrow(NotPerformed)
    expect(server.commands).not.toContain('info over')
  })
})
