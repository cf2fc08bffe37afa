import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { installClient, runMarketplace } from '../support/client-package.ts'
import { freshName, must } from '../support/market.ts'
import { orderBody, quote } from '../support/sale.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let client: PartnerClient
let folder: string
let jwks: string
let token: string
let response: string
let quoteToken: string
beforeAll(async () => {
  service = await startService()
  client = await service.partner()
  folder = mkdtempSync(join(tmpdir(), 'verify-receipt-'))
  await installClient(folder)
  const sold = await quote(client, await freshName(service))
  quoteToken = sold.quote_token
  const body = { ...orderBody(sold), external_payment_ref: 'pay-1' }
  const { public_id } = must(await client.post('/orders', body), 201).body
  for (const move of ['start', 'complete']) {
    must(await client.post(`/sandbox/orders/${public_id}/${move}-transfer`, {}), 200)
  }
  const got = must(await client.get(`/orders/${public_id}/receipt`), 200)
  response = got.text
  token = got.body.receipt
  jwks = await publicKeys()
}, 240_000)
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

async function publicKeys(): Promise<string> {
  return (await service.send({ method: 'GET', target: '/.well-known/jwks.json' })).text
}

async function rotate(): Promise<void> {
  must(await service.admin('POST', '/signing-keys', {}), 201)
  // The service reads its keys anew for this.
  await publicKeys()
}

/** Runs the command in an environment without any credential. */
async function verify(text: string, args: string[] = ['--jwks', 'jwks.json'], keys = jwks) {
  writeFileSync(join(folder, 'receipt.jwt'), text)
  writeFileSync(join(folder, 'jwks.json'), keys)
  const env = { PATH: process.env.PATH, SERVICE_URL: service.baseUrl }
  return await runMarketplace(folder, ['verify-receipt', 'receipt.jwt', ...args], env)
}

/** A receipt with something changed, signed by a key of a stranger that calls itself like ours. */
async function forged(header: object, claims: object) {
  const [head = '', payload = ''] = token.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { publicKey, privateKey } = await generateKeyPair('EdDSA')
  const own = { ...(await exportJWK(publicKey)), kid: read(head).kid, alg: 'EdDSA', use: 'sig' }
  const text = await new CompactSign(Buffer.from(JSON.stringify({ ...read(payload), ...claims })))
    .setProtectedHeader({ ...read(head), ...header })
    .sign(privateKey)
  return { text, keys: JSON.stringify({ keys: [own] }) }
}

