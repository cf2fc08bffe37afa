import { z } from 'zod'
import type { AppGrant } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { ApiError, invalid } from '../../core/errors.ts'
import { unixSeconds } from '../../lib/clock.ts'

const AUDIENCE = 'agent-confirmation'

const Claims = z.object({
  aud: z.literal(AUDIENCE),
  /** The purchase that it makes: the same one, however often it comes. */
  jti: z.string(),
  sub: z.string(),
  grant: z.string(),
  exp: z.number(),
  domain: z.string(),
  price_cents: z.number(),
  tax_cents: z.number(),
  currency: z.string(),
  country: z.string().nullable(),
})

export type Confirmation = Omit<z.output<typeof Claims>, 'aud' | 'sub' | 'grant' | 'exp'> & {
  expiresAt: Date
}

type Holder = { userId: string; app: AppGrant }

/** What a user or their app confirms, signed: it is bound to both, and to the name, the price and the time. */
export async function signConfirmation(
  { signingKey, settings }: Pick<AppContext, 'signingKey' | 'settings'>,
  now: Date,
  { userId, app }: Holder,
  { expiresAt, ...confirmation }: Confirmation,
): Promise<string> {
  return await signingKey.sign({
    iss: settings.baseUrl,
    aud: AUDIENCE,
    sub: userId,
    grant: app.grantId,
    iat: unixSeconds(now),
    exp: unixSeconds(expiresAt),
    ...confirmation,
  })
}

/** Reads a confirmation of this user and consent; whether its time is over is for the caller to ask. */
export async function readConfirmation(
  { signingKey }: Pick<AppContext, 'signingKey'>,
  { userId, app }: Holder,
  given: string,
  domain: string | undefined,
): Promise<Confirmation> {
  const claims = Claims.safeParse(await signingKey.verify(given)).data
  if (!claims || claims.sub !== userId || claims.grant !== app.grantId) {
    throw invalid({
      field: 'confirm',
      issue: 'is not a confirmation that this app was given for this user. Call without it for one',
    })
  }
  if (domain !== undefined && domain !== claims.domain) {
    throw invalid({
      field: 'confirm',
      issue: `is for ${claims.domain}, not for ${domain}. Call without it for one`,
    })
  }
  const { jti, price_cents, tax_cents, currency, country, exp } = claims
  return {
    jti,
    domain: claims.domain,
    price_cents,
    tax_cents,
    currency,
    country,
    expiresAt: new Date(exp * 1_000),
  }
}

export function confirmationExpired(): ApiError {
  return new ApiError(
    'quote_expired',
    'The confirmation is older than ten minutes. Nothing was bought: call without `confirm` for a new one.',
  )
}
