import { z } from 'zod'
import { conflict, notFound } from '../../kernel/errors.ts'
import { partnerWrite } from '../../kernel/operation.ts'
import { dropReservation } from '../inventory/listing.ts'
import { closeQuote, findQuote, QuoteView, viewQuote } from './quote.ts'

/** Lets go of the reservation. A quote that is released or lapsed already is answered as it is. */
export const releaseQuote = partnerWrite({
  name: 'release_quote',
  summary: 'Release a quote before it lapses',
  method: 'DELETE',
  path: '/quotes/{quote_id}',
  scope: 'buy',
  input: z.object({ quote_id: z.string() }),
  output: QuoteView,
  status: 200,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now, house, partner }, { quote_id }) {
    const found = await findQuote(tx, house, partner, quote_id)
    if (!found) throw notFound('quote')
    // The listing first, as everyone does who reserves or sells.
    await dropReservation(tx, found, found.id)
    const closed = await tx.executeQuery(closeQuote({ id: found.id, status: 'released', now }))
    const released = closed.rows.length > 0
    const quote = released
      ? { ...found, status: 'released' as const }
      : await findQuote(tx, house, partner, found.id)
    if (!quote || quote.status === 'consumed') throw conflict('This quote was used by an order.')
    return viewQuote(house, quote, now)
  },
})