describe('marketplace verify-receipt', () => {
  test('says of a good one what it says, with a file of keys and nothing else', async () => {
    const { code, stdout } = await verify(`${token}\n`)
    expect(stdout).toMatch(/^VALID, of a test/)
    expect(stdout).toContain('100.00 USD')
    expect(code).toBe(0)
    const json = await verify(response, ['--jwks', 'jwks.json', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: true,
      environment: 'sandbox',
      claims: { payment_ref_sha256: createHash('sha256').update('pay-1').digest('hex') },
    })
  })

  test('compares it with what its reader knows', async () => {
    const known = ['--issuer', 'http://localhost:3000', '--payment-ref', 'pay-1']
    const all = ['--jwks', 'jwks.json', ...known, '--quote-token', quoteToken]
    expect(await verify(token, all)).toMatchObject({ code: 0 })
    for (const [option, value, why] of [
      ['--issuer', 'https://elsewhere.example', 'issuer'],
      ['--payment-ref', 'pay-2', 'another payment'],
      ['--quote-token', 'e30', 'another quote'],
    ] as const) {
      const { code, stderr } = await verify(token, ['--jwks', 'jwks.json', option, value])
      expect(stderr).toContain(why)
      expect(code).toBe(1)
    }
  })

  test.each([
    ['a rotation of the key', rotate],
    [
      'its sandbox grew older',
      async () => must(await client.post('/sandbox/clock', { advance_seconds: 90 }), 200),
    ],
  ])('knows the token of a quote that was read after %s', async (_what, change) => {
    const made = await quote(client, await freshName(service))
    await change()
    const again = must(await client.get(`/quotes/${made.quote_id}`), 200).body
    const repeated = must(await client.post('/quotes', { domain: made.domain }), 201).body
    expect([again.quote_token, repeated.quote_token]).toEqual([made.quote_token, made.quote_token])
    const body = { ...orderBody(again), quote_id: again.quote_token }
    const { public_id } = must(await client.post('/orders', body), 201).body
    for (const move of ['start', 'complete']) {
      must(await client.post(`/sandbox/orders/${public_id}/${move}-transfer`, {}), 200)
    }
    const { receipt } = must(await client.get(`/orders/${public_id}/receipt`), 200).body
    const known = ['--jwks', 'jwks.json', '--quote-token', again.quote_token]
    expect(await verify(receipt, known, await publicKeys())).toMatchObject({ code: 0 })
  })

  test('has a new token of a quote from before hashes were kept', async () => {
    const made = await quote(client, await freshName(service))
    await service.app.db
      .updateTable('quotes')
      .set({ token_sha256: null })
      .where('id', '=', made.quote_id)
      .execute()
    await rotate()
    const again = must(await client.get(`/quotes/${made.quote_id}`), 200).body
    expect(again.quote_token).not.toBe(made.quote_token)
    expect(must(await client.get(`/quotes/${again.quote_token}`), 200).body).toEqual(again)
  })

  test('fetches the keys of the marketplace, whose receipt it must be then', async () => {
    const keys = `${service.baseUrl}/.well-known/jwks.json`
    expect(await verify(token, ['--jwks', keys])).toMatchObject({ code: 0 })
    const { code, stderr } = await verify(token, [])
    expect(stderr).toContain(`issuer is http://localhost:3000 instead of ${service.baseUrl}`)
    expect(code).toBe(1)
  })

  test('rejects what was changed, or signed by somebody else', async () => {
    const [head = '', payload = '', signature = ''] = token.split('.')
    const claims = Buffer.from(payload, 'base64url').toString()
    const cheaper = Buffer.from(claims.replace('10000', '10001')).toString('base64url')
    const none = Buffer.from('{"alg":"none","typ":"delivery-receipt+jwt"}').toString('base64url')
    for (const [text, why] of [
      [`${head}.${cheaper}.${signature}`, 'signature'],
      [`${head}.${payload}.${signature}=`, 'base64url'],
      [`${none}.${payload}.`, 'algorithm'],
      [`${head}.${payload}`, 'no JWS'],
      [quoteToken, 'type is JWT'],
      [(await forged({}, {})).text, 'signature'],
    ] as const) {
      const { code, stderr } = await verify(text)
      expect(stderr).toContain(why)
      expect(code).toBe(1)
    }
    const { stdout } = await verify('not.a.token', ['--jwks', 'jwks.json', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ valid: false })
  })

  test('rejects what is signed and says too little, or too much', async () => {
    for (const [header, claims, why] of [
      [{}, { domain: undefined }, 'claim domain'],
      [{}, { price_cents: '100' }, 'claim price_cents'],
      [{}, { registry: { before: null } }, 'claim registry'],
      [{}, { delivered_at: 'yesterday' }, 'claim delivered_at'],
      [{ environment: undefined }, {}, 'live sale'],
      [{ typ: 'JWT' }, {}, 'type'],
    ] as const) {
      const { text, keys } = await forged(header, claims)
      const { code, stderr } = await verify(text, ['--jwks', 'jwks.json'], keys)
      expect(stderr).toContain(why)
      expect(code).toBe(1)
    }
  })

  test('says what is wrong with the keys, or with how it was called', async () => {
    for (const [keys, why] of [
      ['{"keys":[]}', 'not among the keys'],
      ['[]', 'no JWK Set'],
      [jwks.replaceAll('Ed25519', 'Ed448'), 'no Ed25519 key'],
    ] as const) {
      expect((await verify(token, ['--jwks', 'jwks.json'], keys)).stderr).toContain(why)
    }
    for (const args of [
      ['--jwks', 'no-such-file'],
      ['--jwks', `${service.baseUrl}/nowhere`],
      ['--jwks', 'jwks.json', 'another'],
      ['--base-url', 'ftp://host'],
      ['--colour', 'red'],
    ]) {
      expect(await verify(token, args)).toMatchObject({ code: 2 })
    }
    expect(await verify('{"order": 1}')).toMatchObject({ code: 2 })
    const env = { PATH: process.env.PATH }
    expect(await runMarketplace(folder, ['verify-receipt'], env)).toMatchObject({ code: 2 })
    expect(await runMarketplace(folder, ['verify-receipt', 'nothing'], env)).toMatchObject({
      code: 2,
    })
    const help = await runMarketplace(folder, ['verify-receipt', '--help'], env)
    expect(help.stdout).toContain('--jwks')
  })
})
