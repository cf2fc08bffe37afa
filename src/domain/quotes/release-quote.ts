import { z } from 'zod'
import { conflict, notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerWrite } from '../../core/operation.ts'
import { dropReservation } from '../listings/listing.ts'
import { closeQuote, findQuote, QuoteView, viewQuote } from './quote.ts'

/** Lets go of the reservation. A quote that is released or lapsed already is returned as it is. */
export const releaseQuote = partnerWrite({
  name: 'release_quote',
  tag: 'Quotes',
  summary: 'Release a quote',
  description:
    'Ends the reservation of a quote before it expires, so that the domain is for sale to everyone again. Use it when a ' +
    'buyer gives up. A quote that was released or has expired is returned as it is; one that an ' +
    'order used gives `conflict`.',
  method: 'DELETE',
  path: '/quotes/{quote_id}',
  scope: 'buy',
  example: { output: { status: 'released' } },
  input: z.object({
    quote_id: idField('qt').describe(
      'The `quote_id` of the quote to release, or its `quote_token`.',
    ),
  }),
  output: QuoteView,
  status: 200,
  errors: ['not_found', 'conflict'],
  async handler({ tx, now, app, partner }, { quote_id }) {
    const found = await findQuote(tx, app, partner, quote_id)
    if (!found) throw notFound('quote')
    // The listing first, as everyone does who reserves or sells.
    await dropReservation(tx, { ...partner, domain: found.domain }, found.id)
    const closed = await tx.executeQuery(closeQuote({ id: found.id, status: 'released', now }))
    const released = closed.rows.length > 0
    const quote = released
      ? { ...found, status: 'released' as const }
      : await findQuote(tx, app, partner, found.id)
    if (!quote || quote.status === 'consumed')
      throw conflict('quote_used', 'This quote was used by an order.')
    return viewQuote(app, quote, now)
  },
})
