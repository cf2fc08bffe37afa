import { flawOf } from './address.ts'
import { ApiError, ConnectionError, MarketplaceError, TimeoutError } from './errors.ts'
import { errorOf } from './response.ts'
import { encode } from './signing.ts'

/** Statuses that a later attempt may do better than. */
const TRANSIENT = new Set([429, 500, 502, 503, 504])
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000
/** Timers of more go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** One attempt, for logs and metrics. */
export interface Attempt {
  method: string
  path: string
  /** From 1. */
  attempt: number
  /** Null when no answer came. */
  status: number | null
  requestId: string | null
  durationMs: number
  /** In how many milliseconds the next attempt follows; null when this was the last. */
  retryInMs: number | null
}

export interface TransportOptions {
  /** The address of the service, such as `https://market.example`: no path, and no password. */
  baseUrl: string
  /** How long an attempt may take, its body included. Default: 30,000. */
  timeoutMs?: number
  /** How often a request is tried again. Default: 3. */
  maxRetries?: number
  /** A Retry-After that asks for more is given back as the error it came with. Default: 60,000. */
  maxRetryAfterMs?: number
  fetch?: typeof fetch
  /** Told of each attempt once; what it throws is passed over. */
  onAttempt?: (attempt: Attempt) => void
}

export interface CallOptions {
  /** Ends the request; its reason is thrown. */
  signal?: AbortSignal
  timeoutMs?: number
  maxRetries?: number
  /** What makes all attempts of a POST one. Default: a new one for each call that changes something. */
  idempotencyKey?: string
  /** Sent with every attempt, beside the fields that the client sends by itself, which it rejects here. */
  headers?: Record<string, string>
}

export interface Call extends CallOptions {
  method: string
  /** As in the OpenAPI document, with its parameters in braces. */
  path: string
  input: object
  accept: string
  /** The header fields of one attempt, made anew for each. */
  headersOf?(url: URL, body: string | undefined): Promise<Record<string, string>>
}

interface Target {
  url: URL
  body: string | undefined
}

/** Tells of what was not set, such as a variable of the environment, before anything is sent. */
export function refuseMissing<Options extends TransportOptions>(
  options: Options,
  names: (keyof Options & string)[],
): void {
  for (const name of names) {
    if (!options[name]) throw new MarketplaceError(`${name} must be given, and is not set.`)
  }
  const flaw = flawOf(options.baseUrl)
  if (flaw) throw new MarketplaceError(`baseUrl ${flaw}`)
}

/** Sends a call until it has an answer that no later attempt would better; answers a response that is ok. */
export async function send<T>(
  options: TransportOptions,
  call: Call,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const target = targetOf(options.baseUrl, call)
  const maxRetries = call.maxRetries ?? options.maxRetries ?? 3
  for (let attempt = 1; ; attempt++) {
    const startedAt = performance.now()
    let response: Response | undefined
    const outcome = await once(options, call, target, async (answer) => {
      response = answer
      if (!answer.ok) throw errorOf(answer, await answer.text())
      return await read(answer)
    }).then(
      (value) => ({ value }),
      (problem: unknown) => ({ problem }),
    )
    const pause =
      'problem' in outcome && attempt <= maxRetries
        ? pauseAfter(outcome.problem, attempt, options)
        : null
    tell(pause)
    if ('value' in outcome) return outcome.value
    if (pause === null) throw outcome.problem
    await sleep(pause, call.signal)

    function tell(retryInMs: number | null): void {
      const told: Attempt = {
        method: call.method,
        path: target.url.pathname,
        attempt,
        status: response?.status ?? null,
        requestId: response?.headers.get('x-request-id') ?? null,
        durationMs: Math.round(performance.now() - startedAt),
        retryInMs,
      }
      // Whoever watches a call does not change how it ends, by what it throws or by a promise that fails.
      new Promise<void>((resolve) => resolve(options.onAttempt?.(told))).catch(() => {})
    }
  }
}

