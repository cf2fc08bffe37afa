import { z } from 'zod'
import type { ApiError } from '../../core/errors.ts'
import { userWrite } from '../../core/operation.ts'
import { inTransaction } from '../../db/transaction.ts'
import { storable } from '../../lib/storable.ts'
import { keepTerms } from '../claims/claim-terms.ts'
import type { AskingPrice } from '../listings/seller-listing.ts'
import { claim } from './claim-names.ts'
import { ownedAmong } from './owned-domain.ts'
import { putUpForSale } from './put-up-for-sale.ts'
import { MAX_ROWS, readSellerCsv, type SellerRow } from './seller-csv.ts'

/** In characters: a list that was downloaded has two hundred to a row, with the record that proves it. */
export const MAX_CSV_LENGTH = 12 * 1024 ** 2
/** In bytes, with what JSON escapes. */
const BODY_LIMIT = 16 * 1024 ** 2

/** Rows of one transaction. */
const PART = 2_000

const counted = (what: string) => z.int().describe(what)

/** A seller's whole list, of names that are proven and of names that are to be (contract, section 18). */
export const sellDomains = userWrite({
  name: 'sell_domains',
  summary: 'Add and price up to 50,000 domains with one CSV file',
  description:
    'Reads a CSV file whose first line names its columns: `domain`, and `price`, `floor` and `min_offer` in US dollars, ' +
    '`offers` (`open` or `off`) and `currency`, each of which may be absent. Names of columns of other marketplaces ' +
    'are understood, such as `Buy Now Price`, and so are `price_cents`, `floor_price_cents` and `min_offer_cents`. A domain ' +
    'that is yours goes on the market at its price, or gets its new price; any other is claimed, and goes on the market ' +
    'as soon as it is proven. A row without a price puts nothing up for sale and takes nothing off the market. ' +
    'What a row leaves out has its default, as of `set_price`. A bad row is rejected by itself, with its line and what to ' +
    'change. A file that was sent again changes nothing further.',
  method: 'POST',
  path: '/api/domains/csv',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  bodyLimit: BODY_LIMIT,
  input: z.object({
    csv: z
      .string()
      .min(1)
      .max(MAX_CSV_LENGTH, `must have at most ${MAX_CSV_LENGTH} characters`)
      .describe(`The file's text, of at most ${MAX_ROWS.toLocaleString('en-US')} rows.`),
  }),
  output: z.object({
    rows: counted('The rows of the file, its first line not counted.'),
    listed: counted('Domains that went on the market.'),
    priced: counted('Domains that were on the market, and have the price of the file now.'),
    claimed: counted('Domains that were claimed, and are to be proven.'),
    waiting: counted('Claims that are not proven, whose domains are listed once they are.'),
    ignored_columns: z
      .array(z.string())
      .describe('Columns of the file that mean nothing here, and were not read.'),
    rejected_count: counted('The rows that were rejected.'),
    rejected: z
      .array(
        z
          .object({
            line: counted("The row's line in the file; its first line is 1."),
            field: z.string().describe('The column that is wrong, or `row`.'),
            issue: z.string().describe('What is wrong with it, and how to right it.'),
            row: z.string().describe('The row as it was sent, cut after 300 characters.'),
          })
          .meta({ id: 'RejectedDomainRow', description: 'A row that was rejected.' }),
      )
      .describe('In the order of the file.'),
  }),
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden', 'insufficient_scope'],
  example: {
    input: {
      csv: 'domain,price,floor,min_offer\npetpantry.com,2500,2000,1000\nwww.catnip.com,900,,\n',
    },
    output: {
      rows: 2,
      listed: 1,
      priced: 0,
      claimed: 0,
      waiting: 0,
      ignored_columns: [],
      rejected_count: 1,
      rejected: [
        {
          line: 3,
          field: 'domain',
          issue: '"www.catnip.com" is below catnip.com: claim that',
          row: 'www.catnip.com,900,,',
        },
      ],
    },
  },
  handler: () => Promise.reject(new Error('a file takes effect in transactions of its own')),
  /** In parts, since what a part changes is locked until its end. A file that broke off can simply be sent again. */
  external: {
    applies: () => true,
    async run({ app, now, userId }, { csv }) {
      const { count, ignored, rejected, rows } = await readSellerCsv(storable(csv))
      const byName = rows.toSorted((a, b) => (a.domain < b.domain ? -1 : 1))
      const sums = { listed: 0, priced: 0, claimed: 0, waiting: 0 }
      for (const part of inBatches(byName)) {
        const done = await inTransaction(app, (tx) => sellPart({ tx, now, app }, userId, part))
        for (const each of SUMS) sums[each] += done[each]
        for (const { domain, line, row } of part) {
          const error = done.errors.get(domain)
          if (error) rejected.push({ line, field: 'domain', issue: error.message, row })
        }
      }
      const value = {
        rows: count,
        ...sums,
        ignored_columns: ignored,
        rejected_count: rejected.length,
        rejected: rejected.toSorted((a, b) => a.line - b.line),
      }
      return { value, isFinal: true }
    },
  },
})

const SUMS = ['listed', 'priced', 'claimed', 'waiting'] as const

type Done = Record<(typeof SUMS)[number], number> & { errors: Map<string, ApiError> }

async function sellPart(
  { tx, now, app }: Parameters<typeof putUpForSale>[0],
  userId: string,
  part: readonly SellerRow[],
): Promise<Done> {
  const rows = new Map(part.map((row) => [row.domain, row]))
  const names = [...rows.keys()]
  const owned = new Set(await ownedAmong(tx, userId, names))
  const asked = new Map(
    [...owned].flatMap((domain) => {
      const price = rows.get(domain)?.price
      return price ? [[domain, price] as const] : []
    }),
  )
  const others = names.filter((domain) => !owned.has(domain))
  const { claims, opened, errors } = await claim(tx, now, userId, others)
  const terms = termsIn(
    rows,
    [...claims.keys()].filter((domain) => !errors.has(domain)),
  )
  await keepTerms(tx, userId, terms)
  const sold = await putUpForSale({ tx, now, app }, userId, asked)
  return {
    listed: sold.listed,
    priced: sold.priced,
    claimed: opened,
    waiting: [...terms.values()].filter((price) => price !== null).length,
    errors: new Map([...errors, ...sold.errors]),
  }
}

/** What the file asks for names; those of which it says nothing are left out. */
function termsIn(
  rows: ReadonlyMap<string, SellerRow>,
  names: readonly string[],
): Map<string, AskingPrice | null> {
  return new Map(
    names.flatMap((domain) => {
      const price = rows.get(domain)?.price
      return price === undefined ? [] : [[domain, price] as const]
    }),
  )
}

function* inBatches<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += PART) yield items.slice(at, at + PART)
}
