import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import type { Settings } from '../../core/settings.ts'
import { SECOND } from '../../lib/clock.ts'
import { forSaleName, parseForSale } from '../../lib/for-sale.ts'

/** A registration is shown no later for what its owner may have published beside it. */
const WAIT_MS = 2 * SECOND

export const forSaleView = z
  .object({
    url: z
      .string()
      .nullable()
      .describe(
        'Where the owner can be asked: an http, https, mailto or tel address as they wrote it, or null. It has not been ' +
          'visited: show it as text.',
      ),
    price: z
      .string()
      .nullable()
      .describe(
        'What the owner asks, as they wrote it, such as `USD750`, or null. It binds nobody.',
      ),
    source: z.literal('dns').describe('Always `dns`: nobody has checked it.'),
  })
  .nullable()
  .optional()
  .describe(
    'What the owner of a registered name says in DNS, at `_for-sale` below it (RFC 10023), if it is for sale; ' +
      'otherwise null. Absent where the service asks no DNS.',
  )

export type ForSaleOffer = NonNullable<z.output<typeof forSaleView>>

/** Whether real DNS is asked at all: a simulated market says nothing of real domains. */
function asksDns({ dnsServers, registry }: Pick<Settings, 'dnsServers' | 'registry'>): boolean {
  return dnsServers.length > 0 || registry === 'live'
}

/** The field of a response: absent where nobody asks. */
export function forSaleField(
  { settings }: Pick<AppContext, 'settings'>,
  for_sale: ForSaleOffer | null,
): { for_sale?: ForSaleOffer | null } {
  return asksDns(settings) ? { for_sale } : {}
}

/**
 * The owner's own offer in DNS, where real DNS is asked at all; null also when nothing came in time. Never rejects. Not
 * in a transaction.
 */
export async function readForSale(
  { dns, settings }: Pick<AppContext, 'dns' | 'settings'>,
  domain: string,
): Promise<ForSaleOffer | null> {
  if (!asksDns(settings)) return null
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, null)
  })
  try {
    const records = await Promise.race([dns.txt(forSaleName(domain)), tooLate])
    const found = records && parseForSale(records)
    return found && { url: found.url, price: found.price, source: 'dns' }
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
