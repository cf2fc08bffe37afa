import type { showCase } from '../../modules/brokerage/operate-case.ts'
import { RUNNING, UNAGREED } from '../../modules/brokerage/status.ts'
import { Check, Field, Select, TextArea } from '../pages/form.tsx'
import { Table } from '../pages/list.tsx'
import { Empty } from '../pages/parts.tsx'
import type { Look } from './desk.tsx'
import { Amount, At, type Choice, Choices, Do, Form, refusedForm, Status } from './parts.tsx'

export type CaseDetail = Awaited<ReturnType<typeof showCase.handler>>

interface Props {
  look: Look
  row: CaseDetail
}

const ENDS = 'End the case? It stays as it is then.'

/** What is open to a case in each state; the rest would be refused. */
const MOVES: Record<string, Choice[]> = {
  open: [['source', 'Look for the owner']],
  sourcing: [
    ['contact', 'The owner was asked'],
    ['no-contact', 'Nobody can be reached', ENDS],
  ],
  contacted: [
    ['negotiate', 'The owner is talking'],
    ['decline', 'The owner declined', ENDS],
    ['no-contact', 'Nobody answered', ENDS],
  ],
  negotiating: [
    ['agree', 'They agreed'],
    ['decline', 'The owner declined', ENDS],
  ],
  agreed: [
    ['complete', 'The deal is done', 'Is the deal done? The commission is booked, and stays.'],
    ['decline', 'It fell through', ENDS],
  ],
}
const PRICED = ['negotiating', 'agreed']

/** What a broker does on a case: who has it, its moves, offers, tries to reach the owner, notes. */
export function CaseWork({ look, row }: Props) {
  const isRunning = RUNNING.includes(row.status)
  return (
    <section class="panel roomy">
      <h2>What next</h2>
      {isRunning ? (
        <>
          <Assign look={look} row={row} />
          <Moves look={look} row={row} />
        </>
      ) : (
        <p class="soft">The case has ended, and stays as it is.</p>
      )}
      <Offers look={look} row={row} />
      {isRunning && <Contact look={look} row={row} />}
      <Note look={look} row={row} />
      <details>
        <summary>The buyer’s link</summary>
        <p class="soft">A new link ends the old one; without a link the buyer’s page is closed.</p>
        <div class="actions">
          <Do
            does="operator_renews_progress_link"
            fields={{ case_id: row.case_id }}
            label="Make a new link"
          />
          {row.progress_url !== null && (
            <Do
              does="operator_revokes_progress_link"
              fields={{ case_id: row.case_id }}
              label="End the link"
              kind="danger"
            />
          )}
        </div>
      </details>
    </section>
  )
}

function Assign({ look, row: { case_id, assignee } }: Props) {
  const me = look.session.user.email
  return (
    <div class="actions">
      {assignee !== me && (
        <Do
          does="assign_case"
          fields={{ case_id, assignee: me }}
          label={assignee === null ? 'Take it' : 'Take it over'}
          kind="main"
        />
      )}
      {assignee !== null && (
        <Do does="assign_case" fields={{ case_id, assignee: '' }} label="Back to the queue" />
      )}
    </div>
  )
}

function Moves({ look, row }: Props) {
  const written = refusedForm(look, 'operate_case')
  const moves = MOVES[row.status] ?? []
  const isPriced = PRICED.includes(row.status)
  return (
    <Form does="operate_case" fields={{ case_id: row.case_id }}>
      {isPriced && (
        <Field
          label={`Agreed price, ${row.currency}`}
          name="price_amount"
          inputmode="decimal"
          value={written.value(
            'price_amount',
            row.price_cents === null ? '' : String(row.price_cents / 100),
          )}
          problem={written.problem('price_amount')}
        />
      )}
      <TextArea
        label="Word to the buyer and the partner"
        name="note"
        value={written.value('note')}
        problem={written.problem('note')}
        maxlength={1000}
        rows={2}
      />
      {isPriced && (
        <Check
          label="The buyer agreed to a price above the budget"
          name="buyer_consented"
          value="true"
        />
      )}
      <Choices name="move" choices={moves}>
        <button type="submit" name="move" value="cancel" class="danger" data-confirm={ENDS}>
          End the case
        </button>
      </Choices>
    </Form>
  )
}

function Offers({ look, row }: Props) {
  const written = refusedForm(look, 'record_offer')
  return (
    <>
      <h3>Offers</h3>
      <Table
        caption="Offers"
        rows={row.offers.toReversed()}
        columns={[
          { label: 'By', cell: ({ made_by }) => made_by },
          {
            label: 'Price',
            align: 'end',
            cell: ({ price_cents }) => <Amount cents={price_cents} currency={row.currency} />,
          },
          { label: 'Status', cell: ({ status }) => <Status text={status} /> },
          { label: 'Made', cell: ({ created_at }) => <At at={created_at} /> },
          {
            label: 'Answer',
            cell: ({ offer_id, status, price_cents }) =>
              status === 'open' && (
                <Form does="record_answer" fields={{ case_id: row.case_id, offer_id }}>
                  {price_cents > row.budget && (
                    <Check
                      label="the buyer agreed to more than the budget"
                      name="buyer_consented"
                      value="true"
                    />
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
        empty={<Empty title="No offer yet" />}
      />
      {UNAGREED.includes(row.status) && (
        <details open={written.isOpen}>
          <summary>Record an offer</summary>
          <Form does="record_offer" fields={{ case_id: row.case_id }}>
            <Select
              label="Who makes it"
              name="made_by"
              value={written.value('made_by', 'owner')}
              options={[
                ['owner', 'The owner'],
                ['buyer', 'The buyer'],
              ]}
            />
            <Field
              label={`Price, ${row.currency}`}
              name="price_amount"
              inputmode="decimal"
              value={written.value('price_amount')}
              problem={written.problem('price_amount')}
              required
            />
            <Field
              label="Message, shown to both sides"
              name="message"
              value={written.value('message')}
              maxlength={1000}
            />
            <Check
              label="The buyer agreed to a price above the budget"
              name="buyer_consented"
              value="true"
            />
            <button type="submit">Record it</button>
          </Form>
        </details>
      )}
    </>
  )
}

function Contact({ look, row }: Props) {
  const written = refusedForm(look, 'record_contact')
  return (
    <details open={written.isOpen}>
      <summary>Record a try to reach the owner</summary>
      <Form does="record_contact" fields={{ case_id: row.case_id }}>
        <Select
          label="How"
          name="channel"
          value={written.value('channel', 'email')}
          options={[
            ['email', 'E-mail'],
            ['phone', 'Phone'],
            ['letter', 'Letter'],
            ['message', 'Message'],
            ['other', 'Otherwise'],
          ]}
        />
        <TextArea label="Note, for brokers only" name="text" rows={2} maxlength={4000} />
        <button type="submit">Record it</button>
      </Form>
    </details>
  )
}

function Note({ look, row }: Props) {
  const written = refusedForm(look, 'note_case')
  return (
    <details open={written.isOpen}>
      <summary>Write a note</summary>
      <Form does="note_case" fields={{ case_id: row.case_id }}>
        <TextArea
          label="For brokers only"
          name="text"
          rows={3}
          required
          maxlength={4000}
          value={written.value('text')}
          problem={written.problem('text')}
        />
        <button type="submit">Keep it</button>
      </Form>
    </details>
  )
}
