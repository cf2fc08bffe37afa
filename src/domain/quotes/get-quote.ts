import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { idField } from '../../core/fields.ts'
import { partnerRead } from '../../core/operation.ts'
import { findQuote, QuoteView, viewQuote } from './quote.ts'

export const getQuote = partnerRead({
  name: 'get_quote',
  tag: 'Quotes',
  summary: 'Get a quote',
  description:
    'Returns one of your quotes, whatever its status. Use it to see whether a reservation still stands before you ' +
    'take a payment.',
  method: 'GET',
  path: '/quotes/{quote_id}',
  scope: 'buy',
  input: z.object({
    quote_id: idField('qt').describe('The `quote_id` of the quote to get, or its `quote_token`.'),
  }),
  output: QuoteView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, now, app, partner }, { quote_id }) {
    const quote = await findQuote(db, app, partner, quote_id)
    if (!quote) throw notFound('quote')
    return viewQuote(app, quote, now)
  },
})
