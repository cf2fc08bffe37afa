import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import type { AppContext } from '../../core/context.ts'
import { HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { OAuthError } from './oauth-error.ts'

const TIMEOUT_MS = 5 * SECOND
const MAX_BYTES = 16 * 1024
const LEAST_FRESH_MS = 5 * MINUTE
const MOST_FRESH_MS = 24 * HOUR

/** Whether a client id is the address of a document (draft-ietf-oauth-client-id-metadata-document). */
export function isDocumentId(clientId: string): boolean {
  if (!/^https?:\/\//.test(clientId) || clientId.length > 1_000 || !URL.canParse(clientId)) {
    return false
  }
  const { pathname, hash, username, password, href } = new URL(clientId)
  return pathname !== '/' && hash === '' && username === '' && password === '' && href === clientId
}

/** Fetches a client's own description of itself, from the address that is its id. */
export async function fetchClientDocument(
  { http, settings, log }: Pick<AppContext, 'http' | 'settings' | 'log'>,
  clientId: string,
): Promise<{ document: unknown; freshMs: number }> {
  const isLocal = isLoopbackUrl(settings.baseUrl)
  try {
    const { status, headers, body } = await http.request(
      clientId,
      { allowLoopback: isLocal, allowHttp: isLocal },
      {
        method: 'GET',
        headers: { accept: 'application/json' },
        timeoutMs: TIMEOUT_MS,
        maxBodyBytes: MAX_BYTES,
      },
    )
    if (status !== 200) throw new Error(`it responded with ${status}`)
    const document: unknown = JSON.parse(body.toString())
    if (typeof document !== 'object' || document === null) throw new Error('it is no object')
    const { client_id, token_endpoint_auth_method = 'none' } = document as Record<string, unknown>
    if (client_id !== clientId) throw new Error('its client_id is another address')
    if (token_endpoint_auth_method !== 'none') throw new Error('it is not of a public client')
    return { document, freshMs: freshness(String(headers['cache-control'] ?? '')) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read'
    log.info({ client_id: clientId, reason }, 'oauth: a client document was rejected')
    throw new OAuthError(
      'invalid_client',
      'client_id is an address at which there is no usable client metadata document.',
    )
  }
}

function freshness(cacheControl: string): number {
  const seconds = Number(/\bmax-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? HOUR / SECOND)
  return Math.min(MOST_FRESH_MS, Math.max(LEAST_FRESH_MS, seconds * SECOND))
}
