import type { FastifyReply } from 'fastify'
import { type ApiError, invalid } from '../../core/errors.ts'
import { openCase } from '../../domain/brokerage/open-case.ts'
import { TIERS } from '../../domain/events/event-view.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { Field, Once, Select, TextArea } from '../components/form.tsx'
import { errorText } from '../components/humanize.ts'
import { parseAmount } from '../components/money.ts'
import { Heading } from '../components/parts.tsx'
import { issueWith, type Portal, type PortalContext } from './portal.tsx'

const WHO: Record<(typeof TIERS)[number], string> = {
  managed: 'managed: the broker negotiates',
  self_serve: 'self serve: the buyer negotiates',
}

/** What `POST /brokerage` takes, as a form. */
export function serveNewCase(portal: Portal): void {
  portal.get('/cases/new', (page) => showForm(page))
  portal.post(
    '/cases',
    async (page) => {
      const { form, base } = page
      const budget = parseAmount(form.get('budget') ?? '', HOME_CURRENCY)
      if (budget === null) {
        throw invalid({ field: 'budget', issue: 'must be an amount such as 500 or 1,250.00' })
      }
      const { case_id } = await portal.perform(page, openCase, {
        domain: form.get('domain')?.trim() ?? '',
        tier: form.get('tier') ?? '',
        buyer_email: form.get('buyer_email')?.trim() ?? '',
        budget,
        note: form.get('note')?.replace(/\r\n?/g, '\n').trim() ?? '',
      })
      return page.goOn(
        `${base}/cases/${case_id}`,
        'The case is open, and the buyer has been notified.',
      )
    },
    (page, problem) => showForm(page, problem, page.form),
  )

  async function showForm(
    page: PortalContext,
    problem?: ApiError,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const written = (name: string) => ({
      name,
      value: form?.get(name) ?? '',
      problem: issueWith(problem, name),
    })
    const domain = written('domain')
    return portal.show(
      page,
      { title: 'Open a case', at: '/cases', problem },
      <>
        <Heading title="Open a case" />
        <form method="post" action={`${page.base}/cases`} class="narrow">
          <Once />
          <Field
            label="Domain"
            {...domain}
            // What else stands in the way of a case is about its domain.
            problem={problem?.code === 'conflict' ? errorText(problem) : domain.problem}
            hint="One that is not for sale: a broker asks its owner."
            required
          />
          <Select
            label="Tier"
            {...written('tier')}
            options={TIERS.map((tier) => [tier, WHO[tier]])}
          />
          <Field
            label="The buyer’s e-mail address"
            type="email"
            hint="They get a link to a page where they follow the case."
            {...written('buyer_email')}
            maxlength={254}
            required
          />
          <Field
            label="Budget in USD"
            inputmode="decimal"
            hint="The most that the buyer would pay."
            {...written('budget')}
            required
          />
          <TextArea label="Note to the broker" {...written('note')} rows={3} maxlength={2000} />
          <button type="submit">Open the case</button>
        </form>
      </>,
    )
  }
}
