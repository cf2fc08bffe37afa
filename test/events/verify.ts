import { createHmac } from 'node:crypto'

/** The service's own signature, as the specification has it. */
export function hmac(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}
