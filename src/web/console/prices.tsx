import { importTldPrices, MAX_PRICES_BYTES } from '../../domain/registry/import-tld-prices.ts'
import { listTldPrices } from '../../domain/registry/list-tld-prices.ts'
import { setTldPrice } from '../../domain/registry/set-tld-price.ts'
import { priceFile } from '../../http/admin/price-import.ts'
import { count, link, text, time } from '../components/columns.tsx'
import { sendCsv } from '../components/csv.ts'
import { amount } from '../components/money.ts'
import { whole } from '../layout/upload.ts'
import { listPage } from './list-page.tsx'
import { action, type ConsoleContext } from './page.ts'
import { CsvFile, Form } from './parts.tsx'

const PATH = '/operator/prices'
const FILE = `${PATH}.csv`

/** What registrations cost: looked up, set one by one, or loaded from a file. */
export const prices = listPage({
  path: PATH,
  title: 'Price book',
  actions: [
    action({
      operation: setTldPrice,
      done: ({ tld, op, price_cents }) =>
        price_cents === null
          ? `${op} is no longer sold for .${tld}.`
          : `${op} price of .${tld} saved.`,
      emptied: ['price_cents'],
    }),
  ],
  operation: listTldPrices,
  input: { limit: 100 },
  rows: 'prices',
  aside: () => (
    <a class="button quiet" href={FILE}>
      Download CSV
    </a>
  ),
  above: (page) => (
    <>
      <div class="columns">
        <SetPrice page={page} />
        <section class="panel roomy">
          <h2>Upload prices</h2>
          <form method="post" action={`${PATH}/upload`} encType="multipart/form-data">
            <CsvFile>
              CSV with the columns tld, op, price_cents, years. A row without a price ends the sale.
            </CsvFile>
            <button type="submit" class="quiet">
              Upload
            </button>
          </form>
        </section>
      </div>
      <h2>All prices</h2>
    </>
  ),
  filters: { tld: { label: 'Top-level domain', placeholder: 'com' } },
  empty: ['No prices yet'],
  columns: (page) => [
    link(
      'TLD',
      ({ tld }) => page.href(PATH, { tld }),
      ({ tld }) => `.${tld}`,
    ),
    text('Operation', 'op'),
    {
      label: 'Price',
      align: 'end',
      cell: ({ price_cents, currency }) =>
        price_cents === null ? 'not sold' : amount(price_cents, currency),
    },
    count('Years', 'years'),
    time('Updated', 'updated_at'),
  ],
  async upload(page, { content }) {
    const bytes = await whole(content, MAX_PRICES_BYTES)
    const report = await page.write(importTldPrices, () => priceFile(bytes))
    const { rows, changed, rejected_count, rejected } = report
    const [first] = rejected
    const problem = first
      ? ` ${rejected_count} were rejected, the first in line ${first.line}: ${first.field} ${first.issue}.`
      : ''
    return page.goOn(PATH, `${changed} of ${rows} prices have changed.${problem}`)
  },
  files: {
    async [FILE](page) {
      const book = await page.read(listTldPrices, { limit: 10_000 })
      return sendCsv(page.reply, 'prices', listTldPrices.csv?.(book) ?? '')
    },
  },
})

function SetPrice({ page }: { page: ConsoleContext }) {
  return (
    <section class="panel roomy">
      <h2>Set a price</h2>
      <Form
        page={page}
        does={setTldPrice}
        fields={{
          tld: { label: 'Top-level domain', value: page.query.tld ?? '' },
          op: 'Operation',
          price_cents: {
            label: 'Price, USD',
            hint: 'For all years together. Leave empty to end the sale.',
            required: false,
          },
          years: 'Years',
        }}
        submit="Save price"
      />
    </section>
  )
}
