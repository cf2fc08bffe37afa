import type { ApiError } from './errors.ts'
import type { Role } from './roles.ts'

export const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const
export type Scope = (typeof SCOPES)[number]

export const ENVIRONMENTS = ['sandbox', 'live'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** The partner that a credential speaks for, in the credential's environment. */
export interface Partner {
  partnerId: string
  environment: Environment
}

/** Whose a row is. */
export function partnerOf(row: { partner_id: string; environment: Environment }): Partner {
  return { partnerId: row.partner_id, environment: row.environment }
}

/** Who calls the public API: nobody in particular, or the user whose token came along. */
export type PublicCaller =
  | {
      kind: 'anonymous'
      /** Where the request comes from. */
      address?: string
      /** On our own pages, where everybody may be shown prices. */
      priced?: boolean
    }
  | UserCaller

/** What an app may be let do for a user: see prices, buy within a mandate, change the user's domains. */
export const APP_SCOPES = ['pricing:read', 'orders:create', 'domains:manage'] as const
export type AppScope = (typeof APP_SCOPES)[number]

/** The consent by which an app acts. */
export interface AppGrant {
  grantId: string
  clientId: string
  scopes: readonly AppScope[]
}

/** Who sees what names cost: anyone with a valid token, whatever its scopes (contract, section 13). */
export function seesPrices(caller: PublicCaller): boolean {
  return caller.kind === 'user' || caller.priced === true
}

/** Whom a share of what is limited for all belongs to. */
export function clientOf(caller: PublicCaller): string | undefined {
  return caller.kind === 'user' ? caller.subject : caller.address
}

export interface UserCaller {
  kind: 'user'
  /** The user's id. */
  subject: string
  /** How they came: an app's token sees prices, the user's own may change what is theirs. */
  via?: 'app' | 'personal_token' | 'session'
  /** False for a token that may not change domains. */
  manages?: boolean
  /** What let the app in, where one calls. */
  app?: AppGrant
}

/** A partner: by a signed request, or by one of its members in the portal. */
export interface PartnerCaller {
  kind: 'partner'
  partner: Partner
  /** What the request was signed with; null for a member, who may do whatever the partner may. */
  credential: PartnerAccess | null
}

/** What a credential lets its partner do. */
interface PartnerAccess {
  scopes: readonly Scope[]
  status: 'active' | 'revoked'
  partnerStatus: 'active' | 'suspended'
  /** Why it cannot be used any more, or from where the call comes; null when it can. */
  problem: ApiError | null
}

export interface OperatorCaller {
  kind: 'operator'
  actor: Actor
}

export type Caller = PublicCaller | PartnerCaller | OperatorCaller | PageCaller

/** Who sent a form of our own pages: a user, a member of a partner, or a visitor who proves a right by the form. */
export interface PageCaller {
  kind: 'page'
  user: { id: string; email: string } | null
  /** Whom the user acts for, in the portal. */
  partner: Partner | null
}

/** Who acts for the marketplace: an operator who signed in, or whoever has the admin token. */
export interface Actor {
  /** Null for tokens. */
  userId: string | null
  /** As the audit log names them: an e-mail address, or `admin token`. */
  name: string
  /** Who answers for it, whatever they are called: the user who signed in or made the token, or the token. */
  person: string
  role: Role
  /** How an operator who signed in has shown that it is them; absent for tokens. */
  presence?: Presence
}

/** What a session knows of whoever has it. */
export interface Presence {
  hasSecondFactor: boolean
  /** When they last showed that they are there. */
  confirmedAt: Date
  /** When they signed in. */
  since: Date
}