async function once<T>(
  options: TransportOptions,
  call: Call,
  { url, body }: Target,
  take: (response: Response) => Promise<T>,
): Promise<T> {
  call.signal?.throwIfAborted()
  const timeoutMs = timerMs(call.timeoutMs ?? options.timeoutMs ?? 30_000)
  const timer = AbortSignal.timeout(timeoutMs)
  const signal = call.signal ? AbortSignal.any([call.signal, timer]) : timer
  // Before the network: what goes wrong here would go wrong again.
  const headers = headersFor(call, body, await call.headersOf?.(url, body))
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method: call.method,
      headers,
      ...(body !== undefined && { body }),
      // A redirect would be signed for another path, and no endpoint of the service sends one.
      redirect: 'manual',
      signal,
    })
    return await take(response)
  } catch (error) {
    if (error instanceof MarketplaceError) throw error
    if (call.signal?.aborted) throw call.signal.reason
    if (timer.aborted)
      throw new TimeoutError(`No response within ${timeoutMs} ms.`, { cause: error })
    throw new ConnectionError(`${call.method} ${url.pathname} got no response: ${causeOf(error)}`, {
      cause: error,
    })
  }
}

/** Rejects a field of the caller's that we send, too: two values would go out as one, which is neither. */
function headersFor(call: Call, body: string | undefined, ofAttempt = {}): Headers {
  const headers = new Headers({ accept: call.accept })
  if (body !== undefined) put(headers, 'content-type', 'application/json')
  for (const [name, value] of Object.entries<string>(ofAttempt)) put(headers, name, value)
  const ours = new Set([...headers.keys(), 'idempotency-key'])
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    const field = name.toLowerCase()
    const what =
      field === 'idempotency-key' ? 'use the option idempotencyKey' : 'the client sends it'
    if (ours.has(field)) throw new MarketplaceError(`headers must not have ${name}: ${what}.`)
    put(headers, name, value)
  }
  return headers
}

/** The value may be secret: the error repeats none. */
function put(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new MarketplaceError(`The header field ${name} cannot be sent with the value given.`)
  }
}

function causeOf(error: unknown): string {
  const { cause, message } = error as {
    cause?: { code?: string; message?: string }
    message?: string
  }
  if (cause?.code === 'UND_ERR_SOCKET') return 'the connection was closed'
  return cause?.code ?? cause?.message ?? message ?? 'the connection failed'
}

/** Puts the input where it belongs: into the path, and what is left into the query or the body. */
function targetOf(baseUrl: string, { method, path, input }: Call): Target {
  const left = new Map(Object.entries(input ?? {}).filter(([, value]) => value !== undefined))
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = String(left.get(name) ?? '')
    left.delete(name)
    // A URL would swallow these, and the request would go to another path.
    if (value === '' || value === '.' || value === '..') {
      throw new MarketplaceError(`${name} must be given, and must not be . or ..`)
    }
    return encode(value)
  })
  const url = new URL(filled, baseUrl)
  if (method === 'POST' || method === 'PUT') {
    return { url, body: JSON.stringify(Object.fromEntries(left)) }
  }
  // A body can say null, which a query would send as a word.
  url.search = [...left]
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${encode(key)}=${encode(String(value))}`)
    .join('&')
  return { url, body: undefined }
}

/** Whole milliseconds, and no more than a timer holds. */
function timerMs(ms: number): number {
  return Math.min(Math.ceil(ms), LONGEST_TIMER_MS)
}

/** Milliseconds until the next attempt; null when there is to be none. */
function pauseAfter(problem: unknown, attempt: number, options: TransportOptions): number | null {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  const backoff = timerMs(longest * (0.5 + Math.random() / 2))
  if (problem instanceof ConnectionError) return backoff
  if (!(problem instanceof ApiError)) return null
  // 409 with Retry-After: the first request with this Idempotency-Key is still running.
  const isTransient =
    TRANSIENT.has(problem.status) || (problem.status === 409 && problem.retryAfter !== null)
  if (!isTransient) return null
  if (problem.retryAfter === null) return backoff
  const asked = problem.retryAfter * 1000
  return asked > (options.maxRetryAfterMs ?? 60_000) ? null : timerMs(Math.max(asked, backoff))
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
    function done(): void {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
  })
}
