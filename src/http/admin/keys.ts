import { sql } from 'kysely'
import { z } from 'zod'
import { invalid } from '../../core/errors.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { insertSigningKey, newSigningKey, signingKeyPurpose } from '../../core/signing-key.ts'
import { factorPurpose } from '../../domain/accounts/second-factor.ts'
import { progressPurpose } from '../../domain/brokerage/progress-link.ts'
import { webhookPurpose } from '../../domain/events/webhook-endpoint.ts'
import { buyerLinkPurpose, sellerLinkPurpose } from '../../domain/offers/offer-links.ts'
import { codePurpose } from '../../domain/orders/transfer-code.ts'
import { credentialPurpose } from '../../domain/partners/credential.ts'
import { payeePurpose } from '../../domain/payees/payee.ts'
import { batchPurpose } from '../../domain/payouts/export-payouts.ts'
import { secretPurpose } from '../../domain/registrars/operation.ts'
import { registrarPurpose } from '../../domain/registrars/registrar.ts'

/** Rows of one request, which is one transaction. */
const AT_ONCE = 500

type Row = Record<string, string>

/** Every column that holds something sealed: by which key its rows are told apart, and what each is sealed for. */
const SEALED: readonly {
  table: string
  key: string
  column: string
  purpose(row: Row): string
}[] = [
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
    purpose: ({ partner_id = '', environment = '' }) =>
      webhookPurpose({ partnerId: partner_id, environment: environment as 'live' | 'sandbox' }),
  },
]

function sealed(table: string, key: string, column: string, purpose: (id: string) => string) {
  return { table, key, column, purpose: (row: Row) => purpose(row[key] ?? '') }
}

/** The place of a walk through all of them: the column, and the last key of it. */
const cursorField = z.string().max(300).nullish()

/** Seals what an older key of SECRETS_KEY sealed with the first one, some rows at a time, while the service runs. */
export const resealSecrets = adminWrite({
  name: 'reseal_secrets',
  roles: ADMINS,
  recent: true,
  summary: 'Seal some of the secrets with the first key of SECRETS_KEY',
  description:
    'Call it with `next_cursor` until that is null: then no secret at rest needs an older key any more. Links that were ' +
    'mailed, and responses that are kept for repeats for a day, still do.',
  method: 'POST',
  path: '/secrets/reseal',
  input: z.object({ cursor: cursorField.describe('`next_cursor` of the call before.') }),
  output: z.object({
    column: z.string().describe('What was looked at.'),
    checked: z.int(),
    resealed: z.int(),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error'],
  async handler({ tx, app }, { cursor }) {
    const [at = '0', ...rest] = (cursor ?? '0:').split(':')
    const place = SEALED[Number(at)]
    if (!place) throw invalid({ field: 'cursor', issue: 'is not one of this walk' })
    const { table, key, column } = place
    const rows = await readSealed(tx, place, rest.join(':'))
    let resealed = 0
    for (const row of rows) {
      const anew = app.secrets.reseal(row.sealed, place.purpose(row.row))
      if (anew === null) continue
      resealed += 1
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${anew}
        where ${sql.ref(key)} = ${row.row[key]}`.execute(tx)
    }
    const last = rows.at(-1)?.row[key]
    const isEnd = rows.length < AT_ONCE
    const next = isEnd ? Number(at) + 1 : Number(at)
    if (isEnd && next === SEALED.length) await resealProof(tx, app)
    return {
      column: `${table}.${column}`,
      checked: rows.length,
      resealed,
      next_cursor: next === SEALED.length ? null : `${next}:${isEnd ? '' : last}`,
    }
  },
})

async function readSealed(
  tx: Tx,
  { table, key, column }: (typeof SEALED)[number],
  after: string,
): Promise<{ row: Row; sealed: Buffer }[]> {
  const { rows } = await sql<Row & Record<string, unknown>>`
    select * from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${sql.ref(key)} > ${after}
    order by ${sql.ref(key)} limit ${AT_ONCE} for update`.execute(tx)
  return rows.map((row) => ({ row, sealed: row[column] as unknown as Buffer }))
}

/** What shows at start that the key fits. */
async function resealProof(
  tx: Tx,
  { secrets }: { secrets: { reseal(sealed: Uint8Array, purpose: string): Buffer | null } },
): Promise<void> {
  const proof = await tx
    .selectFrom('installation')
    .select('value')
    .where('name', '=', 'secrets_key')
    .forUpdate()
    .executeTakeFirst()
  const anew = proof && secrets.reseal(Buffer.from(proof.value, 'base64'), 'installation')
  if (!anew) return
  await tx
    .updateTable('installation')
    .set({ value: anew.toString('base64') })
    .where('name', '=', 'secrets_key')
    .execute()
}

/** What the old key signed stays verifiable: it stays published. */
export const rotateSigningKey = adminWrite({
  name: 'rotate_signing_key',
  roles: ADMINS,
  recent: true,
  summary: 'Make a new key that quotes, checkout links and delivery receipts are signed with',
  description: 'Every instance signs with it within two seconds. Keys before it still verify.',
  method: 'POST',
  path: '/signing-keys',
  subject: 'kid',
  input: z.object({}),
  output: z.object({ kid: z.string().describe('The id of the new key, as in the JWKS.') }),
  status: 201,
  errors: [],
  prepare: ({ app }) => newSigningKey(app),
  async handler({ tx, now, prepared }) {
    await insertSigningKey(tx, now, prepared)
    return { kid: prepared.kid }
  },
})
