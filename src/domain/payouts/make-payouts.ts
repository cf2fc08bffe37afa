import { type RawBuilder, sql } from 'kysely'
import { type Actor, type Environment, type Partner, partnerOf } from '../../core/caller.ts'
import type { Job } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import type { Settings } from '../../core/settings.ts'
import type { Database } from '../../db/dialect.ts'
import type { Schema } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'
import { HOUR, monthStart } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { postCommissions, takeUpTo } from '../ledger/commissions.ts'
import type { Payout } from './payout.ts'

type Entry = Schema['commission_entries']

/**
 * Makes a payout of every payable balance: what was earned and is held no longer, less what was taken
 * back. One for each partner, currency and kind, if it reaches the threshold. A kind by which more was taken
 * back than earned is made up for by the partner's largest: nobody is paid who owes.
 */
export async function makePayouts(
  tx: Tx,
  now: Date,
  settings: Pick<Settings, 'payoutThresholdCents'>,
  environment: Environment,
  {
    payableBefore = now,
    partnerIds,
    by = null,
  }: {
    payableBefore?: Date
    partnerIds?: string[]
    by?: Pick<Actor, 'name' | 'person'> | null
  } = {},
): Promise<Payout[]> {
  // Held to the end: no other batch, and no reversal, comes between looking and posting.
  await sql`select from commission_balances b where b.environment = ${environment} and ${among('b', partnerIds)}
    order by partner_id, currency for update`.execute(tx)
  const payouts: Payout[] = []
  for (const { first, entries, amount_cents, reaches } of await payableBalances(
    tx,
    settings,
    environment,
    payableBefore,
    partnerIds,
  )) {
    if (reaches) payouts.push(await makePayout(tx, now, first, entries, amount_cents, by))
  }
  return payouts
}

/** What may be paid out to one partner in one currency for one kind of commission. */
interface PayableBalance {
  first: Entry
  entries: Entry[]
  amount_cents: number
  /** Whether it is as much as a payout needs, and nothing keeps it back; what is not waits. */
  reaches: boolean
  /** Its partner is suspended, or is a user who is disabled: it is paid once that has ended. */
  suspended: boolean
}

const earned = sql`e.type in ('accrued', 'reversed')`
const notTakenUp = sql`
  not exists (select 1 from payout_lines l where l.entry_id = e.id and l.active)`

/** A payout that an operator cancelled is made again by hand, or with those of the next month. */
function notCanceledAfter(moment: Date): RawBuilder<unknown> {
  return sql`not exists (
    select 1 from payout_lines l join payouts c on c.id = l.payout_id
    where l.entry_id = e.id and not l.active and c.status = 'canceled' and c.updated_at > ${moment})`
}

/** Of these partners, or of all: whose balance `b`, or entry `e`, it is. */
function among(of: 'b' | 'e', partnerIds: string[] | undefined): RawBuilder<unknown> {
  return partnerIds ? sql`${sql.ref(`${of}.partner_id`)} = any(${partnerIds}::text[])` : sql`true`
}

export async function payableBalances(
  db: Database | Tx,
  settings: Pick<Settings, 'payoutThresholdCents'>,
  environment: Environment,
  payableBefore: Date,
  partnerIds?: string[],
): Promise<PayableBalance[]> {
  const payable = sql`${earned} and e.payable_at <= ${payableBefore} and ${notTakenUp}
    and ${notCanceledAfter(payableBefore)}`
  // Behind what was taken up entry by entry, however the planner would rather read all that was ever earned.
  const { rows } = await sql<Entry & { suspended: boolean }>`
    select due.*, p.status = 'suspended' or u.disabled_at is not null as suspended
    from (
      select new.* from commission_balances b, lateral (
        select * from commission_entries e
        where e.partner_id = b.partner_id and e.environment = b.environment and e.currency = b.currency
          and e.position > b.taken_up_position and ${payable}
        offset 0) as new
      where b.environment = ${environment} and b.last_position > b.taken_up_position
        and ${among('b', partnerIds)}
      union
      select e.* from payout_lines given_back join commission_entries e on e.id = given_back.entry_id
      where not given_back.active and e.environment = ${environment} and ${payable}
        and ${among('e', partnerIds)}) as due
    join partners p on p.id = due.partner_id left join users u on u.id = p.user_id
    order by due.partner_id, due.currency, due.kind, due.position`.execute(db)
  const least = environment === 'live' ? settings.payoutThresholdCents : 1
  const accounts = groupBy(rows, ({ partner_id, currency }) => `${partner_id} ${currency}`)
  return accounts.flatMap((account) =>
    withoutDebts(groupBy(account, ({ kind }) => kind)).flatMap((entries) => {
      const [first] = entries
      if (!first) return []
      const amount_cents = sumOf(entries)
      const { suspended } = first
      return [
        { first, entries, amount_cents, reaches: amount_cents >= least && !suspended, suspended },
      ]
    }),
  )
}

