import { MarketplaceError, WebhookVerificationError } from './errors.ts'
import type { webhooks } from './generated/partner.ts'
import { hex, hmac, hmacKey } from './hmac.ts'

const encoder = new TextEncoder()
const PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300
const NO_SECRET = 'secret must be given: the one that you registered.'

/**
 * An event as it is delivered: its `type` says what its `data` holds, and more types may be added. Events may
 * come more than once: keep the ids that you have seen.
 */
export type WebhookEvent = webhooks['event']['post']['requestBody']['content']['application/json']

export interface Delivery {
  /** The raw body as it came: parse nothing before it is verified. */
  body: string | Uint8Array | ArrayBuffer
  headers: Headers | Record<string, string | string[] | undefined>
  /** The secret that you registered; several while you change it. */
  secret: string | readonly string[]
  /** How far the delivery's time may be from ours, in seconds, 0 or more. Default: 300. */
  toleranceSeconds?: number
  /** For tests. */
  now?: Date
}

/**
 * Checks that a delivery is ours and is new, by the Standard Webhooks header fields, and answers its event.
 *
 * @throws WebhookVerificationError when it is not; another MarketplaceError when what you gave cannot tell
 */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookEvent> {
  const tolerance = delivery.toleranceSeconds ?? TOLERANCE_SECONDS
  if (!(tolerance >= 0)) {
    throw new MarketplaceError('toleranceSeconds must be a number of seconds, 0 or more.')
  }
  if (!delivery.headers) throw new MarketplaceError('headers must be given: those of the request.')
  const body = bytesOf(delivery.body)
  const read = reader(delivery.headers)
  const [id, timestamp, signatures] = [
    read('webhook-id'),
    read('webhook-timestamp'),
    read('webhook-signature'),
  ]
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationError(
      'The headers webhook-id, webhook-timestamp and webhook-signature are needed.',
    )
  }
  const now = (delivery.now ?? new Date()).getTime() / 1000
  // Asked this way round, a clock that is no number is rejected.
  const isNew = /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp)) <= tolerance
  if (!isNew) {
    throw new WebhookVerificationError(
      `webhook-timestamp is not within ${tolerance} s of our clock: an old delivery, or a wrong clock.`,
    )
  }
  const start = encoder.encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  const given = signatures.split(' ').filter((part) => part.startsWith('v1,'))
  const secrets = [delivery.secret].flat()
  if (secrets.length === 0) throw new MarketplaceError(NO_SECRET)
  for (const secret of secrets) {
    const key = await hmacKey(keyOf(secret), 'verify')
    for (const signature of given) {
      const bytes = fromBase64(signature.slice(3))
      // WebCrypto compares in constant time.
      if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) {
        return eventOf(body)
      }
    }
  }
  throw new WebhookVerificationError(
    'No signature fits: another secret, or a body that was changed on its way.',
  )
}

/** The header fields that a delivery comes with, for tests of your own receiver. */
export async function signWebhook(
  secret: string,
  event: { id: string },
  body: string,
  now: Date = new Date(),
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const standard = await hmac(keyOf(secret), `${event.id}.${timestamp}.${body}`)
  return {
    'content-type': 'application/json',
    'x-service-signature': hex(await hmac(encoder.encode(secret), body)),
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(standard)))}`,
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  throw new MarketplaceError(
    'body must be the raw body as it came, a string or bytes: one that was parsed proves nothing.',
  )
}

/** Read from the bytes that were signed: decoding must not make others of them. */
function eventOf(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch (cause) {
    throw new WebhookVerificationError('The signature is right, but the body is not JSON.', {
      cause,
    })
  }
}

function reader(headers: Delivery['headers']): (name: string) => string | undefined {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined
  const lower = new Map(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]))
  return (name) => {
    const found = lower.get(name)
    const value = Array.isArray(found) && found.length === 1 ? found[0] : found
    return typeof value === 'string' ? value : undefined
  }
}

/** Behind `whsec_` the key is base64; any other secret is its own UTF-8 bytes. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret) throw new MarketplaceError(NO_SECRET)
  if (!secret.startsWith(PREFIX)) return encoder.encode(secret)
  const key = fromBase64(secret.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'))
  if (!key) throw new MarketplaceError('What follows whsec_ in the secret must be base64.')
  return key
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
  } catch {
    return undefined
  }
}
