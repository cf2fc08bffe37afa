import { ApiError } from './errors.ts'

/** What an answer holds, which must be an object in JSON. */
export async function readJson<T>(response: Response): Promise<T> {
  const value = valueOf(await response.text())
  if (typeof value !== 'object' || value === null) throw errorOf(response)
  return value as T
}

/** What an answer holds, which must be CSV. */
export async function readCsv(response: Response): Promise<string> {
  const type = response.headers.get('content-type') ?? ''
  if (/^text\/csv\b/i.test(type)) return await response.text()
  await response.body?.cancel()
  throw errorOf(response)
}

/** The error that an answer tells, or that it is not the service's. */
export function errorOf(response: Response, text = ''): ApiError {
  // If something between us and the service answered, the status has to do.
  const error = (valueOf(text) as Refusal | null)?.error ?? {}
  return new ApiError({
    status: response.status,
    code: error.code ?? 'unknown',
    message: error.message ?? strangerSaid(response),
    requestId: error.request_id ?? response.headers.get('x-request-id'),
    details: error.details,
    retryAfter: retryAfterOf(response),
  })
}

interface Refusal {
  error?: { code?: string; message?: string; request_id?: string; details?: unknown }
}

/** Null if it is no JSON. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function strangerSaid({ status, type, headers }: Response): string {
  // A browser does not show where it leads.
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  if (!isRedirect) return `The response was not the service's: it had status ${status}.`
  const target = headers.get('location') ?? 'another address'
  return `The response was a redirect to ${target}: baseUrl must be the address of the service itself.`
}

/** Seconds, or an HTTP date (RFC 9110, 10.2.3). */
function retryAfterOf(response: Response): number | null {
  const header = response.headers.get('retry-after')
  if (header === null) return null
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : Math.ceil((Date.parse(header) - Date.now()) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
