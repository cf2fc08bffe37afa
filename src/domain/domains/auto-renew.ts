import { tldOf } from 'domain-marketplace-domain-names'
import { type RawBuilder, sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, DAY, MINUTE } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { findCharge } from '../payments/charge.ts'
import { activeMethod } from '../payments/payment-method.ts'
import { registrationPrice } from '../registry/price-book.ts'
import { changeOwnedDomains } from './change-owned-domains.ts'
import { advanceCharge } from './collect.ts'
import { mailUser } from './mail-user.ts'
import { notRenewedMail } from './mails/not-renewed.ts'
import { performersOf, readExpiries } from './registrar.ts'

/** A name that renews itself is renewed so long before it expires. */
const AHEAD_MS = 30 * DAY
/** After a failure it is tried again so much later, and so often in all. */
const AGAIN_MS = 5 * DAY
const MAX_TRIES = 5
const AT_ONCE = 1_000

interface DueName {
  domain: string
  user_id: string
  expires_at: Date
}

/** Renews what is to renew itself and expires soon: the names of a user that take one term in one charge. */
export const renewAutomatically: Job = {
  name: 'renew_automatically',
  everyMs: MINUTE,
  queriesUpstream: true,
  async run(app, signal) {
    let last: Pick<DueName, 'user_id' | 'domain'> | undefined
    do {
      const due = await dueNames(app, app.clock.now(), last)
      for (const names of (await byTerm(app, due)).values()) {
        if (signal.aborted) return
        await renewOf(app, names).catch((error: unknown) => {
          // They are due still, and come again in a minute.
          app.log.error({ err: error, user_id: names.userId }, 'renewals: a user was left out')
        })
      }
      last = due.length < AT_ONCE ? undefined : due.at(-1)
    } while (last)
  },
}

async function dueNames(
  { db }: AppContext,
  now: Date,
  last: Pick<DueName, 'user_id' | 'domain'> = { user_id: '', domain: '' },
): Promise<DueName[]> {
  const { rows } = await sql<DueName>`
    ${due(now)} and (o.user_id, o.domain) > (${last.user_id}, ${last.domain})
    order by o.user_id, o.domain
    limit ${AT_ONCE}`.execute(db)
  return rows
}

/**
 * Those that are due still, held for this transaction: while others were charged, their owner may have renewed
 * them or thought better of it, or another instance been at it.
 */
async function stillDue(tx: Tx, now: Date, { userId, names }: Term): Promise<DueName[]> {
  const domains = names.map(({ domain }) => domain)
  const theirs = sql<boolean>`o.user_id = ${userId} and o.domain = any(${domains}::text[])`
  await sql`select from owned_domains o where ${theirs} order by o.domain for update`.execute(tx)
  // A statement of its own, which sees what was committed before the names were held.
  const { rows } = await sql<DueName>`${due(now)} and ${theirs} order by o.domain`.execute(tx)
  return rows
}

function due(now: Date): RawBuilder<unknown> {
  return sql`
    select o.domain, o.user_id, o.expires_at
    from owned_domains o join users u on u.id = o.user_id and u.disabled_at is null
    where o.auto_renew and o.expires_at <= ${after(now, AHEAD_MS)}
      and not exists (select 1 from listings l where l.environment = 'live' and l.domain = o.domain
        and l.status = 'sold' and l.seller_id = o.user_id)
      and not exists (select 1 from renewals r
        where r.domain = o.domain and r.status = 'due' and r.charge_id is not null)
      and not exists (select 1 from renewals r where r.domain = o.domain and r.automatic
        and r.from_expires_at = o.expires_at and r.created_at > ${after(now, -AGAIN_MS)})
      and (select count(*) from renewals r where r.domain = o.domain and r.automatic
        and r.from_expires_at = o.expires_at) < ${MAX_TRIES}
      -- Done, though its registrar has not said yet until when.
      and not exists (select 1 from renewals r where r.domain = o.domain and r.user_id = o.user_id
        and r.from_expires_at = o.expires_at and r.status in ('renewed', 'paid'))`
}

async function byTerm({ db }: AppContext, names: DueName[]): Promise<Map<string, Term>> {
  // Asked together, they are read together.
  const prices = await Promise.all(
    names.map(({ domain }) => registrationPrice(db, tldOf(domain), 'renew')),
  )
  const groups = new Map<string, Term>()
  for (const [index, name] of names.entries()) {
    const years = prices[index]?.years ?? 1
    const key = `${name.user_id} ${years}`
    const group = groups.get(key)
    if (group) group.names.push(name)
    else groups.set(key, { userId: name.user_id, years, names: [name] })
  }
  return groups
}

interface Term {
  userId: string
  years: number
  names: DueName[]
}

async function renewOf(app: AppContext, term: Term): Promise<void> {
  const now = app.clock.now()
  const [chargeId, registrarChargeId] = [newId('chg', now), newId('chg', now)]
  const { userId, years } = term
  const performers = await performersOf(
    app,
    'renew',
    term.names.map(({ domain }) => domain),
    userId,
  )
  await readExpiries(app, performers)
  await inTransaction(app, async (tx) => {
    const names = await stillDue(tx, now, term)
    if (names.length === 0) return
    const method = await activeMethod(tx, userId, app.settings.paymentProvider)
    const { errors } = await changeOwnedDomains({ tx, now, app }, userId, {
      op: 'renew',
      params: { years },
      domains: names.map(({ domain }) => domain),
      dryRun: false,
      performers,
      hasCard: method !== undefined,
      ...(method && {
        order: {
          chargeId,
          registrarChargeId,
          method,
          automatic: true,
          requestKey: null,
          requestFingerprint: null,
        },
      }),
    })
    for (const reason of new Set([...errors.values()].map(({ message }) => message))) {
      const rejected = names.filter(({ domain }) => errors.get(domain)?.message === reason)
      await fail(tx, now, userId, years, rejected, reason)
    }
  })
  for (const id of [chargeId, registrarChargeId]) {
    const charge = await findCharge(app.db, { id })
    if (charge) await advanceCharge(app, charge, false)
  }
}

/** A try that came to no charge counts like one that was declined. */
async function fail(
  tx: Tx,
  now: Date,
  userId: string,
  years: number,
  names: DueName[],
  reason: string,
): Promise<void> {
  await tx
    .insertInto('renewals')
    .values(
      names.map(({ domain, expires_at }) => ({
        id: newId('rnw', now),
        domain,
        user_id: userId,
        years,
        price_cents: null,
        currency: HOME_CURRENCY,
        status: 'failed' as const,
        charge_id: null,
        automatic: true,
        from_expires_at: expires_at,
        reason,
        created_at: now,
      })),
    )
    .execute()
  const failed = names.map(({ domain, expires_at }) => ({
    domain,
    from_expires_at: expires_at,
    automatic: true,
  }))
  await mailUser(tx, now, userId, notRenewedMail(failed, reason))
}
