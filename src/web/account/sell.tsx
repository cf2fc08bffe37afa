import type { z } from 'zod'
import type { sellDomains } from '../../domain/domains/sell-domains.ts'
import { MAX_ROWS } from '../../domain/domains/seller-csv.ts'
import { count, text } from '../components/columns.tsx'
import { Table } from '../components/list.tsx'
import { Facts, Notice } from '../components/parts.tsx'
import { CLAIMS } from './claims.tsx'
import { SELL } from './paths.ts'

type Sold = z.output<typeof sellDomains.output>

const SHOWN = 200

/** Where a seller sends the list of their names, and takes it away. */
export function Sell({ formKey }: { formKey: string }) {
  return (
    <>
      <p>
        Add and price up to {MAX_ROWS.toLocaleString('en-US')} domains at once. Domains that are
        yours go on the market at the price of their row. The others are added, and go on the market
        as soon as <a href={CLAIMS}>they are proven</a>; the file below has the TXT record of each.
      </p>
      <form method="post" action={SELL} encType="multipart/form-data" class="panel roomy">
        <input type="hidden" name="key" value={formKey} />
        <label class="field">
          <span>File</span>
          <input
            type="file"
            name="file"
            accept=".csv,text/csv"
            required
            aria-describedby="file-note"
          />
          <small id="file-note" class="hint">
            CSV whose first line names the columns: domain, price, floor, min_offer, offers. All but
            domain may be absent. Prices are in US dollars. Files of other marketplaces work where
            their columns say the same, such as Buy Now Price.
          </small>
        </label>
        <button type="submit" class="main">
          Add and price
        </button>
      </form>
      <h2>Your list</h2>
      <p>
        <a href={`${SELL}/domains.csv`}>Download your domains as CSV</a>, change prices in a
        spreadsheet, and send the file back. A domain without a price stays as it is; a domain that
        is not in the file does, too.
      </p>
    </>
  )
}

/** What a file has done, and what is wrong with its bad rows. */
export function SellOutcome({ sold, path }: { sold: Sold; path: string }) {
  const number = (value: number) => value.toLocaleString('en-US')
  const { ignored_columns, rejected, rejected_count } = sold
  return (
    <>
      <Facts
        facts={[
          ['Rows read', number(sold.rows)],
          ['Put up for sale', number(sold.listed)],
          ['Price changed', number(sold.priced)],
          ['Added, to be proven', number(sold.claimed)],
          ['For sale once proven', number(sold.waiting)],
          ['Rejected', number(rejected_count)],
        ]}
      />
      {ignored_columns.length > 0 && (
        <Notice kind="info">These columns were not read: {ignored_columns.join(', ')}.</Notice>
      )}
      {rejected_count > 0 && (
        <>
          <h2>Rejected rows</h2>
          <p>
            Correct these in your file and send them again; all other rows have taken effect.{' '}
            <a href={`${path}/rejected.csv`}>Download the list as CSV</a>.
          </p>
          <Table
            caption="Rejected rows"
            rows={rejected.slice(0, SHOWN)}
            columns={[
              count('Line', 'line'),
              text('Column', 'field'),
              text('Problem', 'issue'),
              { label: 'Row', cell: ({ row }) => <code>{row}</code> },
            ]}
            empty={null}
          />
          {rejected_count > SHOWN && (
            <p class="soft">These are the first {SHOWN}. The list has all of them.</p>
          )}
        </>
      )}
      <p class="actions">
        <a class="button" href={CLAIMS}>
          See what is to be proven
        </a>{' '}
        <a class="button quiet" href={SELL}>
          Send another file
        </a>
      </p>
    </>
  )
}