/** Each debt goes to the largest balance, which may be one then itself. */
function withoutDebts<Row extends Entry>(kinds: Row[][]): Row[][] {
  const debts = kinds.filter((entries) => sumOf(entries) < 0)
  const [largest, ...others] = kinds
    .filter((entries) => !debts.includes(entries))
    .toSorted((a, b) => sumOf(b) - sumOf(a))
  if (debts.length === 0 || !largest) return kinds
  return withoutDebts([[...largest, ...debts.flat()], ...others])
}

function groupBy<Row extends Entry>(entries: Row[], keyOf: (entry: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>()
  for (const entry of entries) {
    const group = groups.get(keyOf(entry))
    if (group) group.push(entry)
    else groups.set(keyOf(entry), [entry])
  }
  return [...groups.values()]
}

function sumOf(entries: Entry[]): number {
  return entries.reduce((sum, { amount_cents }) => sum + amount_cents, 0)
}

async function makePayout(
  tx: Tx,
  now: Date,
  { partner_id, environment, currency, kind }: Entry,
  entries: Entry[],
  amount_cents: number,
  by: Pick<Actor, 'name' | 'person'> | null,
): Promise<Payout> {
  const payout: Payout = {
    id: newId('po', now),
    partner_id,
    environment,
    currency,
    kind,
    amount_cents,
    status: 'pending',
    reason: null,
    created_at: now,
    updated_at: now,
    paid_at: null,
    batch_id: null,
    created_by: by?.name ?? null,
    created_by_person: by?.person ?? null,
    approved_by: null,
    approved_at: null,
    transfer_ref: null,
    attempts: 0,
    due_at: null,
  }
  await tx.insertInto('payouts').values(payout).execute()
  await sql`
    insert into payout_lines (payout_id, entry_id, active)
    select ${payout.id}, id, true from unnest(${entries.map(({ id }) => id)}::text[]) as e (id)`.execute(
    tx,
  )
  const partner = partnerOf(payout)
  await tx.executeQuery(
    postCommissions(tx, now, partner, currency, linesOf(payout, entries, 'pending')),
  )
  await takeUpTo(tx, partner, currency, await lastTakenUp(tx, partner, currency))
  return payout
}

/** The position before the first commission that no payout has taken up: one that is held, or is too small. */
async function lastTakenUp(
  tx: Tx,
  { partnerId, environment }: Partner,
  currency: string,
): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    select coalesce(
      (select e.position - 1 from commission_entries e
      where e.partner_id = b.partner_id and e.environment = b.environment and e.currency = b.currency
        and e.position > b.taken_up_position and ${earned} and ${notTakenUp}
      order by e.position limit 1),
      b.last_position) as position
    from commission_balances b
    where partner_id = ${partnerId} and environment = ${environment} and currency = ${currency}`.execute(
    tx,
  )
  const [head] = rows
  if (!head) throw new Error(`${partnerId} has no balance of commissions`)
  return head.position
}

/** The movements of a payout's lines: to their place in it, or out to the partner. */
export function linesOf(
  payout: Payout,
  entries: Pick<Entry, 'id' | 'kind' | 'sale_id' | 'amount_cents'>[],
  type: 'pending' | 'paid_out',
) {
  return entries.map((entry) => ({
    type,
    kind: entry.kind,
    saleId: entry.sale_id,
    cents: entry.amount_cents,
    payoutId: payout.id,
    entryId: entry.id,
  }))
}

/** Of so many partners at once it is asked what is payable. */
const PARTNERS = 200

/**
 * Once a month, of what was payable before it began (UTC), and was not cancelled since. Each partner's by itself:
 * what earns a commission waits for a balance that is being paid out, and one that cannot be keeps no other from
 * being paid. The sandbox's are made by hand.
 */
export const monthlyPayouts: Job = {
  name: 'monthly_payouts',
  everyMs: HOUR,
  async run(app, signal) {
    const { db, clock, settings } = app
    if (settings.payoutSchedule !== 'monthly') return
    const now = clock.now()
    const month = monthStart(now)
    for (let last: string | undefined = ''; last !== undefined && !signal.aborted; ) {
      const some = await partnersAfter(db, last)
      const balances = await payableBalances(db, settings, 'live', month, some)
      const reaching = balances.filter(({ reaches }) => reaches)
      for (const id of new Set(reaching.map(({ first }) => first.partner_id))) {
        if (signal.aborted) return
        await inTransaction(app, (tx) =>
          makePayouts(tx, now, settings, 'live', { payableBefore: month, partnerIds: [id] }),
        ).catch((error: unknown) => {
          app.log.error({ err: error, partner_id: id }, 'payouts: a partner was left out')
        })
      }
      last = some.at(-1)
    }
  },
}

/** Partners who earn, or once did, in the order of their ids. */
async function partnersAfter(db: Database, last: string): Promise<string[]> {
  const rows = await db
    .selectFrom('commission_balances')
    .select('partner_id')
    .distinct()
    .where('environment', '=', 'live')
    .where('partner_id', '>', last)
    .orderBy('partner_id')
    .limit(PARTNERS)
    .execute()
  return rows.map(({ partner_id }) => partner_id)
}
