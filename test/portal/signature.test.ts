import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../support/market.ts'
import { type SignedInPartner, signedInPartner } from '../support/portal.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ann: SignedInPartner
beforeAll(async () => {
  service = await startService()
  ann = await signedInPartner(service, 'ann@example.com')
})
afterAll(() => service.stop())

const BODY = '{"domain":"petpantry.test"}'
const TARGET = '/api/partner/v1/quotes?b=2&a=1'

/** A request as a partner would paste it, and the string that is right for it. */
function pasted(target = TARGET) {
  const [path, query = ''] = target.split('?')
  const headers = ann.client.sign('POST', `${path}?a=1&b=2`, BODY)
  const lines = [
    'POST',
    path,
    query && 'a=1&b=2',
    headers['x-service-timestamp'],
    headers['x-service-nonce'],
    createHash('sha256').update(BODY).digest('hex'),
  ]
  return {
    lines,
    form: {
      method: 'POST',
      url: `https://market.example${target}`,
      headers: Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\r\n'),
      body: BODY,
      signed: lines.join('\r\n'),
    },
  }
}

const ask = (form: Record<string, string>) => ann.browser.post('/partner/sandbox/signature', form)

describe('the signature debugger', () => {
  test('says that what is right is right', async () => {
    const page = must(await ask(pasted().form), 200)
    expect(page.text).toContain('The signature is right for this request.')
    expect(page.text).toContain('Both strings are the same, to the last character.')
  })

  test.each([
    ['Method', 0, 'post', 1],
    ['Path', 1, '/quotes', 2],
    ['Query', 2, 'b=2&a=1', 1],
    ['Timestamp', 3, '1795255440000', null],
    ['Nonce', 4, '?another-nonce', 1],
    ['Body hash', 5, 'f'.repeat(64), null],
  ])('finds the first difference in the %s', async (name, index, instead, column) => {
    const { form, lines } = pasted()
    const signed = lines.with(index, instead).join('\n')
    const page = must(await ask({ ...form, signed }), 200)
    expect(page.text).toContain(`line ${index + 1}, ${name.toLowerCase()}, at`)
    if (column !== null) expect(page.text).toContain(`character ${column}.`)
  })

  test('finds a line too many, and one that is missing', async () => {
    const { form, lines } = pasted()
    const more = must(await ask({ ...form, signed: `${lines.join('\n')}\n` }), 200)
    expect(more.text).toContain('line 7')
    const fewer = must(await ask({ ...form, signed: lines.slice(0, 5).join('\n') }), 200)
    expect(fewer.text).toContain('line 6, body hash')
    expect(fewer.text).toContain('no such line')
    const many = must(
      await ask({ ...form, signed: `${lines.join('\n')}${'\n'.repeat(80_000)}` }),
      200,
    )
    expect(many.text).toContain('line 7')
    expect(many.text.length).toBeLessThan(300_000)
  })

  test('reads headers of any length, and as programs write them', async () => {
    const { form } = pasted()
    const blanks = `x-note: a${' '.repeat(100_000)}b`
    must(await ask({ ...form, headers: `${form.headers}\r\n${blanks}` }), 200)
    const written = form.headers.replace(/^(.*): (.*)$/gm, `  "$1" : '$2',  `)
    const page = must(await ask({ ...form, headers: written }), 200)
    expect(page.text).toContain('The signature is right for this request.')
  })

  test('tells a wrong string from a wrong secret, and shows neither', async () => {
    const { form, lines } = pasted()
    const odd = lines.with(1, '/odd').join('\n')
    const signature = (signed: string) =>
      ann.client.sign('POST', TARGET, BODY, { canonical: () => signed })['x-service-signature'] ??
      ''
    const withSignature = (value: string) => form.headers.replace(/v1=[0-9a-f]+/, value)
    const string = must(
      await ask({ ...form, headers: withSignature(signature(odd)), signed: odd }),
      200,
    )
    expect(string.text).toContain('The secret is right')
    const secret = must(await ask({ ...form, headers: withSignature(`v1=${'0'.repeat(64)}`) }), 200)
    expect(secret.text).toContain('the secret is another')
    const bare = signature(lines.join('\n')).slice(3)
    const prefix = must(await ask({ ...form, headers: withSignature(bare) }), 200)
    expect(prefix.text).toContain('lacks its prefix')
    for (const { text } of [string, secret, prefix]) {
      expect(text).not.toContain(ann.client.credential.secret)
    }
    expect(secret.text.replace(form.headers, '')).not.toContain(bare)
  })

  test('wants a URL, and a key id of the partner’s own', async () => {
    const { form } = pasted()
    expect((await ask({ ...form, url: ' ' })).status).toBe(400)
    const other = await service.partner()
    const headers = form.headers.replace(/pk_\w+/, other.credential.key_id)
    const foreign = await ask({ ...form, headers })
    expect(foreign.status).toBe(400)
    expect(foreign.text).toContain(
      `must name a credential of yours here, which ${other.credential.key_id} is not.`,
    )
    expect((await ask({ request: 'req_0', signed: 'x' })).status).toBe(404)
  })
})
