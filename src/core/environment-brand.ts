import { z } from 'zod'
import { brandColorField, brandNameField, logoUrlField } from './brand-fields.ts'

const address = z.url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })

/** What the marketplace looks like, and where its visitors find what they need to trust it. */
export const BRAND_VARIABLES = {
  BRAND_NAME: brandNameField
    .default('Domain Marketplace')
    .describe('What the marketplace is called on pages, in mails and on invoices'),
  BRAND_LOGO: z
    .string()
    .refine(
      (text) => !/^[a-z][a-z\d+.-]*:/i.test(text) || logoUrlField.safeParse(text).success,
      'must be an https address or a file',
    )
    .optional()
    .describe(
      'Its logo: an https address, or an SVG, PNG or JPEG file of at most 256 KiB, which the service then serves; see [Brand](#brand)',
    ),
  BRAND_COLOR: brandColorField
    .default('#1864ab')
    .describe(
      'The color of buttons and links, `#rrggbb`, with a contrast of at least 4.5 on white; the dark theme has a lighter one that is derived from it',
    ),
  SUPPORT_EMAIL: z
    .email('must be an e-mail address')
    .optional()
    .describe('Where people write to, on pages, in mails and on invoices'),
  TERMS_URL: address.optional().meta({
    description: 'Your terms of sale',
    otherwise: 'the page `/terms`',
  }),
  PRIVACY_URL: address.optional().meta({
    description: 'Your privacy notice',
    otherwise: 'the page `/privacy`',
  }),
  PAGES_DIR: z.string().optional().meta({
    description:
      'A folder with any of `about.md`, `contact.md`, `terms.md` and `privacy.md`, shown at `/about` and so on; see [Brand](#brand)',
    otherwise: 'the texts that ship, marked as such',
  }),
}
