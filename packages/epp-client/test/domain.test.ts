import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  acknowledgeMessage,
  CommandRejected,
  checkDomain,
  createHost,
  type EppClient,
  infoDomain,
  pollMessage,
  ResponseLost,
  renewDomain,
  renewFee,
  unknownHosts,
  updateDomain,
} from '../src/index.ts'
import { call, clientOf, endServers, startServer } from './support/connect.ts'
import { transferData } from './support/markup.ts'
import { schemaProblems } from './support/schemas.ts'
import type { EppTestServer } from './support/server.ts'

const EXPIRES = new Date('2027-06-01T12:00:00.0Z')

let server: EppTestServer
let client: EppClient
beforeAll(async () => {
  server = await startServer()
})
afterAll(endServers)
beforeEach(() => {
  server.domains.clear()
  server.add('one.com')
  client = clientOf(server)
})
afterEach(() => client.close())

describe('info', () => {
  test('brings status, name servers, expiry, grace periods and DNSSEC', async () => {
    const ds = { keyTag: 12345, algorithm: 13, digestType: 2, digest: 'AB'.repeat(32) }
    server.add('full.com', {
      statuses: new Set(['clientTransferProhibited', 'serverHold']),
      graceStatuses: ['autoRenewPeriod'],
      nameservers: ['ns1.registrar.example', 'ns2.registrar.example'],
      ds: [ds],
    })
    expect(await infoDomain(client, 'full.com', call())).toEqual({
      name: 'full.com',
      sponsor: 'registrar-1',
      statuses: ['clientTransferProhibited', 'serverHold'],
      graceStatuses: ['autoRenewPeriod'],
      nameservers: ['ns1.registrar.example', 'ns2.registrar.example'],
      expiresAt: EXPIRES,
      expiresOn: '2027-06-01',
      showsAuthInfo: false,
      dnssec: { ds: [ds], keys: [] },
    })
  })

  test('is rejected where there is no such domain, or it is that of another', async () => {
    server.add('other.com', { sponsor: 'registrar-2' })
    await expect(infoDomain(client, 'none.com', call())).rejects.toMatchObject({ code: 2303 })
    await expect(infoDomain(client, 'other.com', call())).rejects.toMatchObject({ code: 2201 })
  })
})

describe('renew', () => {
  const renew = (expiresAt = EXPIRES, extension = null as ReturnType<typeof renewFee> | null) =>
    renewDomain(client, { name: 'one.com', years: 2, expiresAt, extension }, call())

  test('brings the new expiry, and a repeat renews nothing', async () => {
    expect(await renew()).toEqual({
      isPending: false,
      expiresAt: new Date('2029-06-01T12:00:00.0Z'),
    })
    await expect(renew()).rejects.toThrow(CommandRejected)
    expect(server.domains.get('one.com')?.expiresAt.getUTCFullYear()).toBe(2029)
  })

  test('names the fee that is agreed to', async () => {
    const { renew: price } = await checkDomain(client, 'one.com', { years: 2 }, call())
    expect(price).toEqual({ cents: 2000, currency: 'USD', fees: ['20.00'], credits: [] })
    if (!price) throw new Error('no price')
    server.add('one.com', { fee: '15.00' })
    await expect(renew(EXPIRES, renewFee(price))).rejects.toMatchObject({ code: 2004 })
    server.add('one.com', { fee: '10.00' })
    await renew(EXPIRES, renewFee(price))
  })

  test('may be done later', async () => {
    server.isPending = true
    expect(await renew()).toEqual({ isPending: true, expiresAt: null })
    server.isPending = false
  })
})

