import { nameText } from 'domain-marketplace-domain-names'
import { operateCase, type showCase } from '../../domain/brokerage/operate-case.ts'
import { operatorRenewsLink, operatorRevokesLink } from '../../domain/brokerage/renew-link.ts'
import { RUNNING, UNAGREED } from '../../domain/brokerage/status.ts'
import {
  assignCase,
  noteCase,
  recordAnswer,
  recordContact,
  recordOffer,
} from '../../domain/brokerage/work-case.ts'
import { unitsOf } from '../../lib/money.ts'
import { status, text, time } from '../components/columns.tsx'
import { Check } from '../components/form.tsx'
import { stateText } from '../components/humanize.ts'
import { Table } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { Empty } from '../components/parts.tsx'
import { action, type ConsoleContext } from './page.ts'
import { type Choice, Choices, Do, Form } from './parts.tsx'

export type CaseDetail = Awaited<ReturnType<typeof showCase.handler>>

interface Props {
  page: ConsoleContext
  row: CaseDetail
}

export const CASE_ACTIONS = [
  action({
    operation: operateCase,
    done: ({ domain, status }) => `The case of ${nameText(domain)} is now ${stateText(status)}.`,
  }),
  action({
    operation: assignCase,
    done: ({ assignee }) =>
      assignee === null ? 'The case is unassigned.' : `The case is assigned to ${assignee}.`,
    emptied: ['assignee'],
  }),
  action({ operation: noteCase, done: () => 'Note saved.' }),
  action({ operation: recordContact, done: () => 'Contact attempt recorded.' }),
  action({ operation: recordOffer, done: () => 'Offer recorded.' }),
  action({
    operation: recordAnswer,
    done: ({ status }) => `Response recorded. The case is ${stateText(status)}.`,
  }),
  action({ operation: operatorRenewsLink, done: () => 'The buyer has a new link.' }),
  action({ operation: operatorRevokesLink, done: () => 'The buyer’s link no longer works.' }),
]

const END = 'End the case? It cannot be reopened.'
const OVER_BUDGET = 'The buyer agreed to a price above the budget'

/** What is open to a case in each state; the rest would be rejected. */
const MOVES: Record<string, Choice[]> = {
  open: [['source', 'Start looking for the owner']],
  sourcing: [
    ['contact', 'Owner contacted'],
    ['no-contact', 'Owner not found', END],
  ],
  contacted: [
    ['negotiate', 'Start negotiating'],
    ['decline', 'Owner declined', END],
    ['no-contact', 'No response', END],
  ],
  negotiating: [
    ['agree', 'Price agreed'],
    ['decline', 'Owner declined', END],
  ],
  agreed: [
    ['complete', 'Complete deal', 'Is the deal complete? This books the commission for good.'],
    ['decline', 'Deal fell through', END],
  ],
}
const PRICED = ['negotiating', 'agreed']

/** What a broker does on a case: assign it, move it on, record offers and contact attempts, take notes. */
export function CaseWork({ page, row }: Props) {
  const { case_id } = row
  const isRunning = RUNNING.includes(row.status)
  return (
    <section class="panel roomy">
      <h2>Next steps</h2>
      {isRunning ? (
        <>
          <Assign page={page} row={row} />
          <Moves page={page} row={row} />
        </>
      ) : (
        <p class="soft">This case has ended.</p>
      )}
      <Offers page={page} row={row} />
      {isRunning && (
        <Form
          page={page}
          does={recordContact}
          given={{ case_id }}
          collapsed="Record a contact attempt"
          fields={{ channel: 'Channel', text: 'Internal note' }}
          submit="Record attempt"
        />
      )}
      <Form
        page={page}
        does={noteCase}
        given={{ case_id }}
        collapsed="Add a note"
        fields={{ text: 'Internal note' }}
        submit="Save note"
      />
      <details>
        <summary>Buyer’s link</summary>
        <p class="soft">
          A new link replaces the old one. Without a link, the buyer’s page is closed.
        </p>
        <div class="actions">
          <Do does={operatorRenewsLink} fields={{ case_id }} label="Create new link" />
          {row.progress_url !== null && (
            <Do does={operatorRevokesLink} fields={{ case_id }} label="Revoke link" kind="danger" />
          )}
        </div>
      </details>
    </section>
  )
}

function Assign({ page, row: { case_id, assignee } }: Props) {
  const me = page.session.user.email
  return (
    <div class="actions">
      {assignee !== me && (
        <Do
          does={assignCase}
          fields={{ case_id, assignee: me }}
          label={assignee === null ? 'Assign to me' : 'Reassign to me'}
          kind="main"
        />
      )}
      {assignee !== null && (
        <Do does={assignCase} fields={{ case_id, assignee: '' }} label="Unassign" />
      )}
    </div>
  )
}

function Moves({ page, row: { case_id, status, price_cents, currency } }: Props) {
  const isPriced = PRICED.includes(status)
  const price = price_cents === null ? '' : unitsOf(price_cents, currency)
  return (
    <Form
      page={page}
      does={operateCase}
      given={{ case_id, currency }}
      fields={{
        ...(isPriced && { price_cents: { label: `Agreed price, ${currency}`, value: price } }),
        note: 'Message to the buyer and the partner',
        ...(isPriced && { buyer_consented: OVER_BUDGET }),
      }}
    >
      <Choices name="move" choices={MOVES[status] ?? []}>
        <button type="submit" name="move" value="cancel" class="danger" data-confirm={END}>
          End case
        </button>
      </Choices>
    </Form>
  )
}

function Offers({ page, row: { case_id, currency, budget, offers, ...row } }: Props) {
  return (
    <>
      <h3>Offers</h3>
      <Table
        caption="Offers"
        rows={offers.toReversed()}
        columns={[
          text('From', 'made_by'),
          {
            label: 'Price',
            align: 'end',
            cell: ({ price_cents }) => amount(price_cents, currency),
          },
          status('Status', 'status'),
          time('Created', 'created_at'),
          {
            label: 'Response',
            cell: ({ offer_id, status, price_cents }) =>
              status === 'open' && (
                <Form page={page} does={recordAnswer} given={{ case_id, offer_id }}>
                  {price_cents > budget && (
                    <Check label={OVER_BUDGET} name="buyer_consented" value="true" />
                  )}
                  <Choices
                    name="answer"
                    choices={[
                      ['accept', 'Accepted'],
                      ['reject', 'Rejected'],
                    ]}
                    small
                  />
                </Form>
              ),
          },
        ]}
        empty={<Empty title="No offers yet" />}
      />
      {UNAGREED.includes(row.status) && (
        <Form
          page={page}
          does={recordOffer}
          given={{ case_id, currency }}
          collapsed="Record an offer"
          fields={{
            made_by: {
              label: 'From',
              choices: { owner: 'The owner', buyer: 'The buyer' },
            },
            price_cents: `Price, ${currency}`,
            message: 'Message to both sides',
            buyer_consented: OVER_BUDGET,
          }}
          submit="Record offer"
        />
      )}
    </>
  )
}
