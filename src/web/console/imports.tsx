import { ENVIRONMENTS } from '../../core/caller.ts'
import { operatorOf } from '../../domain/accounts/user.ts'
import { listImports, showImport } from '../../domain/listings/list-imports.ts'
import { MAX_REJECTIONS } from '../../domain/listings/listing-import.ts'
import { uploadListings } from '../../domain/listings/upload-listings.ts'
import { count, link, status, text, time } from '../components/columns.tsx'
import { sendCsv } from '../components/csv.ts'
import { Select } from '../components/form.tsx'
import { Table } from '../components/list.tsx'
import { At, Facts, Heading, Notice, Progress, Status } from '../components/parts.tsx'
import { listPage } from './list-page.tsx'
import type { ConsoleContext, ConsolePage } from './page.ts'
import { CsvFile } from './parts.tsx'

const PATH = '/operator/imports'
const SHOWN_REJECTIONS = 100

type Import = Awaited<ReturnType<typeof showImport.handler>>

/** One import: how far it is, and which rows were rejected. */
const importPage: ConsolePage = {
  path: `${PATH}/:import_id`,
  title: 'Import',
  async render(page) {
    const row = await page.read(showImport, { import_id: page.params.import_id })
    return { title: row.file_name ?? 'Import', body: <Progressing row={row} /> }
  },
  files: {
    async [`${PATH}/:import_id/rejected.csv`](page) {
      const row = await page.read(showImport, { import_id: page.params.import_id })
      return sendCsv(page.reply, `rejected-${row.import_id}`, showImport.csv?.(row) ?? '')
    },
  },
}

/** Files of listings, which are loaded in the background. */
export const imports = listPage({
  path: PATH,
  title: 'Imports',
  waiting: (counts) => counts.imports_running,
  operation: listImports,
  rows: 'imports',
  above: (page) => <UploadForm page={page} />,
  async upload(page, { fields, fileName, content }) {
    const environment = ENVIRONMENTS.find((known) => known === fields.environment) ?? 'sandbox'
    const origin = { actor: operatorOf(page.session), requestId: page.request.id }
    const id = await uploadListings(page.app, { environment, fileName, csv: content }, origin)
    return page.goOn(page.href(`${PATH}/${id}`))
  },
  empty: ['No imports yet', 'Upload a file above, or stream one from the command line.'],
  columns: (page) => [
    link(
      'File',
      ({ import_id }) => page.href(`${PATH}/${import_id}`),
      ({ file_name, created_by }) => file_name ?? `streamed by ${created_by}`,
    ),
    text('Environment', 'environment'),
    status('Status', 'status'),
    count('Rows', 'rows'),
    count('Rejected', 'rejected_count'),
    time('Started', 'created_at'),
  ],
  below: [importPage],
})

function UploadForm({ page }: { page: ConsoleContext }) {
  return (
    <form
      method="post"
      action={`${PATH}/upload`}
      encType="multipart/form-data"
      class="panel roomy upload"
    >
      <Select
        label="Environment"
        name="environment"
        value={page.environment}
        options={ENVIRONMENTS.map((each) => [each, each])}
      />
      <CsvFile>
        CSV with the columns domain, price_cents, floor_price_cents, currency, offers (open or off),
        min_offer_cents. All but the first two are optional. New domains are listed, listed ones get
        the new price; sold ones, and those that users hold, are skipped.
      </CsvFile>
      <button type="submit" class="main">
        Upload
      </button>
    </form>
  )
}

function Progressing({ row }: { row: Import }) {
  const isOver = row.status === 'done' || row.status === 'failed'
  const number = (value: number) => value.toLocaleString('en-US')
  return (
    <>
      <Heading title={row.file_name ?? 'Import through the API'}>
        <a class="button quiet" href={PATH}>
          All imports
        </a>
      </Heading>
      <section id="import" {...(!isOver && { 'data-refresh': '1' })}>
        <p>
          <Status text={row.status} /> {row.environment}, by {row.created_by}
        </p>
        {!isOver && (
          <>
            <Progress
              label="Percent loaded"
              done={Math.round((row.progress ?? 0) * 100)}
              total={row.progress === null ? null : 100}
            />
            <noscript>
              <p class="soft">Reload the page to see the progress.</p>
            </noscript>
          </>
        )}
        {row.error !== null && <Notice kind="error">{row.error}</Notice>}
        <Facts
          facts={[
            ['Rows read', number(row.rows)],
            ['New listings', number(row.created)],
            ['Updated prices', number(row.updated)],
            ['Skipped', number(row.skipped_sold)],
            ['Rejected', number(row.rejected_count)],
            ['Started', <At at={row.created_at} />],
            ['Finished', <At at={row.finished_at} none="not yet" />],
          ]}
        />
        {row.rejected_count > 0 && <Rejections row={row} />}
      </section>
    </>
  )
}

function Rejections({ row: { import_id, rejected, rejected_count } }: { row: Import }) {
  return (
    <>
      <h2>Rejected rows</h2>
      <p>
        Correct these lines in your file and upload it again.{' '}
        <a href={`${PATH}/${import_id}/rejected.csv`}>Download the list as CSV</a>.
      </p>
      <Table
        caption="Rejected rows"
        rows={rejected.slice(0, SHOWN_REJECTIONS)}
        columns={[
          count('Line', 'line'),
          text('Field', 'field'),
          text('Problem', 'issue'),
          { label: 'Row', cell: ({ row }) => <code>{row}</code> },
        ]}
        empty={null}
      />
      {rejected_count > SHOWN_REJECTIONS && (
        <p class="soft">
          These are the first {SHOWN_REJECTIONS}. The list has the first{' '}
          {MAX_REJECTIONS.toLocaleString('en-US')}.
        </p>
      )}
    </>
  )
}