describe('update', () => {
  test('changes statuses, name servers and the code in one command', async () => {
    server.hosts.add('ns1.example.net')
    const domain = server.add('one.com', { statuses: new Set(['clientTransferProhibited']) })
    await updateDomain(
      client,
      'one.com',
      {
        add: { nameservers: ['ns1.example.net'], statuses: ['clientHold'] },
        remove: {
          nameservers: ['ns1.registrar.example'],
          statuses: ['clientTransferProhibited'],
        },
        authInfo: 'a<b>&"c',
      },
      call(),
    )
    expect(domain).toMatchObject({
      nameservers: ['ns1.example.net'],
      statuses: new Set(['clientHold']),
      authInfo: 'a<b>&"c',
    })
    await updateDomain(client, 'one.com', { authInfo: null }, call())
    expect(domain.authInfo).toBeNull()
    expect(server.received.at(-1)).toContain('<domain:null/>')
  })

  test('names servers as attributes where the server has no host objects', async () => {
    const attributes = await startServer({
      objects: ['urn:ietf:params:xml:ns:domain-1.0'],
      extensions: [],
    })
    attributes.add('one.com')
    const other = clientOf(attributes)
    await updateDomain(other, 'one.com', { add: { nameservers: ['ns1.example.net'] } }, call())
    expect(attributes.received.at(-1)).toContain(
      '<domain:hostAttr><domain:hostName>ns1.example.net</domain:hostName></domain:hostAttr>',
    )
    await other.close()
  })

  test('a text that XML cannot hold is not sent', async () => {
    const before = server.received.length
    await expect(updateDomain(client, 'one.com', { authInfo: 'a\u0000' }, call())).rejects.toThrow(
      TypeError,
    )
    expect(server.received.slice(before).some((frame) => frame.includes('update'))).toBe(false)
  })
})

describe('check', () => {
  test('says whether a name is available, and what it costs', async () => {
    server.add('gold.com', { fee: '99.995', feeClass: 'premium' })
    const price = { currency: 'USD', credits: [] }
    expect(await checkDomain(client, 'free.com', { years: 1, currency: 'USD' }, call())).toEqual({
      isAvailable: true,
      reason: null,
      isPremium: false,
      create: { ...price, cents: 1000, fees: ['10.00'] },
      renew: { ...price, cents: 1000, fees: ['10.00'] },
    })
    expect(await checkDomain(client, 'gold.com', { years: 1 }, call())).toMatchObject({
      isAvailable: false,
      reason: 'In use',
      isPremium: true,
    })
  })

  test('without the fee extension it says no price', async () => {
    const plain = await startServer({ extensions: [] })
    const other = clientOf(plain)
    expect(await checkDomain(other, 'free.com', { years: 1 }, call())).toMatchObject({
      isAvailable: true,
      renew: null,
    })
    await other.close()
  })
})

describe('hosts', () => {
  test('are created where the server does not know them', async () => {
    const names = ['ns1.registrar.example', 'ns9.example.net']
    expect(await unknownHosts(client, names, call())).toEqual(['ns9.example.net'])
    await createHost(client, 'ns9.example.net', call())
    expect(await unknownHosts(client, names, call())).toEqual([])
    await expect(createHost(client, 'ns9.example.net', call())).rejects.toMatchObject({
      code: 2302,
    })
  })
})

describe('the poll queue', () => {
  test('gives a message until it is acknowledged', async () => {
    server.messages.push({
      id: '5',
      text: 'Transfer requested.',
      data: transferData('one.com', 'pending', 'registrar-2'),
    })
    for (let read = 0; read < 2; read++) {
      expect(await pollMessage(client, call())).toMatchObject({
        id: '5',
        text: 'Transfer requested.',
        domain: 'one.com',
        data: 'trnData',
      })
    }
    await acknowledgeMessage(client, '5', call())
    await acknowledgeMessage(client, '5', call())
    expect(await pollMessage(client, call())).toBeNull()
    expect(server.acknowledged).toEqual(['5'])
  })
})

test('a response about another domain says as little as none', async () => {
  server.faults.push({ on: 'info', does: { code: 1000 } })
  await expect(infoDomain(client, 'one.com', call())).rejects.toThrow(ResponseLost)
})

test('a frame that breaks its schema would be found', async () => {
  const frame = '<epp xmlns="urn:ietf:params:xml:ns:epp-1.0"><command/></epp>'
  expect(await schemaProblems([frame])).toEqual([expect.stringContaining('Missing child element')])
})
