import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { type Attempt, idempotencyKey, storedAnswer } from '../../kernel/idempotency.ts'
import {
  type Partner,
  type PartnerOperation,
  type PartnerRead,
  type PartnerWrite,
  scopesOf,
} from '../../kernel/operation.ts'
import { refuseOverLimit } from '../../kernel/rate-limits.ts'
import { sha256 } from '../../lib/signature.ts'
import type { Credential } from '../../modules/partners/credential.ts'
import { bodyOf, readInput, refuseUnreadable } from '../input.ts'
import { settle } from '../perform.ts'
import type { Web } from '../web.ts'
import { createAdmission } from './admission.ts'
import { type Authenticated, createAuthenticator } from './authenticate.ts'
import { createFaults } from './fault.ts'
import { PARTNER_OPERATIONS } from './operations.ts'

export const PARTNER_BASE = '/api/partner/v1'
const UNVERSIONED_BASE = '/api/partner'

export function baseOf({ unversioned }: PartnerOperation): string {
  return unversioned ? UNVERSIONED_BASE : PARTNER_BASE
}

/** Serves every partner operation: the order of checks of contract section 3 is this file, top down. */
export function servePartnerApi(app: FastifyInstance, house: House, web: Web): void {
  const { authenticate, refresh } = createAuthenticator(house)
  const admit = createAdmission(house.db)
  const meetFault = createFaults(app, web)

  for (const operation of PARTNER_OPERATIONS) {
    web.route(app, operation, baseOf(operation), (request, reply) =>
      serve(operation, request, reply),
    )
  }

  async function serve(operation: PartnerOperation, request: FastifyRequest, reply: FastifyReply) {
    const now = house.clock.now()
    reply.header('cache-control', 'no-store')
    let authenticated = await verify(request, now)

    // A read may start while its nonce is being spent: it tells nothing before it is admitted.
    const early =
      operation.kind === 'partner_read' && refusalOf(authenticated.credential, operation) === null
        ? settle(read(operation, request, authenticated, now))
        : null

    const admission = await admit({ authenticated, now })
    if (!admission.isNew) {
      await web.countUnauthenticated(request, now)
      throw new Refusal(
        'replay_detected',
        'This nonce was used before. Send a new one with every request.',
      )
    }
    if (admission.revision !== authenticated.credential.revision) {
      await refresh(authenticated.credential.keyId)
      authenticated = await verify(request, now)
    }
    const { credential } = authenticated
    const state = { limit: house.settings.rateLimits.partnerPerMinute, ...admission }
    request.rate = state
    request.partner = credential
    web.noteUse(credential.keyId, now)
    const refusal = refusalOf(credential, operation)
    if (refusal) throw refusal
    refuseOverLimit(state, now)
    await meetFault(request, credential, now)

    if (operation.kind === 'partner_write') {
      return write(operation, request, reply, authenticated, now)
    }
    // Whose it is and what it asks for stay the same, whatever has changed of the credential.
    const outcome = await (early ?? settle(read(operation, request, authenticated, now)))
    if ('error' in outcome) throw outcome.error
    return web.send(operation, request, reply, outcome.value)
  }

  async function verify(request: FastifyRequest, now: Date): Promise<Authenticated> {
    try {
      return await authenticate(request.raw, bodyOf(request), now)
    } catch (error) {
      if (error instanceof Refusal) await web.countUnauthenticated(request, now)
      throw error
    }
  }

  async function read(
    operation: PartnerRead,
    request: FastifyRequest,
    { credential, query }: Authenticated,
    now: Date,
  ): Promise<unknown> {
    refuseUnreadable(request.raw)
    const partner = partnerOf(credential)
    if (operation.refuseCaller) await operation.refuseCaller(house.db, partner)
    const input = readInput(operation, inputOf(request, query))
    return await operation.handler({ db: house.db, now, house, partner }, input)
  }

  async function write(
    operation: PartnerWrite,
    request: FastifyRequest,
    reply: FastifyReply,
    { credential, query, path }: Authenticated,
    now: Date,
  ) {
    const attempt = attemptOf(operation, request, credential, path)
    refuseUnreadable(request.raw)
    const partner = partnerOf(credential)
    await operation.refuseCaller?.(house.db, partner)
    let input: Record<string, unknown>
    try {
      input = readInput(operation, inputOf(request, query))
    } catch (error) {
      // A key that was used for another body comes before what is wrong with this one.
      if (attempt) await storedAnswer(house.db, attempt)
      throw error
    }
    const prepared = await operation.prepare?.({ db: house.db, now, house, partner }, input)
    return web.sendWrite(
      operation,
      reply,
      now,
      attempt,
      (context) => operation.handler({ ...context, partner, prepared }, input),
      // Links in it let whoever has them pay, or follow a case.
      { sealed: true, by: { partner, operation } },
    )
  }
}

/** Why the credential may not call the operation, its signature and nonce being right. */
function refusalOf(credential: Credential, operation: PartnerOperation): Refusal | null {
  if (credential.status !== 'active') {
    return new Refusal('credential_not_active', 'This credential is revoked.')
  }
  if (credential.partnerStatus !== 'active') {
    return new Refusal('partner_not_active', 'This partner account is suspended.')
  }
  if (operation.sandboxOnly && credential.environment !== 'sandbox') {
    return new Refusal('not_found', 'There is no such path for a live credential.')
  }
  const scopes = scopesOf(operation)
  if (!scopes.some((scope) => credential.scopes.includes(scope))) {
    const missing = scopes.join(' or ')
    return new Refusal('forbidden', `This credential lacks the scope ${missing}.`, {
      details: { missing_scope: scopes.length === 1 ? scopes[0] : scopes },
    })
  }
  return null
}

function partnerOf({ partnerId, environment }: Credential): Partner {
  return { partnerId, environment }
}

/** Who may repeat what: contract, section 5. */
function attemptOf(
  operation: PartnerWrite,
  request: FastifyRequest,
  credential: Credential,
  path: string,
): Attempt | null {
  if (operation.method !== 'POST') return null
  const header = request.headers['idempotency-key']
  const given = typeof header === 'string' ? header : undefined
  if (operation.idempotency === 'required' && (given === undefined || given === '')) {
    throw new Refusal(
      'missing_idempotency_key',
      'Send an Idempotency-Key, such as a UUID, and the same one when you repeat this request.',
    )
  }
  const key = idempotencyKey(given)
  if (key === null) return null
  const subject = `${credential.partnerId}:${credential.environment}`
  return { subject, method: request.method, path, key, fingerprint: sha256(bodyOf(request)) }
}

function inputOf(request: FastifyRequest, query: Authenticated['query']) {
  return {
    pathParameters: request.params as Record<string, string>,
    query,
    body: bodyOf(request),
  }
}
