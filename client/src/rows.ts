import { ApiError, ConnectionError, TimeoutError } from './errors.ts'
import { errorOf, readJson } from './response.ts'
import type { Output } from './types.ts'

type Whole = Output<'search_domain'>
type SearchResult = Whole['results'][number]

/** The results of a search: as they come, or of a whole answer, which a repeat of a request may get. */
export async function readRows(
  response: Response,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<SearchResult> | SearchResult[]> {
  const type = response.headers.get('content-type') ?? ''
  if (/^application\/x-ndjson\b/i.test(type)) {
    return response.body ? rowsOf(response.body, signal) : []
  }
  if (/^application\/json\b/i.test(type)) {
    const whole = await readJson<Partial<Whole> | null>(response)
    if (Array.isArray(whole?.results)) return whole.results
  }
  if (!response.bodyUsed) await response.body?.cancel()
  throw errorOf(response)
}

async function* rowsOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SearchResult> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read().catch((cause) => brokenOff(cause, signal))
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
      // The last line may lack its newline.
      rest = done ? '' : (lines.pop() ?? '')
      for (const line of lines) if (line.trim() !== '') yield rowOf(line)
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function brokenOff(cause: unknown, signal: AbortSignal | undefined): never {
  if (signal?.aborted) throw signal.reason
  if ((cause as Error).name === 'TimeoutError') {
    throw new TimeoutError('The response timed out before its last row.', { cause })
  }
  throw new ConnectionError('The rows broke off.', { cause })
}

function rowOf(line: string): SearchResult {
  const { kind, error, ...row } = objectOf(line)
  if (kind !== 'error') return row as SearchResult
  // The status had gone out when it went wrong.
  const { code = 'unknown', message = 'The rows ended.', request_id, details } = error ?? {}
  throw new ApiError({
    status: 200,
    code,
    message,
    requestId: request_id ?? null,
    details,
    retryAfter: null,
  })
}

interface Row {
  kind?: string
  error?: { code?: string; message?: string; request_id?: string; details?: unknown }
}

function objectOf(line: string): Row {
  let cause: unknown
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    cause = error
  }
  throw new ConnectionError('A row is no JSON: the rows broke off, or were changed on their way.', {
    cause,
  })
}
