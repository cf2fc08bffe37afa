import type { Partner } from '../../core/caller.ts'
import type { Tx } from '../../core/operation.ts'
import { after, MINUTE } from '../../lib/clock.ts'

type Reader = Pick<Tx, 'selectFrom'>

/** Transactions that ran at once may commit in another order than their moments: by less than this. */
const SLACK_MS = MINUTE

/**
 * Between which positions the events of a span of time are: behind `above`, up to `last`. Some around them
 * are of other times, so the time is asked for as well. Positions follow commits and so, nearly, time: a
 * binary search finds them among any number of events, without an index of its own.
 */
export async function historySpan(
  db: Reader,
  partner: Partner,
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
): Promise<{ above: number; last: number }> {
  const stream = await db
    .selectFrom('event_streams')
    .select('last_position')
    .where('partner_id', '=', partner.partnerId)
    .where('environment', '=', partner.environment)
    .executeTakeFirst()
  const end = stream?.last_position ?? 0
  return {
    above: from ? (await firstSince(db, partner, after(from, -SLACK_MS), end)) - 1 : 0,
    last: to ? (await firstSince(db, partner, after(to, SLACK_MS), end)) - 1 : end,
  }
}

/** The position of the first event at or after the moment; behind the last one when there is none. */
async function firstSince(
  db: Reader,
  { partnerId, environment }: Partner,
  moment: Date,
  end: number,
): Promise<number> {
  let [low, high] = [1, end + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const event = await db
      .selectFrom('events')
      .select(['position', 'created_at'])
      .where('partner_id', '=', partnerId)
      .where('environment', '=', environment)
      .where('position', '>=', middle)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    if (!event || event.created_at >= moment) high = middle
    else low = event.position + 1
  }
  return low
}
