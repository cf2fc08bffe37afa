import { isValidBIC, isValidIBAN } from 'ibantools'
import { z } from 'zod'
import { key, oneOf, whole } from './environment-fields.ts'

/** Who runs the marketplace, what its operators need, and how money is paid out and in. */
export const BUSINESS_VARIABLES = {
  ALERT_EMAIL: z
    .email('must be an e-mail address')
    .optional()
    .describe('Who is told by mail of what needs an operator; see [Alerts](#alerts)'),
  ALERT_WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
    .optional()
    .describe(
      'Where alerts are posted, signed as Standard Webhooks: https at a public address, or anything on this machine while `BASE_URL` is loopback; needs `ALERT_WEBHOOK_SECRET`',
    ),
  ALERT_WEBHOOK_SECRET: key
    .optional()
    .describe('What alerts are signed with, such as `whsec_` and 32 bytes in base64'),
  ALERT_SANDBOX: oneOf('on', 'off').default('off').describe('`on`: alerts of the sandbox, too'),
  OPERATOR_SECOND_FACTOR: oneOf('on', 'off')
    .default('on')
    .describe(
      '`off`, on loopback only and for tests: operators act on the live market without a second factor',
    ),
  LIVE_TEST_PAYMENTS: oneOf('on', 'off')
    .default('off')
    .describe(
      '`on`: the embedded database sells live names for test cards at a public `BASE_URL`, too; on loopback it always does',
    ),
  PLATFORM_NAME: z.string().max(140, 'must have at most 140 characters').optional().meta({
    description:
      'The legal entity that runs the marketplace: on invoices, and as the payer of payouts',
    otherwise: '`Domain Marketplace`; files for the bank of live payouts need it',
  }),
  PLATFORM_ADDRESS: z
    .string()
    .max(500, 'must have at most 500 characters')
    .optional()
    .describe('Its address, lines separated by commas, for invoices'),
  PLATFORM_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter country code such as DE')
    .optional()
    .describe('Its country, two letters'),
  PLATFORM_TAX_ID: z
    .string()
    .max(60, 'must have at most 60 characters')
    .optional()
    .describe('Its tax number, for invoices'),
  PLATFORM_IBAN: z
    .string()
    .transform((text) => text.replace(/\s/g, '').toUpperCase())
    .refine(isValidIBAN, 'must be an IBAN with valid check digits')
    .optional()
    .describe('The account that payouts are paid from; files for the bank of live payouts need it'),
  PLATFORM_BIC: z
    .string()
    .transform((text) => text.replace(/\s/g, '').toUpperCase())
    .refine(isValidBIC, 'must be a BIC such as COBADEFFXXX')
    .optional()
    .describe('The BIC of its bank'),
  TAX: oneOf('none', 'rules')
    .default('none')
    .describe('`rules`: add tax to the price of hosted sales, by `TAX_RULES_FILE`'),
  TAX_RULES_FILE: z
    .string()
    .optional()
    .describe('A JSON file with the tax of each country; see [Tax](#tax-and-invoices)'),
  PAGE_PRICES: oneOf('shown', 'masked')
    .default('shown')
    .describe(
      '`masked`: our own pages show prices only to visitors who have signed in, as the API does in any case',
    ),
  REGISTRATION_URL: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
    .refine((url) => url.includes('{domain}'), 'must contain {domain}')
    .optional()
    .meta({
      description:
        'Where a name that nobody has can be registered, such as `https://registrar.example/?q={domain}`: pages link there from free names',
      otherwise: 'pages link nowhere from free names, and show no price of them',
    }),
  PAYEE_DELAY_HOURS: whole(0, 720)
    .default(72)
    .describe(
      'How long a changed payee waits before live payouts use it; the sandbox does not wait',
    ),
  LISTING_HOLD_HOURS: whole(0, 720).optional().meta({
    description:
      'How long nobody can buy what a user lists or prices after a password reset or with a new token',
    otherwise: '24 with `REGISTRY=live`, else 0',
  }),
  FOUR_EYES_CENTS: whole(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'Payouts above it, and refunds that operators make by hand, need the approval of a second operator; absent: none do',
    ),
  STATEMENT_DUE_DAYS: whole(0, 365)
    .default(14)
    .describe('How long after the end of a settlement period partners have to pay its statement'),
  OVERDUE_HOLD_DAYS: whole(0, 365)
    .optional()
    .describe(
      'New orders of a partner are held for review once a statement is overdue for so many days; absent: never',
    ),
}
