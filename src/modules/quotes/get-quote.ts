import { z } from 'zod'
import { notFound } from '../../kernel/errors.ts'
import { partnerRead } from '../../kernel/operation.ts'
import { findQuote, QuoteView, viewQuote } from './quote.ts'

export const getQuote = partnerRead({
  name: 'get_quote',
  summary: 'One of your quotes',
  method: 'GET',
  path: '/quotes/{quote_id}',
  scope: 'buy',
  input: z.object({ quote_id: z.string() }),
  output: QuoteView,
  status: 200,
  errors: ['not_found'],
  async handler({ db, now, house, partner }, { quote_id }) {
    const quote = await findQuote(db, house, partner, quote_id)
    if (!quote) throw notFound('quote')
    return viewQuote(house, quote, now)
  },
})
