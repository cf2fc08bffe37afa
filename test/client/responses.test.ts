import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  ApiError,
  type Attempt,
  ConnectionError,
  MarketplaceError,
  PartnerClient,
  PublicClient,
  type PublicClientOptions,
} from '../../client/src/index.ts'

const servers: Server[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** The address of a server that responds as told. */
async function serverOf(response: RequestListener): Promise<string> {
  const server = createServer(response).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function readerOf(response: RequestListener, options: Partial<PublicClientOptions> = {}) {
  const baseUrl = await serverOf(response)
  const attempts: Attempt[] = []
  const onAttempt = (idempotency: Attempt) => attempts.push(idempotency)
  return { reader: new PublicClient({ baseUrl, onAttempt, ...options }), attempts }
}

const answering =
  (type: string, body: string, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body)

const caught = (work: Promise<unknown>) => work.catch((error: unknown) => error)

describe('rows', () => {
  const ROW = '{"kind":"row","domain":"a.com"}'
  const NDJSON = 'application/x-ndjson; charset=utf-8'

  async function rowsOf(type: string, body: string) {
    const { reader } = await readerOf(answering(type, body))
    const rows: string[] = []
    for await (const { domain } of reader.searchRows({ q: 'a' })) rows.push(domain)
    return rows
  }

  test.each([
    ['an end without a newline', `${ROW}\n${ROW}`],
    ['blank lines', `${ROW}\n\n${ROW}\r\n \n`],
  ])('are all read, with %s', async (_what, body) => {
    expect(await rowsOf(NDJSON, body)).toEqual(['a.com', 'a.com'])
  })

  test('are read of a whole response, as a repeat gets it', async () => {
    const body = JSON.stringify({ query: 'a', results: [{ domain: 'a.com' }, { domain: 'a.net' }] })
    expect(await rowsOf('application/json; charset=utf-8', body)).toEqual(['a.com', 'a.net'])
    expect(await rowsOf(NDJSON, '')).toEqual([])
  })

  test.each([
    ['text/html', '<html>'],
    ['application/json', '<html>'],
    ['application/json', '{"domain":"a.com"}'],
    ['application/json', 'null'],
  ])('are not looked for in %s that holds %s', async (type, body) => {
    const error = await caught(rowsOf(type, body))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 200, code: 'unknown' })
  })

  test.each(['{"kind":"row","dom', `${ROW}\n{"kind":"ro\n${ROW}\n`, 'null\n', '1\n'])(
    'that are none end with an error of ours: %j',
    async (body) => {
      const error = await caught(rowsOf(NDJSON, body))
      expect(error).toBeInstanceOf(MarketplaceError)
      expect(error).toMatchObject({ message: expect.stringContaining('row') })
    },
  )

  test('end with the error of the last one, newline or not', async () => {
    const last = '{"kind":"error","error":{"code":"unavailable","message":"away"}}'
    const error = await caught(rowsOf(NDJSON, `${ROW}\n${last}`))
    expect(error).toMatchObject({ code: 'unavailable', message: 'away' })
  })
})

describe('a statement as CSV', () => {
  async function csvOf(type: string, body: string) {
    const baseUrl = await serverOf(answering(type, body))
    return await new PartnerClient({ baseUrl, keyId: 'pk', secret: 'sk' }).settlements.csv('stl_1')
  }

  test('is what a response of that type holds', async () => {
    expect(await csvOf('text/csv; charset=utf-8', 'public_id\n')).toBe('public_id\n')
  })

  test.each(['text/html', 'application/json'])('is none of %s', async (type) => {
    const error = await caught(csvOf(type, '<html>'))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 200, code: 'unknown' })
  })
})

