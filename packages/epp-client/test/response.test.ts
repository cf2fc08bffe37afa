import { expect, test } from 'vitest'
import { type EppClient, infoDomain, pollMessage } from '../src/index.ts'
import { readResponse } from '../src/response.ts'
import { parseXml } from '../src/xml.ts'
import { call } from './support/connect.ts'

const DOMAIN = 'urn:ietf:params:xml:ns:domain-1.0'

/** A client that gets this response to whatever it sends. */
function hearing(data: string, result = '<result code="1000"><msg>Done</msg></result>'): EppClient {
  const frame = `<epp xmlns="urn:ietf:params:xml:ns:epp-1.0"><response>${result}
    <resData>${data}</resData></response></epp>`
  return {
    greeting: null,
    send: async () => readResponse(parseXml(frame)),
    reconnect: async () => await Promise.reject(new Error('no connection')),
    close: async () => {},
  }
}

const infData = (name: string, more = '', attributes = '') =>
  `<domain:infData xmlns:domain="${DOMAIN}"${attributes}><domain:name>${name}</domain:name>
    <domain:clID>registrar-1</domain:clID>${more}</domain:infData>`

test.each([
  ['2027-01-15T00:00:00+02:00', '2027-01-14T22:00:00.000Z'],
  ['2027-01-15T00:00:00.000+0200', '2027-01-14T22:00:00.000Z'],
  ['2027-01-15T00:00:00', '2027-01-15T00:00:00.000Z'],
  ['2027-01-15 00:00:00', '2027-01-15T00:00:00.000Z'],
  ['2027-01-15', '2027-01-15T00:00:00.000Z'],
])('reads the expiry %s', async (written, meant) => {
  const client = hearing(infData('one.com', `<domain:exDate>${written}</domain:exDate>`))
  const { expiresAt, expiresOn } = await infoDomain(client, 'one.com', call())
  expect(expiresAt?.toISOString()).toBe(meant)
  expect(expiresOn).toBe('2027-01-15')
})

test.each([
  ['xn--bcher-kva.example', 'Bücher.example'],
  ['one.com', 'ONE.COM'],
])('knows %s, also where it is written %s', async (asked, written) => {
  const { name } = await infoDomain(hearing(infData(written)), asked, call())
  expect(name).toBe(asked)
  const queued = `<result code="1301"><msg/></result><msgQ id="1" count="1"/>`
  const message = await pollMessage(hearing(infData(written), queued), call())
  expect(message?.domain).toBe(asked)
})

test('reads where a schema is from a server that does not bind the prefix', async () => {
  const client = hearing(infData('one.com', '', ` xsi:schemaLocation="${DOMAIN} domain-1.0.xsd"`))
  expect((await infoDomain(client, 'one.com', call())).sponsor).toBe('registrar-1')
  expect(() => parseXml('<epp no:prefix="1"/>')).toThrow('unbound namespace prefix')
})

test('says whether a code for transfers is shown', async () => {
  const shown = async (authInfo: string) =>
    (await infoDomain(hearing(infData('one.com', authInfo)), 'one.com', call())).showsAuthInfo
  expect(await shown('<domain:authInfo><domain:pw>2fooBAR</domain:pw></domain:authInfo>')).toBe(
    true,
  )
  expect(await shown('<domain:authInfo><domain:pw/></domain:authInfo>')).toBe(false)
  expect(await shown('')).toBe(false)
})
