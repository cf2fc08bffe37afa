import { ApiError, notFound } from '../../core/errors.ts'
import { RESPONSES } from '../../domain/offers/move-offer.ts'
import type { Offer } from '../../domain/offers/offer.ts'
import { MAX_MESSAGE } from '../../domain/offers/view-offer.ts'
import { parseAmount } from '../components/money.ts'

const MOVES = [...RESPONSES, 'withdraw'] as const
export type PageMove = (typeof MOVES)[number]

const DONE: Record<PageMove, string> = {
  accept: 'You accepted.',
  counter: 'Your response is on its way.',
  decline: 'You declined.',
  withdraw: 'Your offer is withdrawn.',
}

/** What is said once a response is sent, by what it made of the offer. */
export function doneText(move: PageMove, status: Offer['status']): string {
  return move === 'counter' && status === 'accepted' ? 'Your offer is accepted.' : DONE[move]
}

/** What an amount is rejected with, for those who may not see the price of the name. */
export function withoutPrice(error: ApiError): ApiError {
  if (error.code !== 'price_mismatch') return error
  return new ApiError('price_mismatch', 'The price is lower than that. Buy it at its price.', {
    details: { field: 'amount_cents' },
  })
}

/** A response as a form of ours sends it; `currency` is the offer's. */
export function readMove(act: string | undefined, form: URLSearchParams, currency: string) {
  const move = MOVES.find((each) => each === act)
  if (!move) throw notFound('response')
  return {
    move,
    seen: Number(form.get('seen') ?? Number.NaN) || 0,
    amount_cents: move === 'counter' ? readAmount(form.get('amount'), currency) : null,
    message: readMessage(form),
  }
}

function readAmount(text: string | null, currency: string): number {
  const cents = parseAmount(text ?? '', currency)
  if (cents !== null) return cents
  throw new ApiError('validation_error', 'Write an amount such as 500 or 1,250.00.')
}

function readMessage(form: URLSearchParams): string | null {
  const text = (form.get('message') ?? '').replace(/\r\n?/g, '\n').trim()
  if (text.length > MAX_MESSAGE) {
    throw new ApiError('validation_error', 'The message may have 2,000 characters at most.')
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it takes out
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ') || null
}
