import { z } from 'zod'
import { ApiError, conflict } from '../../core/errors.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'
import { money } from '../../lib/money.ts'
import { type Case, readOffers } from './case.ts'
import { answerOffer, makeOffer, raiseBudget } from './offers.ts'
import { hashOf } from './progress-link.ts'
import { type MoveContext, moveCase } from './status.ts'

/** What a buyer can do on the page of a self-serve case. */
export type BuyersAct =
  | { act: 'offer'; price_cents: number; message: string | null; consented: boolean }
  | { act: 'accept'; offer_id: string; consented: boolean }
  | { act: 'reject'; offer_id: string }
  | { act: 'budget'; budget: number }
  | { act: 'cancel' }

/** The case that a progress link opens. */
export async function findByToken(db: Database, token: string): Promise<Case> {
  return known(await byToken(db, token)?.executeTakeFirst())
}

/**
 * Does what the buyer asked for on the page as they saw it. `seen` is how many steps the page showed: what
 * was decided before the case moved on is rejected, and so is the same form sent twice.
 */
export const actForBuyer = pageWrite({
  name: 'act_for_buyer',
  input: z.object({ token: z.string(), seen: z.number(), act: z.custom<BuyersAct>() }),
  output: z.null(),
  async handler(context, { token, seen, act }) {
    await actOn(context, token, seen, act)
    return null
  },
})

async function actOn(
  context: MoveContext,
  token: string,
  seen: number,
  act: BuyersAct,
): Promise<Case> {
  const row = known(await byToken(context.tx, token)?.forUpdate().executeTakeFirst())
  if (row.tier !== 'self_serve') {
    throw conflict(
      'not_applicable',
      'Your broker acts for you in this search: write to them instead.',
    )
  }
  if (row.timeline.length !== seen) {
    throw conflict(
      'changed_meanwhile',
      'The search moved on after you opened this page. Look again before you decide.',
    )
  }
  switch (act.act) {
    case 'offer': {
      const { price_cents, message, consented } = act
      if (!consented) askForConsent(row, price_cents)
      return makeOffer(context, row, {
        made_by: 'buyer',
        price_cents,
        message,
        buyer_consented: consented,
      })
    }
    case 'accept': {
      const offer = (await readOffers(context.tx, row.case_id)).find(
        ({ offer_id }) => offer_id === act.offer_id,
      )
      if (offer && !act.consented) askForConsent(row, offer.price_cents)
      return answerOffer(context, row, act.offer_id, 'accept', {
        by: 'buyer',
        buyer_consented: act.consented,
      })
    }
    case 'reject':
      return answerOffer(context, row, act.offer_id, 'reject', { by: 'buyer' })
    case 'budget':
      return raiseBudget(context, row, act.budget)
    default:
      return moveCase(context, row, 'cancel', { by: 'buyer' })
  }
}

/** The budget guard in the words of the page, where a box is the buyer's word. */
function askForConsent(row: Case, priceCents: number): void {
  if (priceCents <= row.budget) return
  const [price, budget] = [money(priceCents, row.currency), money(row.budget, row.currency)]
  throw conflict(
    'above_budget',
    `${price} is above your budget of ${budget}. Tick the box to say that you mean it, or raise your budget.`,
  )
}

function byToken(db: Pick<Tx, 'selectFrom'>, token: string) {
  if (!/^[0-9a-f]{64}$/.test(token)) return undefined
  return db.selectFrom('brokerage_cases').selectAll().where('progress_hash', '=', hashOf(token))
}

function known(row: Case | undefined): Case {
  if (row) return row
  throw new ApiError(
    'not_found',
    'This link is invalid or has expired. Ask the person who gave it to you for a new one.',
  )
}
