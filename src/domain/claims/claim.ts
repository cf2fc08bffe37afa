import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { iso, timestamp } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Schema } from '../../db/schema.ts'
import { after, DAY, HOUR, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'

export const CLAIM_STATUSES = ['pending', 'verified', 'lost'] as const
const CLAIM_METHODS = ['txt', 'nameservers', 'registrar', 'operator'] as const
export type ClaimMethod = (typeof CLAIM_METHODS)[number]

/** A user's word that a domain is theirs, and what proves it (contract, section 16). */
export type Claim = Selectable<Schema['claims']>

/** A claim that nobody proves is looked at by itself for so long; after that when its user asks. */
const WAITED_FOR_MS = 30 * DAY

export const ClaimView = z.object({
  domain: z.string().describe('The domain that is claimed.'),
  status: z
    .enum(CLAIM_STATUSES)
    .describe('`pending` until it is proven, `verified`, or `lost` when its proof is gone.'),
  method: z
    .enum(CLAIM_METHODS)
    .nullable()
    .describe(
      'What proves it, or proved it last: a TXT record, the delegation to our name servers, the registrar account ' +
        'that the domain is in, or the word of an operator. Null before it was ever proven.',
    ),
  txt: z
    .object({
      name: z.string().describe('The name of the record.'),
      value: z.string().describe('What it has to hold.'),
    })
    .describe('The TXT record that proves it.'),
  nameservers: z
    .array(z.string())
    .describe(
      'Delegating the domain to these name servers, and no others, proves it, too. Empty where that is not offered.',
    ),
  verified_at: timestamp.nullable().describe('Since when it is proven, in UTC, or null.'),
  checked_at: timestamp.nullable().describe('When the proof was looked for last, or null.'),
  problem: z
    .string()
    .nullable()
    .describe('Why it is not proven, or what is wrong with the proof, for people.'),
})

export function viewClaim(
  { marketplaceNameservers }: Pick<Settings, 'marketplaceNameservers'>,
  claim: Claim,
): z.output<typeof ClaimView> {
  const { domain, status, method, problem } = claim
  return {
    domain,
    status,
    method,
    txt: txtOf(claim),
    nameservers: marketplaceNameservers,
    verified_at: iso(claim.verified_at),
    checked_at: iso(claim.checked_at),
    problem,
  }
}

/** The record that proves a claim: it names this user alone, so that nobody proves another's claim by it. */
export function txtOf({ domain, token }: Pick<Claim, 'domain' | 'token'>) {
  return { name: `_marketplace.${domain}`, value: `marketplace-verification=${token}` }
}

/** The same in the record with which an owner says that a domain is for sale: the token, or what the TXT record holds. */
export function provesForSale({ token }: Pick<Claim, 'token'>, code: string): boolean {
  return code === token || code === `marketplace-verification=${token}`
}

/** A user's claims of these domains, held for this transaction in the order of their names. */
export async function lockClaims(
  tx: Tx,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, Claim>> {
  const rows = await tx
    .selectFrom('claims')
    .selectAll()
    .where('user_id', '=', userId)
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .orderBy('domain')
    .forUpdate()
    .execute()
  return new Map(rows.map((claim) => [claim.domain, claim]))
}

/** Opens claims, unless the user is gone; one that was lost is pending again, and others stay as they are. */
export async function openClaims(
  tx: Tx,
  now: Date,
  userId: string,
  domains: readonly string[],
): Promise<void> {
  await sql`
    insert into claims as c (claim_id, user_id, domain, token, status, created_at, due_at)
    select claim_id, ${userId}, domain, token, 'pending', ${now}, ${now}
    from unnest(${domains.map(() => newId('clm', now))}::text[], ${[...domains]}::text[],
      ${domains.map(newToken)}::text[]) as n (claim_id, domain, token)
    where exists (select from users where id = ${userId})
    order by domain
    on conflict (user_id, domain) do update
      set status = 'pending', due_at = excluded.due_at, created_at = excluded.created_at, problem = null,
        missing_since = null
      where c.status = 'lost'`.execute(tx)
}

/** How many claims a user has that are not proven. */
export async function countOpenClaims(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('claims')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('status', '!=', 'verified')
    .executeTakeFirstOrThrow()
  return count
}

/** The domains that users other than this one claim, and whether one of them has proven it. */
export async function claimedByOthers(
  tx: Tx,
  userId: string,
  domains: readonly string[],
): Promise<Map<string, { isVerified: boolean }>> {
  const rows = await tx
    .selectFrom('claims')
    .select(['domain', sql<boolean>`bool_or(status = 'verified')`.as('is_verified')])
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .where('status', '!=', 'lost')
    .where('user_id', '!=', userId)
    .groupBy('domain')
    .execute()
  return new Map(rows.map(({ domain, is_verified }) => [domain, { isVerified: is_verified }]))
}

export async function findClaims(
  db: Pick<Tx, 'selectFrom'>,
  userId: string,
  domains: readonly string[],
): Promise<Claim[]> {
  return await db
    .selectFrom('claims')
    .selectAll()
    .where('user_id', '=', userId)
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .execute()
}

/**
 * Claims that the job is to look at, proven ones or others. Users take turns, so that those of a large portfolio keep
 * nobody waiting; of each user, those that have waited longest come first.
 */
export async function findDueClaims(
  db: Pick<Tx, 'selectFrom'>,
  now: Date,
  isProven: boolean,
  limit: number,
): Promise<Claim[]> {
  const turn = sql<number>`row_number() over (partition by user_id order by due_at, domain)`
  const due = dueClaims(db, now, isProven).selectAll().select(turn.as('turn')).as('due')
  return await db
    .selectFrom(due)
    .selectAll()
    .orderBy('turn')
    .orderBy('due_at')
    .orderBy('domain')
    .limit(limit)
    .execute()
}

export async function countDueProven(db: Pick<Tx, 'selectFrom'>, now: Date): Promise<number> {
  const { count } = await dueClaims(db, now, true)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function dueClaims(db: Pick<Tx, 'selectFrom'>, now: Date, isProven: boolean) {
  return db
    .selectFrom('claims')
    .where('due_at', '<=', now)
    .where('status', isProven ? '=' : '!=', 'verified')
}

/** Has the job look at claims later, whatever it would have found. */
export async function postponeClaims(
  db: Pick<Tx, 'updateTable'>,
  userId: string,
  domains: readonly string[],
  until: Date,
): Promise<void> {
  await db
    .updateTable('claims')
    .set({ due_at: until })
    .where('user_id', '=', userId)
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .execute()
}

/** Whether an operator has proven, in an account of their own, that the domain is the marketplace's. */
export async function isVerifiedByOperator(tx: Tx, domain: string): Promise<boolean> {
  const row = await tx
    .selectFrom('claims')
    .innerJoin('users', 'users.id', 'claims.user_id')
    .select('claims.domain')
    .where('claims.domain', '=', domain)
    .where('claims.status', '=', 'verified')
    .where('users.is_operator', '=', true)
    .executeTakeFirst()
  return row !== undefined
}

export async function updateClaim(
  tx: Tx,
  { user_id, domain }: Pick<Claim, 'user_id' | 'domain'>,
  change: Partial<Claim>,
): Promise<void> {
  await tx
    .updateTable('claims')
    .set(change)
    .where('user_id', '=', user_id)
    .where('domain', '=', domain)
    .execute()
}

/** When the job looks at a claim again; null: only when its user asks. */
export function dueAgain(
  now: Date,
  { status, created_at }: Claim,
  isOneOfMany: boolean,
): Date | null {
  if (status === 'verified') return after(now, DAY)
  // Most users set the record as soon as they claim the domain: each run of the job looks for it. Not for a whole
  // portfolio, which would hold up everybody else's.
  if (!isOneOfMany && after(created_at, HOUR) > now) return after(now, SECOND)
  return after(created_at, WAITED_FOR_MS) > now ? after(now, HOUR) : null
}

/** Domains that a user has by an operator's word, or bought here. What another user has proven of them ends. */
export async function vouchFor(
  tx: Tx,
  now: Date,
  userId: string,
  domains: readonly string[],
): Promise<void> {
  if (domains.length === 0) return
  await tx
    .deleteFrom('claims')
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .where('status', '=', 'verified')
    .where('user_id', '!=', userId)
    .execute()
  await sql`
    insert into claims as c
      (claim_id, user_id, domain, token, status, method, created_at, verified_at, checked_at, due_at)
    select claim_id, ${userId}, domain, token, 'verified', 'operator', ${now}, ${now}, ${now}, ${now}
    from unnest(${domains.map(() => newId('clm', now))}::text[], ${[...domains]}::text[],
      ${domains.map(newToken)}::text[]) as n (claim_id, domain, token)
    order by domain
    on conflict (user_id, domain) do update
      set status = 'verified', method = 'operator', verified_at = excluded.verified_at, problem = null,
        checked_at = excluded.checked_at, due_at = excluded.due_at, missing_since = null, registrar_iana_id = null
      where c.status <> 'verified'`.execute(tx)
}

/** Ends what was proven of domains, which have gone to somebody else. */
export async function endVerified(tx: Tx, domains: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('claims')
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .where('status', '=', 'verified')
    .execute()
}

/** 128 bits: nobody guesses what another user's record would hold. */
function newToken(): string {
  return randomBytes(16).toString('hex')
}
