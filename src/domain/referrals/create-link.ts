import { parseUrl } from 'domain-marketplace-safe-fetch'
import { z } from 'zod'
import { invalid } from '../../core/errors.ts'
import {
  centsView,
  createdAt,
  domainField,
  domainView,
  idField,
  iso,
  textField,
} from '../../core/fields.ts'
import { partnerWrite } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import { notListed } from '../listings/listing.ts'
import type { Totals } from './referral-days.ts'
import { LINK_TYPES, newCode, type ReferralLink, requireAffiliate } from './referral-link.ts'

const typeField = z.enum(LINK_TYPES).meta({
  description: 'What the link is for: anything (`generic`), one `domain`, or a `product` of yours.',
  example: 'domain',
})

const Input = z.object({
  type: typeField,
  domain: domainField
    .nullish()
    .describe('The listed domain whose page the link leads to. Required for the type `domain`.'),
  product: textField(100)
    .min(1)
    .nullish()
    .describe('What the link is for, in your own words. Required for the type `product`.'),
  destination_url: z
    .string()
    .min(1)
    .max(2048)
    .nullish()
    .describe(
      'The page of this marketplace to lead to, as a URL or a path. Default: the page of the domain, or home.',
    ),
  label: textField(200).nullish().meta({
    description: 'A label of your own, to tell links apart.',
    example: 'Spring newsletter',
  }),
})

export const LinkView = z
  .object({
    id: idField('lnk').describe('The id of the link.'),
    type: typeField,
    domain: domainView
      .nullable()
      .describe('The domain of a link of type `domain`; otherwise null.'),
    product: z.string().nullable().meta({
      description: 'What a link of type `product` is for; otherwise null.',
      example: null,
    }),
    url: z.string().meta({
      description: 'The address to publish.',
      example: 'https://market.example/r/q3V9xTz1LmKd',
    }),
    label: z
      .string()
      .nullable()
      .meta({ description: 'Your label for it, or null.', example: 'Spring newsletter' }),
    clicks: z
      .int()
      .meta({ description: 'The number of clicks on it, without those of bots.', example: 0 }),
    sales: z.int().meta({ description: 'The number of sales that it brought.', example: 0 }),
    sale_amount_cents: centsView(0).describe('The prices of these sales together, in cents.'),
    commission_cents: centsView(0).describe('Your commission on them, in cents.'),
    created_at: createdAt,
  })
  .meta({ id: 'ReferralLink', description: 'A tracked link, and what it brought.' })

export const createLink = partnerWrite({
  name: 'create_link',
  tag: 'Referral',
  summary: 'Create a tracked link',
  description:
    'Makes a link to a page of this marketplace that counts its clicks. A sale to a visitor who followed it last is yours, and ' +
    'earns a commission. Available to affiliates; other partners get `forbidden`. A domain that is not listed ' +
    'gives `not_found`.',
  method: 'POST',
  path: '/links',
  scope: 'refer',
  input: Input,
  output: LinkView,
  status: 201,
  errors: ['validation_error', 'not_found', 'forbidden'],
  assertCaller: requireAffiliate,
  async handler({ tx, now, app, partner }, input) {
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
        ? ownPath(input.destination_url, app.settings.baseUrl)
        : page,
      label,
      created_at: now,
    }
    await tx.insertInto('referral_links').values(link).execute()
    return viewLink(link, undefined, app.settings.baseUrl)
  },
})

/** A link leads nowhere but here: anything else would lend our name to strangers. */
function ownPath(text: string, baseUrl: string): string {
  const base = new URL(baseUrl)
  const url = parseUrl(text, base)
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