describe('a response that is no JSON', () => {
  test.each(['<html>', ''])('is a stranger’s, and is not asked for again: %j', async (body) => {
    const { reader, attempts } = await readerOf(answering('text/html', body))
    const error = await caught(reader.batchOperations())
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 200, code: 'unknown', requestId: null })
    expect(attempts).toMatchObject([{ status: 200, retryInMs: null }])
  })

  test('is asked for again when it broke off', async () => {
    let tries = 0
    const { reader, attempts } = await readerOf((_request, response) => {
      tries += 1
      response.writeHead(200, { 'content-length': '18' }).write('{"operations"')
      if (tries === 1) setTimeout(() => response.destroy(), 20)
      else response.end(':[]} ')
    })
    expect(await reader.batchOperations()).toEqual({ operations: [] })
    expect(attempts.map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('whoever watches the attempts', () => {
  const watchers: [string, () => void][] = [
    ['throws', () => expect.unreachable('watched')],
    ['rejects', async () => expect.unreachable('watched')],
  ]
  test.each(watchers)('changes nothing when it %s', async (_how, fails) => {
    const seen: Attempt[] = []
    const { reader } = await readerOf(answering('application/json', '{}'), {
      onAttempt: (idempotency) => {
        seen.push(idempotency)
        return fails()
      },
    })
    expect(await reader.batchOperations()).toEqual({})
    expect(seen).toMatchObject([{ attempt: 1, status: 200, retryInMs: null }])
    const { reader: unlucky } = await readerOf(answering('application/json', '{}', 404), {
      onAttempt: fails,
    })
    expect(await caught(unlucky.batchOperations())).toMatchObject({ status: 404 })
  })

  test('is told whole milliseconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.123_456)
    const { reader, attempts } = await readerOf(answering('text/html', '', 503), { maxRetries: 1 })
    await caught(reader.batchOperations())
    expect(attempts.map(({ retryInMs }) => retryInMs)).toEqual([281, null])
  })
})

describe('times', () => {
  test.each([30 * 86_400_000, Number.POSITIVE_INFINITY, 1_000.5])(
    'of %d ms are waited for, and do not end at once',
    async (timeoutMs) => {
      const slow: RequestListener = (_request, response) => setTimeout(() => response.end('{}'), 50)
      const { reader } = await readerOf(slow, { timeoutMs, maxRetries: 0 })
      expect(await reader.batchOperations()).toEqual({})
    },
  )

  test('that a service asks for are waited, however long', async () => {
    const away: RequestListener = (_request, response) =>
      response.writeHead(503, { 'retry-after': '9999999' }).end()
    const stop = new AbortController()
    const options = { maxRetryAfterMs: Number.POSITIVE_INFINITY }
    const { reader, attempts } = await readerOf(away, options)
    setTimeout(() => stop.abort(new Error('enough')), 300)
    await expect(reader.batchOperations({ signal: stop.signal })).rejects.toThrow('enough')
    expect(attempts).toMatchObject([{ status: 503, retryInMs: 2 ** 31 - 1 }])
  })
})

describe('an address', () => {
  test.each([
    'http://host/marketplace',
    'https://host/?a=1',
    'https://host/#a',
    'localhost:3000',
    'market.example',
    'ftp://host',
    'http://ann:hunter2@host',
    'http://ann@host',
  ])('%s is rejected before anything is sent', (baseUrl) => {
    const both = [
      () => new PublicClient({ baseUrl }),
      () => new PartnerClient({ baseUrl, keyId: 'pk', secret: 'sk' }),
    ]
    for (const make of both) {
      expect(make).toThrow(MarketplaceError)
      expect(make).toThrow(/^baseUrl must /)
      expect(make).not.toThrow('hunter2')
    }
  })

  test.each(['http://host', 'https://host:8443/', 'HTTP://[::1]:3000'])(
    '%s is taken',
    (baseUrl) => {
      expect(new PublicClient({ baseUrl })).toBeInstanceOf(PublicClient)
    },
  )
})

test('a query leaves out what is null, such as the cursor after the last page', async () => {
  const asked: (string | undefined)[] = []
  const { reader } = await readerOf((request, response) => {
    asked.push(request.url)
    response.end('{}')
  })
  await reader.listings.list({ limit: 2, cursor: null as never })
  expect(asked).toEqual(['/api/market/listings?limit=2'])
})

test('a token that is null is none', async () => {
  const sent: (string | undefined)[] = []
  for (const accessToken of [null, () => null, undefined, 'good']) {
    const { reader } = await readerOf(
      (request, response) => {
        sent.push(request.headers.authorization)
        response.end('{}')
      },
      { accessToken },
    )
    await reader.batchOperations()
  }
  expect(sent).toEqual([undefined, undefined, undefined, 'Bearer good'])
})

test('a response that broke off each time is no stranger’s', async () => {
  const cut: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': '99' }).write('{')
    setTimeout(() => response.destroy(), 20)
  }
  const { reader } = await readerOf(cut, { maxRetries: 0 })
  expect(await caught(reader.batchOperations())).toBeInstanceOf(ConnectionError)
})
