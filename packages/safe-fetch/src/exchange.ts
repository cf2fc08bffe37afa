import type { Dispatcher } from 'undici'
import { DeadlinePassed } from './deadline.ts'

export interface ExchangeRequest {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array
  /** One deadline for the whole: name resolution, connection, TLS, headers and body. */
  timeoutMs: number
  maxBodyBytes: number
  /**
   * Respond with the headers and at most `maxBodyBytes` of the body, however the rest ends: the deadline
   * is for the headers, and what has not come within `PEEK_MS` of them is discarded.
   */
  peek?: boolean
  /** Ends the request before its deadline. */
  signal?: AbortSignal
}

export interface ExchangeResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

export class ResponseTooLarge extends Error {}

/** How long after the headers a body may still arrive, where only its beginning is wanted. */
const PEEK_MS = 200

/**
 * One request and its response, bounded in time and size, for servers that others chose. It takes undici's
 * events itself: a stream and an abort signal for each would cost a delivery a third more.
 */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: ExchangeRequest,
): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const { method, headers, body = null, signal } = request
    if (signal?.aborted) return reject(signal.reason)
    const handler = new Handler(request, resolve, reject)
    const { origin, pathname, search } = url
    dispatcher.dispatch({ origin, path: `${pathname}${search}`, method, headers, body }, handler)
  })
}

class Handler implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest
  readonly #resolve: (response: ExchangeResponse) => void
  readonly #reject: (error: unknown) => void
  readonly #leave = () => this.#fail(this.#request.signal?.reason)
  readonly #chunks: Buffer[] = []
  #received = 0
  #head: Omit<ExchangeResponse, 'body'> | undefined
  #timer: NodeJS.Timeout
  /** Not there before the connection is: until then nothing can be aborted. */
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false

  constructor(
    request: ExchangeRequest,
    resolve: (response: ExchangeResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    const { timeoutMs, signal } = request
    this.#timer = setTimeout(() => this.#fail(new DeadlinePassed(timeoutMs)), timeoutMs)
    signal?.addEventListener('abort', this.#leave, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) this.#abort()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ExchangeResponse['headers'],
  ): void {
    const isInterim = status < 200
    if (isInterim || this.#isOver) return
    this.#head = { status, headers }
    if (!this.#request.peek) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#cut(), PEEK_MS)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    this.#chunks.push(chunk)
    this.#received += chunk.length
    const { maxBodyBytes } = this.#request
    if (this.#received > maxBodyBytes) {
      this.#fail(new ResponseTooLarge(`More than ${maxBodyBytes} bytes.`))
    }
  }

  onResponseEnd(): void {
    this.#succeed()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#fail(error)
  }

  /** A peek that has its headers has succeeded: whatever ends it, its response is what came until then. */
  #fail(error: unknown): void {
    if (this.#request.peek && this.#head !== undefined) return this.#cut()
    if (this.#isOver) return
    this.#end()
    this.#reject(error)
    this.#abort()
  }

  #cut(): void {
    this.#succeed()
    this.#abort()
  }

  #succeed(): void {
    if (this.#isOver || this.#head === undefined) return
    this.#end()
    // A copy, so that nobody who keeps it keeps a whole chunk.
    const bytes = Math.min(this.#received, this.#request.maxBodyBytes)
    this.#resolve({ ...this.#head, body: Buffer.concat(this.#chunks, bytes) })
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#leave)
  }

  #abort(): void {
    this.#controller?.abort(new Error('The exchange is over.'))
  }
}
