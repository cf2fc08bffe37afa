import { ENVIRONMENTS } from '../../kernel/operation.ts'
import { listImports, showImport } from '../../modules/inventory/list-imports.ts'
import { uploadListings } from '../../modules/inventory/upload-listings.ts'
import { operatorOf } from '../admin/act.ts'
import { sendCsv } from '../pages/csv.ts'
import { Select } from '../pages/form.tsx'
import { Pager, Table } from '../pages/list.tsx'
import { Empty, Facts, Heading, Notice, Progress } from '../pages/parts.tsx'
import type { Desk, Look } from './desk.tsx'
import { At, CsvFile, Status } from './parts.tsx'

const PATH = '/operator/imports'
const SHOWN_REJECTIONS = 100

type Import = Awaited<ReturnType<typeof showImport.handler>>

/** Files of listings, loaded in the background: how far they are, and what was wrong in them. */
export function importPages(desk: Desk): void {
  const render = async (look: Look) => {
    const { cursor } = look.query
    const { imports, next_cursor } = await look.read(listImports, { cursor })
    return {
      title: 'Imports',
      at: PATH,
      body: (
        <>
          <Heading title="Imports" />
          <UploadForm look={look} />
          <Table
            caption="Imports"
            rows={imports}
            columns={[
              {
                label: 'File',
                cell: ({ import_id, file_name, created_by }) => (
                  <a href={look.href(`${PATH}/${import_id}`)}>
                    {file_name ?? `streamed by ${created_by}`}
                  </a>
                ),
              },
              { label: 'Environment', cell: ({ environment }) => environment },
              { label: 'State', cell: ({ status }) => <Status text={status} /> },
              { label: 'Rows', align: 'end', cell: ({ rows }) => rows.toLocaleString('en-US') },
              {
                label: 'Rejected',
                align: 'end',
                cell: ({ rejected_count }) => rejected_count.toLocaleString('en-US'),
              },
              { label: 'Begun', cell: ({ created_at }) => <At at={created_at} /> },
            ]}
            empty={
              <Empty title="Nothing was imported yet">
                Upload a file above, or stream one by the command line.
              </Empty>
            }
          />
          <Pager path={PATH} query={look.query} next={next_cursor} />
        </>
      ),
    }
  }
  desk.page(PATH, render)

  desk.upload(`${PATH}/upload`, render, async (look, upload) => {
    const environment =
      ENVIRONMENTS.find((known) => known === upload.fields.environment) ?? 'sandbox'
    const origin = { actor: operatorOf(look.session.user), requestId: look.request.id }
    const { fileName, content } = upload
    const id = await uploadListings(desk.house, { environment, fileName, csv: content }, origin)
    return look.goOn(look.href(`${PATH}/${id}`))
  })

  desk.page(`${PATH}/:import_id`, async (look) => {
    const row = await look.read(showImport, { import_id: look.params.import_id })
    return { title: row.file_name ?? 'Import', at: PATH, body: <ImportPage row={row} /> }
  })

  desk.file(`${PATH}/:import_id/rejected.csv`, async (look) => {
    const row = await look.read(showImport, { import_id: look.params.import_id })
    return sendCsv(look.reply, `rejected-${row.import_id}`, showImport.csv?.(row) ?? '')
  })
}

function UploadForm({ look }: { look: Look }) {
  return (
    <form
      method="post"
      action={`${PATH}/upload`}
      encType="multipart/form-data"
      class="panel roomy upload"
    >
      <Select
        label="Into"
        name="environment"
        value={look.environment}
        options={[
          ['live', 'live'],
          ['sandbox', 'sandbox'],
        ]}
      />
      <CsvFile>
        CSV with the columns domain, price_cents, floor_price_cents, currency; the last two may be
        empty. New names are listed, known ones get their new price, sold ones stay.
      </CsvFile>
      <button type="submit" class="main">
        Upload
      </button>
    </form>
  )
}

function ImportPage({ row }: { row: Import }) {
  const isOver = row.status === 'done' || row.status === 'failed'
  const count = (value: number) => value.toLocaleString('en-US')
  return (
    <>
      <Heading title={row.file_name ?? 'An import by the API'}>
        <a class="button quiet" href={PATH}>
          All imports
        </a>
      </Heading>
      <section id="import" {...(!isOver && { 'data-refresh': '1' })}>
        <p>
          <Status text={row.status} /> into {row.environment}, by {row.created_by}
        </p>
        {!isOver && (
          <>
            <Progress
              label="Loaded, in percent"
              done={Math.round((row.progress ?? 0) * 100)}
              total={row.progress === null ? null : 100}
            />
            <noscript>
              <p class="soft">Open the page anew to see how far it is.</p>
            </noscript>
          </>
        )}
        {row.error !== null && <Notice kind="error">{row.error}</Notice>}
        <Facts
          facts={[
            ['Rows read', count(row.rows)],
            ['Listed anew', count(row.created)],
            ['With a new price', count(row.updated)],
            ['Sold, left alone', count(row.skipped_sold)],
            ['Rejected', count(row.rejected_count)],
            ['Begun', <At at={row.created_at} />],
            ['Ended', <At at={row.finished_at} none="not yet" />],
          ]}
        />
        {row.rejected_count > 0 && (
          <>
            <h2>Rejected rows</h2>
            <p>
              <a href={`${PATH}/${row.import_id}/rejected.csv`}>Download them as CSV</a>, mend them,
              and upload them alone.
            </p>
            <Table
              caption="Rejected rows"
              rows={row.rejected.slice(0, SHOWN_REJECTIONS)}
              columns={[
                { label: 'Line', align: 'end', cell: ({ line }) => line },
                { label: 'Field', cell: ({ field }) => field },
                { label: 'What is wrong', cell: ({ issue }) => issue },
                { label: 'Row', cell: (rejected) => <code>{rejected.row}</code> },
              ]}
              empty={null}
            />
            {row.rejected_count > SHOWN_REJECTIONS && (
              <p class="soft">The first {SHOWN_REJECTIONS}; the file has more.</p>
            )}
          </>
        )}
      </section>
    </>
  )
}
