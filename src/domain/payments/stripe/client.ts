import { Stripe } from 'stripe'
import type { Settings } from '../../../core/settings.ts'

const TIMEOUT_MS = 15_000
const RETRIES = 2

/** Stripe's own client, at the API that the settings name. */
export function stripeClient({
  apiBase,
  secretKey,
}: Pick<NonNullable<Settings['stripe']>, 'apiBase' | 'secretKey'>): Stripe {
  const api = new URL(apiBase)
  return new Stripe(secretKey, {
    host: api.hostname,
    protocol: api.protocol === 'http:' ? 'http' : 'https',
    ...(api.port !== '' && { port: api.port }),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  })
}
