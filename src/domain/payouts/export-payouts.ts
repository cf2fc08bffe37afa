import { sql } from 'kysely'
import { z } from 'zod'
import { ENVIRONMENTS } from '../../core/caller.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { FINANCE, READERS } from '../../core/roles.ts'
import type { Settings } from '../../core/settings.ts'
import { newId } from '../../lib/ids.ts'
import { openPayee } from '../payees/payee.ts'
import { csvFile } from './files/csv.ts'
import { painFile } from './files/pain-001.ts'
import { PAYOUT_FORMATS, type PayoutFile, type PayoutFormat } from './files/payout-file.ts'
import { nothingPayable, payableNow } from './payable-now.ts'

const FILES: Record<PayoutFormat, PayoutFile> = { 'pain.001': painFile, csv: csvFile }

const BatchView = z.object({
  batch_id: z.string(),
  environment: z.enum(ENVIRONMENTS),
  format: z.enum(PAYOUT_FORMATS),
  count: z.int().describe('How many payouts the file has.'),
  file: z.string().describe('The file, for the bank: it holds the accounts of those who are paid.'),
})

/**
 * Payouts go to the bank in one file, and are `processing` from then on. The file is kept with them, so that a client
 * that broke off gets the same bytes again.
 */
export const exportPayouts = adminWrite({
  name: 'export_payouts',
  roles: FINANCE,
  recent: true,
  summary: 'Write the payouts that can be paid to a file for the bank',
  description:
    'Takes the payouts that are pending, have a payee that is ready and need no approval any more. Nothing to export is ' +
    '`conflict`, and says what is missing.',
  method: 'POST',
  path: '/payout-batches',
  subject: 'batch_id',
  input: z.object({
    environment: z.enum(ENVIRONMENTS),
    format: z.enum(PAYOUT_FORMATS).describe('ISO 20022 pain.001.001.09, or CSV.'),
  }),
  output: BatchView,
  status: 201,
  errors: ['validation_error', 'conflict'],
  audited: ({ environment, format }, { batch_id, count }) => ({
    environment,
    format,
    batch_id,
    count,
  }),
  async handler({ tx, now, app, actor }, { environment, format }) {
    const { platform } = app.settings
    const kind = FILES[format]
    if (kind.needsPayer && environment === 'live') assertPayer(platform)
    const payable = await payableNow(tx, now, app.settings, environment)
    const payouts = payable.ready.filter(({ payee }) => payee.rail === 'file')
    if (payouts.length === 0) throw nothingPayable(payable, 'exported')
    const batch_id = newId('pob', now)
    const file = kind.write({
      id: batch_id,
      at: now,
      payer: platform,
      payouts: payouts.map(({ payout, payee }) => ({
        id: payout.id,
        amountCents: payout.amount_cents,
        currency: payout.currency,
        account: openPayee(app.secrets, payee),
      })),
    })
    const count = payouts.length
    await tx
      .insertInto('payout_batches')
      .values({
        batch_id,
        environment,
        format,
        payout_count: count,
        file: app.secrets.seal(file, batchPurpose(batch_id)),
        created_at: now,
        created_by: actor.name,
      })
      .execute()
    await tx
      .updateTable('payouts')
      .set({ batch_id, status: 'processing', updated_at: now })
      .where('id', '=', sql<string>`any(${payouts.map(({ payout }) => payout.id)}::text[])`)
      .execute()
    return { batch_id, environment, format, count, file }
  },
})

/** A write, so that each look at accounts stands in the audit log. */
export const readPayoutBatch = adminWrite({
  name: 'read_payout_batch',
  roles: FINANCE,
  recent: true,
  summary: 'Get the file of an earlier export again, byte for byte',
  method: 'POST',
  path: '/payout-batches/{batch_id}/file',
  input: z.object({ batch_id: z.string().describe('The id of the export.') }),
  output: BatchView,
  status: 200,
  errors: ['not_found', 'conflict'],
  audited: ({ batch_id }) => ({ batch_id }),
  async handler({ tx, app }, { batch_id }) {
    const batch = await tx
      .selectFrom('payout_batches')
      .selectAll()
      .where('batch_id', '=', batch_id)
      .executeTakeFirst()
    if (!batch) throw notFound('payout batch')
    const { environment, format, payout_count: count, file } = batch
    if (file === null) {
      throw conflict('not_applicable', 'The key that this file was sealed with is lost.')
    }
    return {
      batch_id,
      environment,
      format,
      count,
      file: app.secrets.open(file, batchPurpose(batch_id)),
    }
  },
})

export const listPayoutBatches = adminRead({
  name: 'list_payout_batches',
  roles: READERS,
  summary: 'List the latest files for the bank, newest first',
  method: 'GET',
  path: '/payout-batches',
  input: z.object({ environment: z.enum(ENVIRONMENTS).default('live') }),
  output: z.object({
    batches: z.array(
      BatchView.omit({ file: true }).extend({ created_at: z.string(), created_by: z.string() }),
    ),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ db }, { environment }) {
    const rows = await db
      .selectFrom('payout_batches')
      .select(['batch_id', 'environment', 'format', 'payout_count as count'])
      .select(['created_at', 'created_by'])
      .where('environment', '=', environment)
      .orderBy('batch_id', 'desc')
      .limit(100)
      .execute()
    return {
      batches: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
    }
  },
})

/** What it is sealed for. */
export function batchPurpose(batchId: string): string {
  return `payout batch ${batchId}`
}

function assertPayer({ name, iban }: Settings['platform']): void {
  const missing = [name === undefined && 'PLATFORM_NAME', iban === undefined && 'PLATFORM_IBAN']
  const names = missing.filter(Boolean).join(' and ')
  if (names === '') return
  throw conflict('not_applicable', `Set ${names}: the file names who pays, and from which account.`)
}
