import { nameText } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { isRunning, readOffers } from '../../domain/brokerage/case.ts'
import { actForBuyer, type BuyersAct, findByToken } from '../../domain/brokerage/progress.ts'
import { PROGRESS_PATH } from '../../domain/brokerage/progress-link.ts'
import { readForSale } from '../../domain/registry/for-sale.ts'
import type { Web } from '../../http/web.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { parseAmount } from '../components/money.ts'
import { sendPage } from '../layout/frame.tsx'
import { type Message, type Sent, serveLinkPages } from '../layout/serve-link-pages.ts'
import { CasePage } from './page.tsx'

/** What is said once an act is done. */
const DONE: Record<BuyersAct['act'], string> = {
  offer: 'Your offer is on its way.',
  accept: 'You accepted the offer.',
  reject: 'You turned the offer down.',
  budget: 'Your budget is raised.',
  cancel: 'The search is ended.',
}
const MAX_MESSAGE = 1_000

/** The buyer's page of a brokerage case: anyone who has its link sees it, without a login. */
export function serveCasePages(fastify: FastifyInstance, app: AppContext, web: Web): void {
  serveLinkPages(fastify, app, web, {
    path: PROGRESS_PATH,
    operation: 'case_page',
    find: (token) => findByToken(app.db, token),
    async perform(call, token, sent) {
      const { act, seen } = readAct(sent.act, sent.form)
      await web.execute(actForBuyer, { ...call, input: () => ({ token, seen, act }) })
      return DONE[act.act]
    },
    tells: ({ code }) => code !== 'not_found',
    show,
  })

  async function show(
    reply: FastifyReply,
    token: string,
    message?: Message,
    sent?: Sent,
  ): Promise<FastifyReply> {
    const row = await findByToken(app.db, token)
    const isAsked = row.environment === 'live' && isRunning(row)
    const [offers, published] = await Promise.all([
      readOffers(app.db, row.case_id),
      isAsked ? readForSale(app, row.domain) : null,
    ])
    return sendPage(
      reply,
      { title: nameText(row.domain), status: message?.status ?? 200, hidden: true },
      <CasePage
        row={row}
        offers={offers}
        published={published}
        action={`${PROGRESS_PATH}/${token}`}
        message={message}
        sent={sent}
      />,
    )
  }
}

function readAct(act: string, form: URLSearchParams): { act: BuyersAct; seen: number } {
  const seen = Number(form.get('seen') ?? Number.NaN)
  const consented = form.get('consent') === 'yes'
  const offer_id = form.get('offer_id') ?? ''
  switch (act) {
    case 'offer': {
      const price_cents = readAmount(form.get('amount'))
      return { seen, act: { act: 'offer', price_cents, message: readMessage(form), consented } }
    }
    case 'accept':
      return { seen, act: { act: 'accept', offer_id, consented } }
    case 'reject':
      return { seen, act: { act: 'reject', offer_id } }
    case 'budget':
      return { seen, act: { act: 'budget', budget: readAmount(form.get('amount')) } }
    case 'cancel':
      return { seen, act: { act: 'cancel' } }
    default:
      throw new ApiError('not_found', 'There is nothing at this path.')
  }
}

function readAmount(text: string | null): number {
  const cents = parseAmount(text ?? '', HOME_CURRENCY)
  if (cents !== null) return cents
  throw new ApiError(
    'validation_error',
    'Write the amount in dollars, such as 4500 or 4,500.50: above zero, and without other signs.',
  )
}

function readMessage(form: URLSearchParams): string | null {
  const text = (form.get('message') ?? '').replace(/\r\n?/g, '\n').trim()
  if (text.length > MAX_MESSAGE) {
    throw new ApiError('validation_error', `The message may have ${MAX_MESSAGE} characters.`)
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it takes out
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ') || null
}
