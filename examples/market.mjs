// Sets up the client once: import { market } from './market.mjs'.
// Set SERVICE_KEY_ID and SERVICE_SECRET, and SERVICE_URL unless it is http://localhost:3000.
import { PartnerClient } from 'domain-marketplace-client'

export const market = new PartnerClient({
  baseUrl: process.env.SERVICE_URL ?? 'http://localhost:3000',
  keyId: process.env.SERVICE_KEY_ID ?? '',
  secret: process.env.SERVICE_SECRET ?? '',
})
