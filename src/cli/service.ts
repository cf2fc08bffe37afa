import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { request } from 'undici'
import { localAddress } from '../lib/local-address.ts'
import { TOKEN_RULE, TOKEN_TEXT } from '../lib/token-text.ts'
import { Failed } from './terminal.ts'

/** How a connection that was established ends before its response. */
const BROKEN_OFF = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

export async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await send(method, path, {
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : null,
  })
  return parseJson(await response.text())
}

export async function upload(path: string, csv: Readable, brokenOff?: string): Promise<Readable> {
  return await send('POST', path, { headers: { 'content-type': 'text/csv' }, body: csv, brokenOff })
}

async function send(
  method: string,
  path: string,
  options: {
    headers: Record<string, string>
    body: string | Readable | null
    /** What to say when the service goes away in the middle. */
    brokenOff?: string | undefined
  },
) {
  const { baseUrl, token } = service()
  const { statusCode, body } = await request(`${baseUrl}/api/admin/v1${path}`, {
    method,
    body: options.body,
    headers: { ...options.headers, authorization: `Bearer ${token}` },
    bodyTimeout: 0,
    headersTimeout: 0,
  }).catch(({ code, message }: NodeJS.ErrnoException) => {
    if (options.brokenOff && code && BROKEN_OFF.includes(code)) throw new Failed(options.brokenOff)
    throw new Failed(
      `error: no service responds at ${baseUrl} (${code ?? message}): is it running?`,
    )
  })
  if (statusCode === 401) {
    await body.dump()
    throw new Failed(
      `unauthorized: the service at ${baseUrl} does not accept this token: set ADMIN_TOKEN, or DATA_DIR, to that service's`,
    )
  }
  if (statusCode >= 400) throw failure(parseJson(await body.text()))
  return body
}

/**
 * Where the service is and its admin token: from the environment, where empty counts as absent, or
 * from the data folder.
 */
function service(): { baseUrl: string; token: string } {
  const folder = process.env.DATA_DIR || './data'
  const read = (name: string) => {
    const file = join(folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  }
  const baseUrl = adminListener() || process.env.BASE_URL || read('address')
  const token = process.env.ADMIN_TOKEN?.trim() || read('admin-token')
  if (!baseUrl || !token) {
    throw new Failed(
      `error: set BASE_URL and ADMIN_TOKEN, or DATA_DIR to the service's data folder (not found in ${folder})`,
    )
  }
  if (!TOKEN_TEXT.test(token)) throw new Failed(`error: ADMIN_TOKEN: ${TOKEN_RULE}`)
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new Failed('error: BASE_URL: must be an address, such as http://localhost:3000')
  }
  return { baseUrl: new URL(baseUrl).href.replace(/\/$/, ''), token }
}

/** Where the admin API is when it has a listener of its own, as the service's environment says. */
function adminListener(): string | undefined {
  const { ADMIN_PORT, ADMIN_HOST } = process.env
  return ADMIN_PORT ? localAddress(ADMIN_HOST || 'localhost', ADMIN_PORT) : undefined
}

/** An error response of the admin API, as its code and message. */
export function failure(response: unknown): Failed {
  const { code, message } =
    (response as { error?: { code?: string; message?: string } }).error ?? {}
  return new Failed(`${code ?? 'error'}: ${message ?? 'the service rejected the request'}`)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failed('error: what responds there is not this service: see BASE_URL')
  }
}
