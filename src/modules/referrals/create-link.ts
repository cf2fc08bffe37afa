import { z } from 'zod'
import { invalid } from '../../kernel/errors.ts'
import { domainField, iso, textField, timestamp } from '../../kernel/fields.ts'
import { partnerWrite } from '../../kernel/operation.ts'
import { newId } from '../../lib/ids.ts'
import { notListed } from '../inventory/listing.ts'
import type { Totals } from './referral-days.ts'
import { LINK_TYPES, newCode, type ReferralLink, requireAffiliate } from './referral-link.ts'

const Input = z.object({
  type: z.enum(LINK_TYPES),
  /** Of type domain: the name whose page the link leads to. */
  domain: domainField.nullish(),
  /** Of type product: what the link is for, in the partner's own words. */
  product: textField(100).min(1).nullish(),
  /** A page of this service, as an absolute URL or a path. */
  destination_url: z.string().min(1).max(2048).nullish(),
  label: textField(200).nullish(),
})

export const LinkView = z.object({
  id: z.string(),
  type: z.enum(LINK_TYPES),
  domain: z.string().nullable(),
  product: z.string().nullable(),
  url: z.string(),
  label: z.string().nullable(),
  clicks: z.int(),
  sales: z.int(),
  sale_amount_cents: z.int(),
  commission_cents: z.int(),
  created_at: timestamp,
})

export const createLink = partnerWrite({
  name: 'create_link',
  summary: 'Make a tracked link',
  method: 'POST',
  path: '/links',
  scope: 'refer',
  input: Input,
  output: LinkView,
  status: 201,
  errors: ['validation_error', 'not_found', 'forbidden'],
  refuseCaller: requireAffiliate,
  async handler({ tx, now, house, partner }, input) {
    const { type, domain = null, product = null, label = null } = input
    if (type === 'domain' && domain === null) {
      throw invalid({ field: 'domain', issue: 'is required for a link of type domain' })
    }
    if (type === 'product' && product === null) {
      throw invalid({ field: 'product', issue: 'is required for a link of type product' })
    }
    if (domain !== null) {
      const listed = await tx
        .selectFrom('listings')
        .select('domain')
        .where('environment', '=', partner.environment)
        .where('domain', '=', domain)
        .executeTakeFirst()
      if (!listed) throw notListed(domain)
    }
    const page = domain === null ? '/' : `/d/${domain}`
    const link: ReferralLink = {
      id: newId('lnk', now),
      partner_id: partner.partnerId,
      environment: partner.environment,
      code: newCode(),
      type,
      domain,
      product,
      destination: input.destination_url
        ? ownPath(input.destination_url, house.settings.baseUrl)
        : page,
      label,
      created_at: now,
    }
    await tx.insertInto('referral_links').values(link).execute()
    return viewLink(link, undefined, house.settings.baseUrl)
  },
})

/** A link leads nowhere but here: anything else would lend our name to strangers. */
function ownPath(text: string, baseUrl: string): string {
  const base = new URL(baseUrl)
  const url = URL.canParse(text, base) ? new URL(text, base) : null
  const isOurs = url?.origin === base.origin && url.username === '' && url.password === ''
  // A path that begins with two slashes is another host's address.
  if (!url || !isOurs || url.pathname.startsWith('//')) {
    throw invalid({
      field: 'destination_url',
      issue: `must be a page of this service, such as ${baseUrl}/`,
    })
  }
  return `${url.pathname}${url.search}${url.hash}`
}

export function viewLink(
  link: ReferralLink,
  totals: Totals | undefined,
  baseUrl: string,
): z.output<typeof LinkView> {
  return {
    id: link.id,
    type: link.type,
    domain: link.domain,
    product: link.product,
    url: `${baseUrl}/r/${link.code}`,
    label: link.label,
    clicks: totals?.clicks ?? 0,
    sales: totals?.sales ?? 0,
    sale_amount_cents: totals?.gmv_cents ?? 0,
    commission_cents: totals?.commission_cents ?? 0,
    created_at: iso(link.created_at),
  }
}
