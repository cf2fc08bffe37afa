import type { FastifyRequest } from 'fastify'
import { type IdempotentRequest, idempotencyKey } from '../../core/idempotency.ts'
import { sha256 } from '../../lib/signature.ts'
import { bodyOf } from '../input.ts'

/** What is stored in an hour for a client that nobody knows: some 50 of the largest batches. */
const ANONYMOUS_KIB = 16 * 1_024

/** Who may repeat what: a key is its caller's own, so no response with prices reaches anyone else by it. */
export function idempotencyOf(
  request: FastifyRequest,
  client: string,
  isAnonymous = false,
): IdempotentRequest | null {
  if (request.method !== 'POST') return null
  const header = request.headers['idempotency-key']
  const key = idempotencyKey(typeof header === 'string' ? header : undefined)
  if (key === null) return null
  const path = request.raw.url?.split('?')[0] ?? ''
  const subject = `public:${client}`
  return {
    subject,
    method: request.method,
    path,
    key,
    fingerprint: sha256(bodyOf(request)),
    ...(isAnonymous && { storedKib: ANONYMOUS_KIB }),
  }
}
