import type { ComponentChildren } from 'preact'
import { describeStep } from '../../domain/brokerage/case-texts.ts'
import { showCase } from '../../domain/brokerage/operate-case.ts'
import { partnerNames } from '../../domain/partners/partner.ts'
import { type ForSaleOffer, readForSale } from '../../domain/registry/for-sale.ts'
import { amount } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { OwnersOffer } from '../components/owners-offer.tsx'
import { At, Facts, Heading, Id, Status } from '../components/parts.tsx'
import { CASE_ACTIONS, type CaseDetail, CaseWork } from './case-work.tsx'
import type { ConsoleContext, ConsolePage } from './page.ts'
import { PartnerLink } from './parts.tsx'

type Names = ReadonlyMap<string, string>

/** One brokerage case: what it is, what a broker can do, and what happened. */
export const casePage: ConsolePage = {
  path: '/operator/cases/:case_id',
  title: 'Case',
  actions: CASE_ACTIONS,
  async render(page) {
    const row = await page.read(showCase, { case_id: page.params.case_id })
    const [names, offer] = await Promise.all([
      partnerNames(page.app.db, [row.partner_id]),
      row.environment === 'live' ? readForSale(page.app, row.domain) : null,
    ])
    return {
      title: row.domain,
      environment: row.environment,
      body: (
        <>
          <Heading title={<Name domain={row.domain} />}>
            <Status text={row.status} />
          </Heading>
          <div class="columns">
            <Details page={page} row={row} names={names} offer={offer} />
            <CaseWork page={page} row={row} />
          </div>
          <div class="columns">
            <section>
              <h2>Timeline</h2>
              <ol class="history">
                {row.timeline.toReversed().map((step) => (
                  <li>
                    <At at={step.at} /> {brokerView(describeStep(step, row.currency))}
                    {step.note !== null && <p>{step.note}</p>}
                  </li>
                ))}
              </ol>
            </section>
            <section>
              <h2>Internal notes</h2>
              {row.notes.length === 0 && (
                <p class="soft">No notes yet. Buyers and partners cannot see them.</p>
              )}
              <ol class="history">
                {row.notes.toReversed().map(({ text, created_at }) => (
                  <li>
                    <At at={created_at} />
                    <p>{text}</p>
                  </li>
                ))}
              </ol>
            </section>
          </div>
        </>
      ),
    }
  },
}

function Details({
  page,
  row,
  names,
  offer,
}: {
  page: ConsoleContext
  row: CaseDetail
  names: Names
  /** What its owner says in DNS. */
  offer: ForSaleOffer | null
}) {
  const { currency, progress_url } = row
  const facts: ([string, ComponentChildren] | false)[] = [
    offer !== null && ['The owner’s own offer', <OwnersOffer offer={offer} />],
    ['Case', <Id id={row.case_id} />],
    ['Partner', <PartnerLink page={page} id={row.partner_id} names={names} />],
    ['Service', row.tier === 'managed' ? 'managed' : 'self-serve'],
    ['Broker', row.assignee ?? 'unassigned'],
    ['Buyer', row.buyer_email],
    ['Budget', amount(row.budget, currency)],
    ['Agreed price', amount(row.price_cents, currency)],
    row.commission_cents !== null && ['Commission', amount(row.commission_cents, currency)],
    ['Note', row.note ?? '–'],
    ['Buyer’s page', progress_url === null ? 'no link' : <a href={progress_url}>open</a>],
    ['Opened', <At at={row.created_at} />],
  ]
  return (
    <section class="panel roomy">
      <h2>Case</h2>
      <Facts facts={facts.filter((fact) => fact !== false)} />
      <p class="soft">
        <a href={page.href('/operator/audit', { subject: row.case_id })}>Audit log of this case</a>
      </p>
    </section>
  )
}

/** Steps are described to the buyer, as “you”. */
function brokerView(text: string): string {
  return text
    .replace(/^You ended/, 'The buyer ended')
    .replace(/^You raised your/, 'The buyer raised the')
    .replace(/^You\b/, 'The buyer')
}
