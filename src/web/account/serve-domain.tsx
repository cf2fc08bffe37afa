import { nameText } from 'domain-marketplace-domain-names'
import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import type { FastifyReply } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { dateOf } from '../../core/fields.ts'
import { describeName } from '../../domain/domains/describe-listing.ts'
import { findOwnedDomain } from '../../domain/domains/find-owned-domain.ts'
import { type NameDay, readNameDays } from '../../domain/listings/name-days.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { after, DAY } from '../../lib/clock.ts'
import { errorText, fieldText } from '../components/humanize.ts'
import type { PageContext, signedInPages } from '../layout/page-context.ts'
import { ACCOUNT, sendAccountPage } from './account-page.tsx'
import { DomainPage, domainPath } from './domain-page.tsx'

const SHOWN_DAYS = 30

/** A page for each of a user's domains. */
export function serveDomain(
  pages: ReturnType<typeof signedInPages>,
  { db, settings }: AppContext,
  web: Web,
): void {
  pages.get('/account/domains/:name', (page) => show(page))

  pages.get('/account/domains/:name/description', async (page) =>
    page.goOn(domainPath(page.params.name ?? '')),
  )

  pages.post('/account/domains/:name/description', async (page) => {
    const { session, form, now, request, params } = page
    const text = form.get('description') ?? ''
    const domain = params.name ?? ''
    try {
      await web.execute(describeName, {
        caller: { kind: 'page', user: session.user, partner: null },
        now,
        requestId: request.id,
        input: () => parseInput(describeName, { domain, description: text }),
      })
      return page.goOn(domainPath(domain), 'Saved. Buyers read it from now on.')
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const issue = error.issues.find(({ field }) => field === 'description')
      const problem = issue ? fieldText(issue, 'It') : errorText(error)
      return await show(page, { text, problem, status: error.status })
    }
  })

  async function show(
    page: PageContext,
    rejected?: { text: string; problem: string; status: number },
  ): Promise<FastifyReply> {
    const { session, now, params } = page
    const owned = await findOwnedDomain(db, now, session.user.id, params.name ?? '')
    if (!owned) throw notFound('domain')
    const first = after(now, -(SHOWN_DAYS - 1) * DAY)
    // What its owner before them did on the market is not theirs to see.
    const from = owned.created_at > first ? owned.created_at : first
    const counted = await readNameDays(db, owned.domain, from)
    return sendAccountPage(
      page,
      {
        title: nameText(owned.domain),
        at: ACCOUNT,
        status: rejected?.status ?? 200,
      },
      <DomainPage
        owned={owned}
        days={daysFrom(first, counted)}
        records={{
          domain: owned.domain,
          host: new URL(settings.baseUrl).hostname.replace(/^\[|\]$/g, ''),
        }}
        isServed={!isLoopbackUrl(settings.baseUrl)}
        problem={rejected?.problem}
        text={rejected?.text ?? owned.description ?? ''}
      />,
    )
  }
}

/** Each day, whether or not anybody looked. */
function daysFrom(first: Date, counted: NameDay[]): NameDay[] {
  const known = new Map(counted.map((day) => [day.date, day]))
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const date = dateOf(after(first, index * DAY))
    return known.get(date) ?? { date, page_views: 0, lander_views: 0, leads: 0 }
  })
}
