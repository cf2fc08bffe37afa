import { Refusal } from '../../kernel/errors.ts'
import { listTldPrices } from '../../modules/registry/list-tld-prices.ts'
import { PRICE_OPS } from '../../modules/registry/price-book.ts'
import { operatorOf } from '../admin/act.ts'
import { importPrices, MAX_PRICES_BYTES } from '../admin/price-import.ts'
import { sendCsv } from '../pages/csv.ts'
import { Field, Select } from '../pages/form.tsx'
import { Filters, Pager, Table } from '../pages/list.tsx'
import { Empty, Heading } from '../pages/parts.tsx'
import type { Desk, Look } from './desk.tsx'
import { Amount, At, CsvFile, Form, Kept, refusedForm } from './parts.tsx'

const PATH = '/operator/prices'

/** What registrations cost: looked up, set one by one, or loaded from a file. */
export function pricePages(desk: Desk): void {
  const render = async (look: Look) => {
    const { tld, cursor } = look.query
    const { prices, next_cursor } = await look.read(listTldPrices, { tld, cursor, limit: 100 })
    return {
      title: 'Price book',
      at: PATH,
      body: (
        <>
          <Heading title="Price book">
            <a class="button quiet" href={`${PATH}.csv`}>
              All as CSV
            </a>
          </Heading>
          <div class="columns">
            <SetPrice look={look} tld={tld} />
            <section class="panel roomy">
              <h2>Load a file</h2>
              <form method="post" action={`${PATH}/upload`} encType="multipart/form-data">
                <CsvFile>
                  CSV with the columns tld, op, price_cents, years. An empty price withdraws.
                </CsvFile>
                <button type="submit" class="quiet">
                  Load it
                </button>
              </form>
            </section>
          </div>
          <h2>All prices</h2>
          <Filters path={PATH} isSet={tld !== undefined}>
            <Kept look={look} />
            <Field
              label="Top-level domain"
              name="tld"
              type="search"
              value={tld}
              placeholder="com"
            />
          </Filters>
          <Table
            caption="Prices"
            rows={prices}
            columns={[
              {
                label: 'TLD',
                cell: (price) => (
                  <a href={look.href(PATH, { tld: price.tld })}>{`.${price.tld}`}</a>
                ),
              },
              { label: 'For', cell: ({ op }) => op },
              {
                label: 'Price',
                align: 'end',
                cell: ({ price_cents, currency }) =>
                  price_cents === null ? (
                    'not sold'
                  ) : (
                    <Amount cents={price_cents} currency={currency} />
                  ),
              },
              { label: 'Years', align: 'end', cell: ({ years }) => years },
              { label: 'Changed', cell: ({ updated_at }) => <At at={updated_at} /> },
            ]}
            empty={<Empty title="No such top-level domain">Look for com, or co.uk.</Empty>}
          />
          <Pager path={PATH} query={look.query} next={next_cursor} />
        </>
      ),
    }
  }
  desk.page(PATH, render)

  desk.upload(`${PATH}/upload`, render, async (look, { content }) => {
    const origin = { actor: operatorOf(look.session.user), requestId: look.request.id }
    const report = await importPrices(desk.house, await whole(content), origin)
    const { rows, changed, rejected_count, rejected } = report
    const [first] = rejected
    const problem = first
      ? ` ${rejected_count} were rejected, the first in line ${first.line}: ${first.field} ${first.issue}.`
      : ''
    return look.goOn(PATH, `${changed} of ${rows} prices have changed.${problem}`)
  })

  desk.file(`${PATH}.csv`, async (look) => {
    const book = await look.read(listTldPrices, { limit: 10_000 })
    return sendCsv(look.reply, 'prices', listTldPrices.csv?.(book) ?? '')
  })
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    length += chunk.length
    if (length > MAX_PRICES_BYTES) {
      throw new Refusal('payload_too_large', 'A price book has 4 MiB at most.')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function SetPrice({ look, tld = '' }: { look: Look; tld: string | undefined }) {
  const written = refusedForm(look, 'set_tld_price')
  return (
    <section class="panel roomy">
      <h2>Set a price</h2>
      <Form does="set_tld_price">
        <Field
          label="Top-level domain"
          name="tld"
          value={written.value('tld', tld)}
          problem={written.problem('tld')}
          required
        />
        <Select
          label="For"
          name="op"
          value={written.value('op', 'register')}
          options={PRICE_OPS.map((op): [string, string] => [op, op])}
        />
        <Field
          label="Price, USD"
          name="price_amount"
          inputmode="decimal"
          value={written.value('price_amount')}
          problem={written.problem('price_amount')}
          hint="For all the years together. Empty: it is not sold."
        />
        <Field
          label="Years"
          name="years"
          inputmode="numeric"
          value={written.value('years', '1')}
          problem={written.problem('years')}
        />
        <button type="submit" class="quiet">
          Set it
        </button>
      </Form>
    </section>
  )
}
