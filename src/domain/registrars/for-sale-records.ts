import type { Tx } from '../../core/operation.ts'
import { after, DAY, HOUR } from '../../lib/clock.ts'
import {
  NOT_IN_ACCOUNT,
  queueOperation,
  REGISTRAR_REMOVED,
  RESPONSE_LOST,
  UNREACHABLE,
} from './operation.ts'
import type { Finisher } from './settle-operation.ts'

/** What the registrar did not reject is asked again soon; a zone that it rejects may be another one tomorrow. */
const RETRY_MS = HOUR
const REJECTED_RETRY_MS = DAY

/** Has the registrar publish a record, or remove it, and remembers that it is asked. */
export async function askForRecord(
  { tx, now }: { tx: Tx; now: Date },
  domain: string,
  registrar: { id: string; name: string },
  value: string,
  isWanted: boolean,
): Promise<void> {
  const operation_id = await queueOperation(
    { tx, now },
    {
      environment: 'live',
      domain,
      command: { op: 'set_for_sale', value, published: isWanted },
      registrar,
    },
  )
  const asked = {
    registrar_id: registrar.id,
    value,
    is_wanted: isWanted,
    status: 'queued',
    operation_id,
    retry_at: null,
    updated_at: now,
  } as const
  await tx
    .insertInto('for_sale_records')
    .values({ domain, ...asked })
    .onConflict((known) => known.column('domain').doUpdateSet(asked))
    .execute()
}

/**
 * The live name is not for sale any more: its record is removed before whatever else the registrar is asked from now on.
 * Where none is published, or on its way to be, nothing happens.
 */
export async function withdrawForSale(
  { tx, now }: { tx: Tx; now: Date },
  domain: string,
): Promise<void> {
  const record = await tx
    .selectFrom('for_sale_records as f')
    .innerJoin('registrars as r', 'r.id', 'f.registrar_id')
    .select(['f.value', 'r.id', 'r.name'])
    .where('f.domain', '=', domain)
    .where('f.is_wanted', '=', true)
    .forUpdate('f')
    .executeTakeFirst()
  if (record) await askForRecord({ tx, now }, domain, record, record.value, false)
}

/** What became of a record. An operation that another has followed says nothing of it. */
export const finishForSale: Finisher = {
  concerns: ({ op }) => op === 'set_for_sale',
  async finish({ tx, now }, { operation_id, params, status, error }) {
    const isGone = error?.code === NOT_IN_ACCOUNT || error?.code === REGISTRAR_REMOVED
    const isWithdrawn = status === 'succeeded' && params.op === 'set_for_sale' && !params.published
    if (isGone || isWithdrawn) {
      await tx.deleteFrom('for_sale_records').where('operation_id', '=', operation_id).execute()
      return
    }
    const isRejected = error?.code !== UNREACHABLE && error?.code !== RESPONSE_LOST
    const became =
      status === 'succeeded'
        ? ({ status: 'published', retry_at: null } as const)
        : ({
            status: 'failed',
            retry_at: after(now, isRejected ? REJECTED_RETRY_MS : RETRY_MS),
          } as const)
    await tx
      .updateTable('for_sale_records')
      .set({ ...became, updated_at: now })
      .where('operation_id', '=', operation_id)
      .execute()
  },
}
