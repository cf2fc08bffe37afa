import type { PartnerClient } from './client.ts'
import { must } from './market.ts'
import type { TestService } from './service.ts'

let lastName = 0

/** A fresh name for sale at 100.00 with a floor of 80.00; `rest` is what follows in the CSV. */
export async function negotiable(
  service: TestService,
  {
    environment = 'sandbox',
    rest = '',
    tld = 'test',
  }: { environment?: 'sandbox' | 'live'; rest?: string; tld?: string } = {},
): Promise<string> {
  lastName += 1
  const name = `negotiable-${lastName}.${tld}`
  const report = await service.list(environment, `${name},10000,8000,USD${rest}`)
  if (report.imported !== 1) throw new Error(`not listed: ${JSON.stringify(report)}`)
  return name
}

export function offerBody(domain: string, amount_cents: number, more: object = {}) {
  return { domain, amount_cents, buyer: { email: 'buyer@example.com' }, ...more }
}

/** An offer of a partner, or a loud failure. */
export async function makeOffer(
  client: PartnerClient,
  domain: string,
  amountCents = 5_000,
  more: object = {},
) {
  return must(await client.post('/offers', offerBody(domain, amountCents, more)), 201).body
}
