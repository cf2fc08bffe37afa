import { type RawBuilder, sql } from 'kysely'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import { type Mandate, viewMandate } from './mandate.ts'
import { scopesIn } from './scope.ts'

const ACCESS_MS = 30 * MINUTE
const REFRESH_MS = 30 * DAY
/** How exactly it is known when a consent and an app were last used. */
const NOTED_EVERY_MS = HOUR

/** What the token endpoint returns (RFC 6749, 5.1). */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
  /** What the app may spend, where it may buy. */
  mandate?: ReturnType<typeof viewMandate>
}

/** What is kept of a new pair of tokens. */
export interface Pair {
  now: Date
  access: Uint8Array
  accessUntil: Date
  refresh: Uint8Array
  refreshUntil: Date
  notedBefore: Date
}

type NewTokens = Pick<TokenResponse, 'access_token' | 'token_type' | 'expires_in' | 'refresh_token'>

export function newTokens(now: Date): { tokens: NewTokens; kept: Pair } {
  const access = newToken('mkt_access')
  const refresh = newToken('mkt_refresh')
  return {
    tokens: {
      access_token: access.token,
      token_type: 'Bearer',
      expires_in: ACCESS_MS / SECOND,
      refresh_token: refresh.token,
    },
    kept: {
      now,
      access: access.hash,
      accessUntil: after(now, ACCESS_MS),
      refresh: refresh.hash,
      refreshUntil: after(now, REFRESH_MS),
      notedBefore: after(now, -NOTED_EVERY_MS),
    },
  }
}

/** What the statement that used a code or token says of its consent. */
export interface Used {
  scope: string
  mandate: (Omit<Mandate, 'expires_at'> & { expires_at: string }) | null
}

export function responseOf(tokens: NewTokens, used: Used, asked: string | null): TokenResponse {
  const scopes = scopesIn(asked ?? used.scope)
  const { mandate } = used
  return {
    ...tokens,
    scope: scopes.join(' '),
    ...(mandate &&
      scopes.includes('orders:create') && {
        mandate: viewMandate({ ...mandate, expires_at: new Date(mandate.expires_at) }),
      }),
  }
}

/**
 * Writes the pair for the grant that `used` returns, if any. An app's first use is noted, and then one an
 * hour: else all its users would wait for each other.
 */
export function issueFor(
  used: RawBuilder<unknown>,
  pair: Pair,
  scope: string | null,
): RawBuilder<Used> {
  const { now, notedBefore } = pair
  return sql`
    with used as (${used}), grants as (
      update oauth_grants g set last_used_at = ${now} from used
      where g.id = used.grant_id and last_used_at < ${notedBefore}
    ), clients as (
      update oauth_clients c set last_used_at = ${now} from used
      where c.client_id = used.client_id
        and (last_used_at < ${notedBefore} or last_used_at = created_at)
    ), issued as (
      insert into oauth_tokens (token_hash, kind, grant_id, expires_at, scope)
      select t.hash, t.kind, used.grant_id, t.expires_at,
        case t.kind when 'access' then ${scope}::text end
      from used, (values
        (${pair.access}::bytea, 'access', ${pair.accessUntil}::timestamptz),
        (${pair.refresh}, 'refresh', ${pair.refreshUntil})
      ) as t (hash, kind, expires_at)
    )
    select used.scope, to_jsonb(m) as mandate
    from used left join mandates m on m.grant_id = used.grant_id`
}
