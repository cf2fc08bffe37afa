import { exportPayouts, type listPayoutBatches } from '../../domain/payouts/export-payouts.ts'
import { sendPayouts } from '../../domain/payouts/send-payouts.ts'
import { count, link, text, time } from '../components/columns.tsx'
import { Table } from '../components/list.tsx'
import type { ConsoleContext } from './page.ts'
import { Form } from './parts.tsx'

type Batches = Awaited<ReturnType<typeof listPayoutBatches.handler>>
type Batch = Batches['batches'][number]

/** What goes to the bank, and what comes back. */
export function BankFiles({
  path,
  page,
  batches,
}: { path: string; page: ConsoleContext } & Batches) {
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files for the bank</h2>
      <div class="columns">
        <section class="panel roomy">
          <Form
            page={page}
            does={exportPayouts}
            given={{ environment: page.environment }}
            fields={{
              format: {
                label: 'Format',
                choices: { 'pain.001': 'ISO 20022 pain.001', csv: 'CSV' },
              },
            }}
            submit="Write a file"
            kind="main"
            confirm="Write all payouts that can be paid to a file? They are in progress from then on."
          />
        </section>
        {page.app.payoutRail && page.environment === 'live' && (
          <section class="panel roomy">
            <Form
              page={page}
              does={sendPayouts}
              submit={`Send through ${page.app.payoutRail.label}`}
              kind="main"
              confirm="Send all payouts whose payees are paid this way?"
            >
              <p class="soft">
                Payees with an account at {page.app.payoutRail.label} are paid there.
              </p>
            </Form>
          </section>
        )}
        <section class="panel roomy">
          <form method="post" action={`${path}/upload`} encType="multipart/form-data">
            <label class="field">
              <span>Status report, ISO 20022 pain.002</span>
              <input type="file" name="file" accept=".xml,application/xml,text/xml" required />
            </label>
            <button type="submit" class="quiet">
              Read
            </button>
          </form>
        </section>
      </div>
      {batches.length > 0 && (
        <Table
          caption="Files for the bank, newest first"
          rows={batches.slice(0, 10)}
          columns={[
            link(
              'File',
              ({ batch_id }: Batch) => `${path}/batches/${batch_id}`,
              ({ batch_id }) => batch_id,
            ),
            text('Format', 'format'),
            count('Payouts', 'count'),
            text('By', 'created_by'),
            time('Written', 'created_at'),
          ]}
          empty={null}
        />
      )}
    </section>
  )
}
