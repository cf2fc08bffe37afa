import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { ApiError } from '../../core/errors.ts'
import { loadCredentials } from '../../domain/partners/credential.ts'
import {
  type LoggedRequest,
  withoutSecrets,
  writeRequests,
} from '../../domain/request-log/request-log.ts'
import { MINUTE, SECOND } from '../../lib/clock.ts'
import { storable } from '../../lib/storable.ts'
import { WrongSignature } from './authenticate.ts'
import { explainSignature } from './explain-signature.ts'

const FLUSH_MS = SECOND
/** What one flush writes at most; more than that in a second is left out, and the log says so. */
const MAX_WAITING = 2_000
/** Of one key id in a minute: requests beyond its limit, or that anybody may have sent. */
const REJECTED_PER_MINUTE = 60
const MAX_TARGET = 2_000
const MAX_MESSAGE = 500
/** Longer bodies are not kept in memory until the signature is explained. */
const MAX_EXPLAINED_BODY = 64 * 1024
const KEY_ID = /^pk_(?:sandbox|live)_[0-9a-f]{24}$/

interface Noted {
  request: LoggedRequest
  wrong: WrongSignature | null
}

export interface RequestLog {
  /** Takes a request down, once it has its response. */
  note(request: FastifyRequest, reply: FastifyReply): void
  stop(): Promise<void>
}

/**
 * Notes every request to the partner API for the request log. No request waits for it: what is noted is
 * written once a second, and a killed process forgets that second.
 */
export function createRequestLog(app: AppContext): RequestLog {
  const { db, clock, log, secrets } = app
  let waiting: Noted[] = []
  let leftOut = 0
  let writing = Promise.resolve()
  const rejected = new Map<string, number>()
  let windowEndsAt = 0

  /** What neither a right signature nor the rate limit keeps from filling the log. */
  function isUnbounded(request: FastifyRequest, error: ApiError | null): boolean {
    return request.partner === null || error?.code === 'rate_limited'
  }

  function hasRoom(keyId: string): boolean {
    const now = clock.now().getTime()
    if (now >= windowEndsAt) {
      rejected.clear()
      windowEndsAt = now + MINUTE
    }
    const count = (rejected.get(keyId) ?? 0) + 1
    rejected.set(keyId, count)
    return count <= REJECTED_PER_MINUTE
  }

  function noted(
    request: FastifyRequest,
    reply: FastifyReply,
    keyId: string,
    error: ApiError | null,
  ): Noted {
    const wrong = error instanceof WrongSignature ? error : null
    return {
      request: {
        id: request.id,
        key_id: keyId,
        method: request.method,
        route: request.routeOptions.url?.replace(/:(\w+)/g, '{$1}') ?? null,
        target: (request.raw.url ?? '').slice(0, MAX_TARGET),
        status: reply.statusCode,
        code: error?.code ?? null,
        // It may name a field as it was sent.
        message: error ? storable(error.message.slice(0, MAX_MESSAGE)) : null,
        authenticated: request.partner !== null,
        canonical_string: null,
        likely_cause: null,
        address: request.ip,
        duration_ms: reply.elapsedTime,
        at: clock.now(),
      },
      wrong: wrong && wrong.signed.body.length <= MAX_EXPLAINED_BODY ? wrong : null,
    }
  }

  async function flush(): Promise<void> {
    if (leftOut > 0) log.warn({ left_out: leftOut }, 'request log: more than it takes in a second')
    leftOut = 0
    if (waiting.length === 0) return
    const noted = waiting
    waiting = []
    await explain(noted.filter(({ wrong }) => wrong !== null))
    await writeRequests(
      db,
      noted.map(({ request }) => ({ ...request, target: withoutSecrets(request.target) })),
    )
  }

  /** Here and not on the way, where it would tell by its time which key ids there are. */
  async function explain(noted: Noted[]): Promise<void> {
    if (noted.length === 0) return
    const credentials = await loadCredentials(
      db,
      secrets,
      noted.map(({ request }) => request.key_id),
    )
    for (const [index, { request, wrong }] of noted.entries()) {
      const credential = credentials[index]
      if (!credential || !wrong) continue
      const { keyId, secrets: known } = credential
      const said = explainSignature(keyId, known[0]?.secret ?? '', wrong.signed, wrong.signature)
      request.canonical_string = withoutSecrets(said.canonical_string)
      request.likely_cause = said.likely_cause
    }
  }

  function flushSafely(): void {
    writing = writing.then(flush).catch((error: unknown) => {
      log.warn({ err: error }, 'request log: not written')
    })
  }

  const timer = setInterval(flushSafely, FLUSH_MS)
  return {
    note(request, reply) {
      const keyId = request.partner?.keyId ?? request.headers['x-service-key-id']
      if (typeof keyId !== 'string' || !KEY_ID.test(keyId)) return
      const { apiError: error } = request
      if (isUnbounded(request, error) && !hasRoom(keyId)) return
      if (waiting.length >= MAX_WAITING) leftOut += 1
      else waiting.push(noted(request, reply, keyId, error))
    },
    async stop() {
      clearInterval(timer)
      flushSafely()
      await writing
    },
  }
}
