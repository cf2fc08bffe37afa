import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { MINUTE, SECOND } from '../../lib/clock.ts'
import { storable } from '../../lib/storable.ts'
import { loadCredentials } from '../../modules/partners/credential.ts'
import {
  type LoggedRequest,
  withoutSecrets,
  writeRequests,
} from '../../modules/request-log/request-log.ts'
import { WrongSignature } from './authenticate.ts'
import { explainSignature } from './explain-signature.ts'

const FLUSH_MS = SECOND
/** What one flush writes at most; more than that in a second is left out, and the log says so. */
const MAX_WAITING = 2_000
/** Of one key id in a minute: requests beyond its limit, or that anybody may have sent. */
const REFUSED_PER_MINUTE = 60
const MAX_TARGET = 2_000
const MAX_MESSAGE = 500
/** Longer bodies are not kept in memory until the signature is explained. */
const MAX_EXPLAINED_BODY = 64 * 1024
const KEY_ID = /^pk_(?:sandbox|live)_[0-9a-f]{24}$/

interface Noted {
  request: LoggedRequest
  wrong: WrongSignature | null
}

/**
 * Notes every request to the partner API for the request log. No request waits for it: what is noted is
 * written once a second, and a killed process forgets that second.
 */
export function noteRequests(app: FastifyInstance, house: House): { stop(): Promise<void> } {
  const { db, clock, log, secrets } = house
  let waiting: Noted[] = []
  let leftOut = 0
  let writing = Promise.resolve()
  const refused = new Map<string, number>()
  let windowEndsAt = 0

  app.addHook('onResponse', async (request, reply) => {
    if (!request.raw.url?.startsWith('/api/partner')) return
    const keyId = request.partner?.keyId ?? request.headers['x-service-key-id']
    if (typeof keyId !== 'string' || !KEY_ID.test(keyId)) return
    const { refusal } = request
    if (isUnbounded(request, refusal) && !hasRoom(keyId)) return
    if (waiting.length >= MAX_WAITING) leftOut += 1
    else waiting.push(note(request, reply, keyId, refusal))
  })

  /** What neither a right signature nor the rate limit keeps from filling the log. */
  function isUnbounded(request: FastifyRequest, refusal: Refusal | null): boolean {
    return request.partner === null || refusal?.code === 'rate_limited'
  }

  function hasRoom(keyId: string): boolean {
    const now = clock.now().getTime()
    if (now >= windowEndsAt) {
      refused.clear()
      windowEndsAt = now + MINUTE
    }
    const count = (refused.get(keyId) ?? 0) + 1
    refused.set(keyId, count)
    return count <= REFUSED_PER_MINUTE
  }

  function note(
    request: FastifyRequest,
    reply: FastifyReply,
    keyId: string,
    refusal: Refusal | null,
  ): Noted {
    const wrong = refusal instanceof WrongSignature ? refusal : null
    return {
      request: {
        id: request.id,
        key_id: keyId,
        method: request.method,
        route: request.routeOptions.url?.replace(/:(\w+)/g, '{$1}') ?? null,
        target: withoutSecrets((request.raw.url ?? '').slice(0, MAX_TARGET)),
        status: reply.statusCode,
        code: refusal?.code ?? null,
        // It may name a field as it was sent.
        message: refusal ? storable(refusal.message.slice(0, MAX_MESSAGE)) : null,
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
      noted.map(({ request }) => request),
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
    async stop() {
      clearInterval(timer)
      flushSafely()
      await writing
    },
  }
}
