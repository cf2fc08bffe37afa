import { z } from 'zod'
import type { Brand, Look } from '../../core/brand.ts'
import { brandColorField, brandNameField, logoUrlField } from '../../core/brand-fields.ts'
import { emailField } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'

/** What a partner has of its own; null is as the marketplace has it. */
export interface PartnerBrand {
  name: string | null
  logo_url: string | null
  color: string | null
  support_email: string | null
}

export const partnerBrandFields = {
  name: brandNameField.nullish().meta({
    description: 'What the checkout is called.',
    example: 'Pet Names',
  }),
  logo_url: logoUrlField.nullish().meta({
    description: 'The https address of its logo, which the browser of the buyer loads.',
    example: 'https://pets.example/logo.png',
  }),
  color: brandColorField.nullish().meta({
    description:
      'The color of its buttons and links, `#rrggbb`, with a contrast of at least 4.5 on white.',
    example: '#0b6e4f',
  }),
  support_email: emailField.nullish().meta({
    description: 'Where its buyers write to.',
    example: 'help@pets.example',
  }),
}

export const PartnerBrandView = z
  .object({
    name: z.string().nullable(),
    logo_url: z.string().nullable(),
    color: z.string().nullable(),
    support_email: z.string().nullable(),
  })
  .nullable()

/** How the checkout looks behind the links of a partner; null where it looks like the marketplace. */
export async function findLook(
  db: Pick<Tx, 'selectFrom'>,
  brand: Brand,
  partnerId: string,
): Promise<Look | null> {
  const row = await db
    .selectFrom('partners')
    .select('brand')
    .where('id', '=', partnerId)
    .executeTakeFirst()
  if (!row?.brand) return null
  const { name, logo_url, color, support_email } = row.brand
  return {
    name: name ?? brand.name,
    color: color ?? brand.color,
    // Under another name our own logo would stand for somebody else.
    logo: logo_url === null ? (name === null ? brand.logo : null) : { src: logo_url, file: null },
    supportEmail: support_email ?? brand.supportEmail,
  }
}
