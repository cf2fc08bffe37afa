import { sql } from 'kysely'
import type { AppContext } from '../../core/context.ts'
import type { Job } from '../../core/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { HOUR } from '../../lib/clock.ts'
import { endVerified } from '../claims/claim.ts'
import { withdrawDomains } from '../listings/seller-listing.ts'
import { mailUser } from './mail-user.ts'
import { expiredMail } from './mails/expired.ts'
import { graceEnd } from './registration.ts'

const AT_ONCE = 1_000

interface ExpiredName {
  domain: string
  user_id: string
  expires_at: Date
}

/**
 * An expired name leaves the market, and its owner when it can be renewed no more. What a disabled user
 * offers leaves the market, too: that nobody buys it meanwhile is seen to where it is bought.
 */
export const expireDomains: Job = {
  name: 'expire_domains',
  everyMs: HOUR,
  async run(app, signal) {
    for (const userId of await sellersToEnd(app)) {
      if (signal.aborted) return
      await withdraw(app, userId, signal).catch((error: unknown) => leftOut(app, userId, error))
    }
    const now = app.clock.now()
    let last: ExpiredName | undefined
    // Those in a long grace come before others whose grace is short and over.
    do {
      const names = await expired(app, now, last)
      const lost = names.filter(
        ({ domain, expires_at }) =>
          graceEnd(domain, expires_at) <= now &&
          // What could not be renewed here was renewed elsewhere, or was not: we do not know.
          app.settings.registry === 'simulated',
      )
      for (const userId of new Set(lost.map(({ user_id }) => user_id))) {
        if (signal.aborted) return
        await giveUp(
          app,
          now,
          userId,
          lost.filter(({ user_id }) => user_id === userId),
        ).catch((error: unknown) => leftOut(app, userId, error))
      }
      last = names.length === AT_ONCE ? names.at(-1) : undefined
    } while (last)
  },
}

/** Somebody holds what is theirs, or it is too much at once: they come again in an hour, and hold up nobody. */
function leftOut({ log }: AppContext, user_id: string, error: unknown): void {
  log.error({ err: error, user_id }, 'expiry: a user was left out')
}

async function sellersToEnd({ db, clock }: AppContext): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select o.user_id from owned_domains o
    join listings l on l.environment = 'live' and l.domain = o.domain and l.status = 'listed'
      and l.seller_id = o.user_id
    where o.expires_at <= ${clock.now()}
    union
    select l.seller_id from listings l join users u on u.id = l.seller_id
    where l.environment = 'live' and l.status = 'listed' and u.disabled_at is not null`.execute(db)
  return rows.map(({ user_id }) => user_id)
}

/** A running quote ends first, and a payment that was begun: they were promises. */
async function withdraw(app: AppContext, userId: string, signal: AbortSignal): Promise<void> {
  const now = app.clock.now()
  const some = () =>
    inTransaction(app, async (tx) => {
      const { rows } = await sql<{ domain: string }>`
        select l.domain from listings l
        join owned_domains o on o.domain = l.domain and o.user_id = l.seller_id
        join users u on u.id = l.seller_id
        where l.environment = 'live' and l.status = 'listed' and l.seller_id = ${userId}
          and (o.expires_at <= ${now} or u.disabled_at is not null)
          and (l.reserved_until is null or l.reserved_until <= ${now})
          and l.domain not in (select s.domain from payments p
            join checkout_sessions s on s.id = p.session_id
            where p.status in ('started', 'action_required', 'processing') and s.environment = 'live'
              and s.expires_at > ${now})
        order by l.domain limit ${AT_ONCE} for update of l`.execute(tx)
      await withdrawDomains(
        tx,
        now,
        userId,
        rows.map(({ domain }) => domain),
      )
      return rows.length
    })
  while ((await some()) === AT_ONCE && !signal.aborted);
}

/** Names that are being sold, and those whose renewal is being paid for, are waited for. */
async function expired(
  { db }: AppContext,
  now: Date,
  after: ExpiredName | undefined,
): Promise<ExpiredName[]> {
  const { rows } = await sql<ExpiredName>`
    select o.domain, o.user_id, o.expires_at from owned_domains o
    where o.expires_at <= ${now}
      and (o.expires_at, o.domain) > (${after?.expires_at ?? '-infinity'}, ${after?.domain ?? ''})
      and not exists (select 1 from listings l where l.environment = 'live' and l.domain = o.domain
        and l.seller_id = o.user_id and l.status in ('listed', 'sold'))
      and not exists (select 1 from renewals r
        where r.domain = o.domain and r.status = 'due' and r.charge_id is not null)
    order by o.expires_at, o.domain limit ${AT_ONCE}`.execute(db)
  return rows
}

async function giveUp(
  app: AppContext,
  now: Date,
  userId: string,
  names: ExpiredName[],
): Promise<void> {
  await inTransaction(app, async (tx) => {
    // Those that were renewed since they were looked at stay.
    const { rows } = await sql<{ domain: string }>`
      delete from owned_domains o
      using unnest(${names.map(({ domain }) => domain)}::text[],
        ${names.map(({ expires_at }) => expires_at.toISOString())}::text[]::timestamptz[])
        as n (domain, expires_at)
      where o.domain = n.domain and o.expires_at = n.expires_at and o.user_id = ${userId}
      returning o.domain`.execute(tx)
    if (rows.length === 0) return
    const domains = rows.map(({ domain }) => domain).toSorted()
    await endVerified(tx, domains)
    await mailUser(tx, now, userId, expiredMail(domains))
  })
}
