import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PartnerCaller } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { type IdempotentRequest, idempotencyKey } from '../../core/idempotency.ts'
import type { PartnerOperation } from '../../core/operation.ts'
import type { Credential } from '../../domain/partners/credential.ts'
import { isAmong } from '../../lib/addresses.ts'
import { sha256 } from '../../lib/signature.ts'
import { bodyOf, readInput, rejectUnreadable } from '../input.ts'
import type { Web } from '../web.ts'
import { createAdmission } from './admission.ts'
import { type Authenticated, createAuthenticator } from './authenticate.ts'
import { FAULT_HEADER, planFault, playFault } from './fault.ts'
import { createRequestLog } from './log-requests.ts'
import { PARTNER_OPERATIONS } from './operations.ts'

export const PARTNER_BASE = '/api/partner/v1'
const UNVERSIONED_BASE = '/api/partner'

export function baseOf({ unversioned }: PartnerOperation): string {
  return unversioned ? UNVERSIONED_BASE : PARTNER_BASE
}

/**
 * The partner API, with what only its requests meet: the signature (contract, section 3), the log that partners
 * read, and the faults of the sandbox. The checks that follow a right signature are the executor's.
 */
export function servePartnerApi(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
): { stop(): Promise<void> } {
  const { authenticate, refresh } = createAuthenticator(app)
  const admit = createAdmission(app.db)
  const limit = app.settings.rateLimits.partnerPerMinute
  const requestLog = createRequestLog(app)

  fastify.register(
    async (scope) => {
      scope.addHook('onResponse', async (request, reply) => requestLog.note(request, reply))
      // The framework would reject a malformed one before the signature is looked at; `rejectUnreadable` reads the raw header.
      scope.addHook('onRequest', async ({ headers }) => void delete headers['content-type'])
      // What is not found here is logged too.
      scope.setNotFoundHandler(() => {})
      const stopping = new AbortController()
      scope.addHook('preClose', async () => stopping.abort())
      scope.decorateRequest('fault', null)
      scope.addHook('onSend', async ({ fault }, reply) => {
        if (fault) await playFault(fault, reply, stopping.signal)
      })
      for (const operation of PARTNER_OPERATIONS) {
        const path = baseOf(operation).slice(UNVERSIONED_BASE.length) + operation.path
        web.route(scope, operation, path, (request, reply) => serve(operation, request, reply))
      }
    },
    { prefix: UNVERSIONED_BASE },
  )
  return { stop: () => requestLog.stop() }

  async function serve(operation: PartnerOperation, request: FastifyRequest, reply: FastifyReply) {
    const now = app.clock.now()
    reply.header('cache-control', 'no-store')
    const authenticated = await verify(request, now)
    const { query, path } = authenticated
    const executed = await web.execute(operation, {
      caller: callerOf(authenticated.credential, request.ip, now),
      now,
      requestId: request.id,
      idempotency: () => idempotencyOf(operation, request, authenticated.credential, path),
      input() {
        rejectUnreadable(request.raw)
        const pathParameters = request.params as Record<string, string>
        return readInput(operation, { pathParameters, query, body: bodyOf(request) })
      },
      admit: () => spend(request, authenticated, now),
      async fault() {
        const header = request.headers[FAULT_HEADER.toLowerCase()]
        if (header === undefined) return
        request.fault = await planFault(request, String(header), web, now)
      },
    })
    return web.send(operation, request, reply, executed)
  }

  async function verify(request: FastifyRequest, now: Date): Promise<Authenticated> {
    try {
      return await authenticate(request.raw, bodyOf(request), now)
    } catch (error) {
      if (error instanceof ApiError) await web.countUnauthenticated(request, now)
      throw error
    }
  }

  /** Spends the nonce, and reads a credential again that has changed since it was last read. */
  async function spend(request: FastifyRequest, authenticated: Authenticated, now: Date) {
    const admission = await admit({ authenticated, now })
    if (!admission.isNew) {
      await web.countUnauthenticated(request, now)
      throw new ApiError(
        'replay_detected',
        'This nonce was used before. Send a new one with every request.',
      )
    }
    let { credential } = authenticated
    if (admission.revision !== credential.revision) {
      await refresh(credential.keyId)
      credential = (await verify(request, now)).credential
    }
    const rate = { limit, ...admission }
    request.rate = rate
    request.partner = credential
    web.recordUse(credential.keyId, now)
    return { caller: callerOf(credential, request.ip, now), rate }
  }
}

/** A stolen secret is of no use elsewhere, or later. */
function problemOf(
  { expiresAt, allowedAddresses }: Credential,
  address: string,
  now: Date,
): ApiError | null {
  if (expiresAt !== null && expiresAt <= now) {
    return new ApiError('credential_not_active', 'This credential has expired. Create another.')
  }
  if (allowedAddresses === null || isAmong(address, allowedAddresses)) return null
  return new ApiError('forbidden', `This credential cannot be used from ${address}.`)
}

function callerOf(credential: Credential, address: string, now: Date): PartnerCaller {
  const { partnerId, environment, scopes, status, partnerStatus } = credential
  const problem = problemOf(credential, address, now)
  return {
    kind: 'partner',
    partner: { partnerId, environment },
    credential: { scopes, status, partnerStatus, problem },
  }
}

/** Who may repeat what: contract, section 5. */
function idempotencyOf(
  operation: PartnerOperation,
  request: FastifyRequest,
  { partnerId, environment }: Credential,
  path: string,
): IdempotentRequest | null {
  const { method } = request
  const header = request.headers['idempotency-key']
  // An empty header is a missing one where the key is required.
  const isMissing = header === '' && operation.kind === 'partner_write' && operation.idempotency
  if (method !== 'POST' || isMissing) return null
  const key = idempotencyKey(typeof header === 'string' ? header : undefined)
  if (key === null) return null
  const subject = `${partnerId}:${environment}`
  return { subject, method, path, key, fingerprint: sha256(bodyOf(request)) }
}
