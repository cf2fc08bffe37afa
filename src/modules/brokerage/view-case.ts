import type { z } from 'zod'
import type { House } from '../../kernel/house.ts'
import { type Case, type CaseView, type Offer, summarizeCase, viewOffer } from './case.ts'
import { progressUrl } from './progress-link.ts'

/** A case as its partner sees it. */
export function viewCase(
  house: Pick<House, 'secrets' | 'settings'>,
  row: Case,
  offers: Offer[],
): z.output<typeof CaseView> {
  return {
    ...summarizeCase(row),
    buyer_email: row.buyer_email,
    note: row.note,
    progress_url: progressUrl(house, row),
    offers: offers.map(viewOffer),
    timeline: row.timeline.map(({ at, type, status, by, price_cents, note }) => ({
      at,
      type,
      status,
      by,
      price_cents,
      note,
    })),
  }
}
