import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import { signingKeyPurpose } from '../../core/signing-key.ts'
import { factorPurpose } from '../accounts/second-factor.ts'
import { progressPurpose } from '../brokerage/progress-link.ts'
import { webhookPurpose } from '../events/webhook-endpoint.ts'
import { buyerLinkPurpose, sellerLinkPurpose } from '../offers/offer-links.ts'
import { codePurpose } from '../orders/transfer-code.ts'
import { credentialPurpose } from '../partners/credential.ts'
import { payeePurpose } from '../payees/payee.ts'
import { batchPurpose } from '../payouts/export-payouts.ts'
import { secretPurpose } from '../registrars/operation.ts'
import { registrarPurpose } from '../registrars/registrar.ts'

/** Rows that are read at once. */
export const SEALED_AT_ONCE = 500

export type Row = Record<string, string>

/** A column that holds something sealed: by which key its rows are told apart, and what each is sealed for. */
interface SealedColumn<Table extends string> {
  table: Table
  key: string
  column: string
  purpose(row: Row): string
}

/** Every such column. */
export const SEALED = [
  sealed('brokerage_cases', 'case_id', 'progress_sealed', progressPurpose),
  sealed('credentials', 'key_id', 'secret_sealed', credentialPurpose),
  sealed('credentials', 'key_id', 'previous_secret_sealed', credentialPurpose),
  sealed('offers', 'offer_id', 'buyer_sealed', buyerLinkPurpose),
  sealed('offers', 'offer_id', 'seller_sealed', sellerLinkPurpose),
  sealed('orders', 'public_id', 'transfer_code', codePurpose),
  sealed('payees', 'payee_id', 'details', payeePurpose),
  sealed('payout_batches', 'batch_id', 'file', batchPurpose),
  sealed('registrar_operations', 'operation_id', 'secret', secretPurpose),
  sealed('registrars', 'id', 'config', registrarPurpose),
  sealed('second_factors', 'factor_id', 'secret', factorPurpose),
  sealed('signing_keys', 'kid', 'private_jwk_sealed', signingKeyPurpose),
  {
    table: 'webhook_endpoints',
    key: 'id',
    column: 'secret_sealed',
    purpose: ({ partner_id = '', environment = '' }: Row) =>
      webhookPurpose({ partnerId: partner_id, environment: environment as 'live' | 'sandbox' }),
  },
] as const

export type SealedTable = (typeof SEALED)[number]['table']

function sealed<Table extends string>(
  table: Table,
  key: string,
  column: string,
  purpose: (id: string) => string,
): SealedColumn<Table> {
  return { table, key, column, purpose: (row) => purpose(row[key] ?? '') }
}

/** The first rows of a column after a key, held by this transaction. */
export async function readSealed(
  tx: Tx,
  { table, key, column }: Pick<(typeof SEALED)[number], 'table' | 'key' | 'column'>,
  after: string,
): Promise<{ id: string; row: Row; sealed: Buffer }[]> {
  const { rows } = await sql<Row & Record<string, unknown>>`
    select * from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${sql.ref(key)} > ${after}
    order by ${sql.ref(key)} limit ${SEALED_AT_ONCE} for update`.execute(tx)
  return rows.map((row) => ({ id: row[key] ?? '', row, sealed: row[column] as unknown as Buffer }))
}
