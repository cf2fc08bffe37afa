import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import type { UserRead, UserWrite } from '../../core/operation.ts'
import { checkClaimsNow } from '../../domain/domains/check-claims.ts'
import { claimDomains } from '../../domain/domains/claim-domains.ts'
import { listClaims } from '../../domain/domains/list-claims.ts'
import { parseInput } from '../../http/input.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import type { PageContext, signedInPages } from '../layout/page-context.ts'
import { sendAccountPage } from './account-page.tsx'
import { CLAIMS, Claims } from './claims.tsx'
import { serveSell } from './serve-sell.tsx'

/** What a user says is theirs: the list, adding to it, one by one or by a file, and looking for proof. */
export function serveClaims(
  pages: ReturnType<typeof signedInPages>,
  app: AppContext,
  web: Web,
): void {
  const { settings } = app
  serveSell(pages, app, web)
  pages.formsOf(CLAIMS, `${CLAIMS}/check`)
  pages.get(CLAIMS, (page) => showClaims(page))

  pages.post(CLAIMS, async (page) => {
    const text = page.form.get('domains') ?? ''
    const domains = text.split(/[\s,]+/).filter(Boolean)
    try {
      const { value } = await run(page, claimDomains, { domains })
      const failed = value.claims.filter(({ error }) => error)
      if (failed.length === 0) return page.goOn(CLAIMS, `Added: ${value.claims.length}.`)
      const rest = failed.map(({ domain }) => domain).join('\n')
      const problem = failed.map(({ domain, error }) => problemOf(domain, error?.message)).join(' ')
      return await showClaims(page, { text: rest, problem })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return await showClaims(page, { text, problem: errorText(error) })
    }
  })

  pages.post(`${CLAIMS}/check`, async (page) => {
    const domains = [page.form.get('domain') ?? '']
    const { value } = await run(page, checkClaimsNow, { domains })
    const [claim] = value.claims
    const isProven = claim?.status === 'verified'
    const text = isProven ? `${claim.domain} is verified.` : (claim?.problem ?? 'Not proven yet.')
    return page.goOn(CLAIMS, text)
  })

  async function showClaims(
    page: PageContext,
    rejected?: { text: string; problem: string },
  ): Promise<FastifyReply> {
    const { cursor } = page.query
    const { value } = await run(page, listClaims, { ...(cursor !== undefined && { cursor }) })
    return sendAccountPage(
      page,
      { title: 'Add domains', at: CLAIMS, status: rejected === undefined ? 200 : 400 },
      <Claims
        list={{ path: CLAIMS, rows: value.claims, cursor, next: value.next_cursor }}
        nameservers={settings.marketplaceNameservers}
        text={rejected?.text ?? ''}
        problem={rejected?.problem}
      />,
    )
  }

  async function run<I extends z.ZodObject, O extends z.ZodType>(
    { session, now, request }: PageContext,
    operation: UserRead<I, O> | UserWrite<I, O>,
    input: object,
  ) {
    return await web.execute(operation, {
      caller: { kind: 'user', subject: session.user.id, via: 'session' },
      now,
      requestId: request.id,
      input: () => parseInput(operation, input),
    })
  }
}

/** One sentence, for there may be many: `"a b" is not a domain name such as example.com.` */
function problemOf(domain: string, message = 'cannot be added'): string {
  const text = message.replace(/^domain: /, `"${domain}" `).replace(/\.$/, '')
  return text.includes(domain) ? `${text}.` : `${domain}: ${text}.`
}
