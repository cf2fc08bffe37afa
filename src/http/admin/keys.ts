import { sql } from 'kysely'
import { z } from 'zod'
import { invalid } from '../../core/errors.ts'
import { adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { insertSigningKey, newSigningKey } from '../../core/signing-key.ts'
import { readSealed, SEALED, SEALED_AT_ONCE } from '../../domain/secrets/sealed.ts'

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
    for (const { id, row, sealed } of rows) {
      const anew = app.secrets.reseal(sealed, place.purpose(row))
      if (anew === null) continue
      resealed += 1
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${anew}
        where ${sql.ref(key)} = ${id}`.execute(tx)
    }
    const last = rows.at(-1)?.id
    const isEnd = rows.length < SEALED_AT_ONCE
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
