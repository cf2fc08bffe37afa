import { createHmac } from 'node:crypto'
import { hmacHex } from '../../lib/signature.ts'

const PREFIX = 'whsec_'

/**
 * The headers that let a receiver check a delivery: the service's own (hex HMAC-SHA256 of the raw
 * body) and those of Standard Webhooks 1.0.
 *
 * @param timestamp Unix seconds of this attempt
 */
export function signatureHeaders(
  secret: string,
  eventId: string,
  timestamp: number,
  body: string,
): Record<string, string> {
  const signed = createHmac('sha256', standardKey(secret)).update(`${eventId}.${timestamp}.${body}`)
  return {
    'x-service-signature': hmacHex(secret, body),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signed.digest('base64')}`,
  }
}

/** Standard Webhooks keys are base64 behind `whsec_`; any other secret is its own UTF-8 bytes. */
function standardKey(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret)
}

/** Whether a secret that claims to be base64 is, as every decoder reads it: padded, of the first alphabet. */
export function isUsableSecret(secret: string): boolean {
  if (!secret.startsWith(PREFIX)) return true
  const given = secret.slice(PREFIX.length)
  return Buffer.from(given, 'base64').toString('base64') === given
}
