import type { z } from 'zod'
import type { ClaimView } from '../../domain/claims/claim.ts'
import { ActionButton, TextArea } from '../components/form.tsx'
import { type Column, Pager, Table } from '../components/list.tsx'
import { RowName } from '../components/name.tsx'
import { At, Badge, Empty, type Tone } from '../components/parts.tsx'
import { SELL } from './paths.ts'
import type { Paged } from './purchases.tsx'

type Claim = z.output<typeof ClaimView>

export const CLAIMS = '/account/claims'

const STATES: Record<Claim['status'], [tone: Tone, text: string]> = {
  pending: ['info', 'waiting for proof'],
  verified: ['good', 'verified'],
  lost: ['bad', 'no longer proven'],
}
const METHODS: Record<NonNullable<Claim['method']>, string> = {
  txt: 'by TXT record',
  nameservers: 'by our name servers',
  registrar: 'by its registrar',
  operator: 'by the marketplace',
}

const COLUMNS: Column<Claim>[] = [
  { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
  {
    label: 'State',
    cell: ({ status, method, problem }) => {
      const [tone, text] = STATES[status]
      return (
        <span>
          <Badge tone={tone} text={text} />{' '}
          {status === 'verified' && method !== null && <span class="soft">{METHODS[method]}</span>}
          {problem !== null && <small class="soft">{problem}</small>}
        </span>
      )
    },
  },
  {
    label: 'TXT record',
    cell: ({ status, method, txt }) =>
      status === 'verified' && method !== 'txt' ? (
        '–'
      ) : (
        <span>
          <code>{txt.name}</code>
          <br />
          <code>{txt.value}</code>
        </span>
      ),
  },
  { label: 'Checked', cell: ({ checked_at }) => <At at={checked_at} none="not yet" /> },
  {
    label: '',
    cell: ({ domain, status }) =>
      status === 'pending' && (
        <ActionButton
          path={`${CLAIMS}/check`}
          fields={{ domain }}
          label="Check now"
          about={domain}
        />
      ),
  },
]

/** Domains that a user says are theirs, and what proves it. */
export function Claims({
  list,
  nameservers,
  text,
  problem,
}: {
  list: Paged<Claim>
  nameservers: readonly string[]
  /** What was typed. */
  text: string
  problem: string | undefined
}) {
  return (
    <>
      <p>
        Add domains that you own to sell them here. For each, set the TXT record that is shown below
        where its DNS is managed; we look for it every minute at first, and then every hour.
        {nameservers.length > 0 && (
          <> Delegating a domain to {nameservers.join(' and ')} proves it, too.</>
        )}{' '}
        If you say at <code>_for-sale</code> that the domain is for sale, its value proves it there
        as well: <code>v=FORSALE1;fcod=</code> and the value. You have many?{' '}
        <a href={SELL}>Add and price them from a file</a>.
      </p>
      <form method="post" action={CLAIMS} class="narrow">
        <TextArea
          label="Domains"
          name="domains"
          rows={4}
          required
          value={text}
          problem={problem}
          hint="One to a line, up to 1,000."
          placeholder="example.com"
        />
        <button type="submit">Add domains</button>
      </form>
      <Table
        isMain
        caption="Domains that you have added"
        columns={COLUMNS}
        rows={list.rows}
        empty={
          <Empty title="No domains yet">
            <p>Add the first one above.</p>
          </Empty>
        }
      />
      <Pager path={list.path} query={{ cursor: list.cursor }} next={list.next} />
    </>
  )
}
