import { parseDomainName } from 'domain-marketplace-domain-names'
import { z } from 'zod'
import { centsField, readAs, textField } from '../../core/fields.ts'

export const BULK_OPS = [
  'lock',
  'unlock',
  'set_auto_renew',
  'set_nameservers',
  'set_privacy',
  'renew',
  'list_for_sale',
  'set_price',
  'delist',
] as const
export type BulkOp = (typeof BULK_OPS)[number]

const MAX_NAMESERVERS = 13

/** A host: the name of a server may hold as many labels as it likes. */
const hostField = z
  .string()
  .transform(
    readAs(
      (text) => parseDomainName(text.replace(/\.$/, ''))?.domain,
      'is not a host such as ns1.example.com',
    ),
  )

const MAX_DESCRIPTION = 2_000

/** A seller's words: plain text, of which nothing is read as a tag. Empty is none. */
export const descriptionField = textField(MAX_DESCRIPTION).transform(
  (text) => text.replace(/\r\n?/g, '\n').trim() || null,
)

/** What the operations take; which of it each needs is in `NEEDED`. */
export const bulkParams = z.object({
  enabled: z
    .boolean()
    .optional()
    .describe('Whether it is on. Required for `set_auto_renew` and `set_privacy`.'),
  nameservers: z
    .array(hostField)
    .max(MAX_NAMESERVERS, `must be at most ${MAX_NAMESERVERS} hosts`)
    .refine((hosts) => new Set(hosts).size === hosts.length, 'must not name a host twice')
    .optional()
    .describe(
      'The hosts to delegate to. Required for `set_nameservers`; an empty list removes them.',
    ),
  years: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe('The years to renew for. Required for `renew`.'),
  price_cents: centsField
    .optional()
    .describe('The price, in US cents. Required for `list_for_sale` and `set_price`.'),
  floor_price_cents: centsField
    .optional()
    .describe('The lowest price that you accept, in US cents. Default: the price.'),
  offers: z
    .enum(['off', 'open'], 'must be off or open')
    .optional()
    .describe('Whether buyers may offer less than the price: `open`, the default, or `off`.'),
  min_offer_cents: centsField
    .optional()
    .describe('The least that an offer may be, in US cents. Default: any amount.'),
  description: descriptionField
    .optional()
    .describe(
      'Your words on the page and the lander of each name, as plain text, for `list_for_sale` and `set_price`; ' +
        'an empty text removes them. Default: they stay as they are.',
    ),
})
export type BulkParams = z.output<typeof bulkParams>

const NEEDED: Partial<Record<BulkOp, keyof BulkParams>> = {
  set_auto_renew: 'enabled',
  set_privacy: 'enabled',
  set_nameservers: 'nameservers',
  renew: 'years',
  list_for_sale: 'price_cents',
  set_price: 'price_cents',
}

/** What is wrong with an operation's params, beyond their types. */
export function paramsProblem(
  op: BulkOp,
  params: BulkParams,
): { field: string; issue: string } | null {
  const needed = NEEDED[op]
  if (needed !== undefined && params[needed] === undefined) {
    return { field: `params.${needed}`, issue: 'is required' }
  }
  const { price_cents, floor_price_cents } = params
  if (price_cents !== undefined && (floor_price_cents ?? price_cents) > price_cents) {
    return { field: 'params.floor_price_cents', issue: 'is above price_cents' }
  }
  if (price_cents !== undefined && (params.min_offer_cents ?? 0) > price_cents) {
    return { field: 'params.min_offer_cents', issue: 'is above price_cents' }
  }
  return null
}
