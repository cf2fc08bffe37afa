import { auditEntry } from '../../core/audit.ts'
import type { AppContext } from '../../core/context.ts'
import type { Tx } from '../../core/operation.ts'
import { newSecret } from '../../lib/ids.ts'
import { removeFactor } from '../accounts/second-factor.ts'
import { mustFindUser, noteNewAccess } from '../accounts/user.ts'
import { newProgressLink } from '../brokerage/progress-link.ts'
import { newOfferLinks } from '../offers/offer-links.ts'
import { newAuthCode } from '../registrars/auth-code.ts'
import { secretPurpose } from '../registrars/operation.ts'
import { type Row, readSealed, SEALED, SEALED_AT_ONCE, type SealedTable } from './sealed.ts'

interface Context {
  tx: Tx
  now: Date
  app: Pick<AppContext, 'secrets'>
}

/** A row of which a column cannot be opened, and what that was sealed for. */
interface Lost {
  id: string
  row: Row
  column: string
  purpose: string
}

/** What there was, by table. */
export interface Forgotten {
  rows: Partial<Record<SealedTable, number>>
  /** The names of the connections that were removed. */
  registrars: string[]
  /** The orders whose codes have to be given again. */
  orders: string[]
}

/**
 * What becomes of each: links and codes that nobody has to know by heart are made anew, and everything else is as if it
 * had not been set.
 */
const FORGET: Record<SealedTable, (context: Context, lost: Lost) => Promise<unknown>> = {
  brokerage_cases: ({ tx, app }, { id }) =>
    tx
      .updateTable('brokerage_cases')
      .set(newProgressLink(app, id))
      .where('case_id', '=', id)
      .execute(),
  credentials: ({ tx }, { id, column }) =>
    column === 'secret_sealed'
      ? tx.deleteFrom('credentials').where('key_id', '=', id).execute()
      : tx
          .updateTable('credentials')
          .set({ previous_secret_sealed: null, previous_secret_expires_at: null })
          .where('key_id', '=', id)
          .execute(),
  offers: ({ tx, app }, { id }) =>
    tx.updateTable('offers').set(newOfferLinks(app, id)).where('offer_id', '=', id).execute(),
  // When there was a code stays known: its transfer may be under way.
  orders: ({ tx }, { id }) =>
    tx.updateTable('orders').set({ transfer_code: null }).where('public_id', '=', id).execute(),
  payees: ({ tx }, { id }) => tx.deleteFrom('payees').where('payee_id', '=', id).execute(),
  payout_batches: ({ tx }, { id }) =>
    tx.updateTable('payout_batches').set({ file: null }).where('batch_id', '=', id).execute(),
  // A code that the registrar has not set yet is as good as another.
  registrar_operations: ({ tx, app }, { id }) =>
    tx
      .updateTable('registrar_operations')
      .set({ secret: app.secrets.seal(newAuthCode(), secretPurpose(id)) })
      .where('operation_id', '=', id)
      .execute(),
  registrars: ({ tx }, { id }) => tx.deleteFrom('registrars').where('id', '=', id).execute(),
  async second_factors({ tx, now }, { id, row }) {
    const user = await mustFindUser(tx, row.user_id ?? '')
    await removeFactor(tx, now, user, id)
    await noteNewAccess(tx, now, user.id)
  },
  signing_keys: ({ tx }, { id }) => tx.deleteFrom('signing_keys').where('kid', '=', id).execute(),
  // It stays, since its deliveries do, and is off until its partner registers it with a secret of theirs.
  webhook_endpoints: ({ tx, now, app }, { id, purpose }) =>
    tx
      .updateTable('webhook_endpoints')
      .set({
        active: false,
        inactive_reason: 'its secret was lost',
        secret_sealed: app.secrets.seal(newSecret(), purpose),
        updated_at: now,
      })
      .where('id', '=', id)
      .execute(),
}

/** Gives up what no key of SECRETS_KEY opens, so that the service can go on without it. */
export async function forgetSecrets(context: Context): Promise<Forgotten> {
  const { tx, now } = context
  const forgotten: Forgotten = { rows: {}, registrars: [], orders: [] }
  for (const place of SEALED) {
    const { table, column } = place
    for await (const lost of lostOf(context, place)) {
      await FORGET[table](context, { ...lost, column })
      forgotten.rows[table] = (forgotten.rows[table] ?? 0) + 1
      if (table === 'orders') forgotten.orders.push(lost.id)
      if (table === 'registrars') forgotten.registrars.push(lost.row.name ?? lost.id)
    }
  }
  // What the first start of an installation makes, the next one makes again where it is gone.
  await tx
    .deleteFrom('installation')
    .where((row) =>
      row.or([
        row('name', '=', 'secrets_key'),
        row.and([
          row('name', '=', 'signing_key'),
          row.not(row.exists(row.selectFrom('signing_keys').select('kid'))),
        ]),
        row.and([
          row('name', '=', 'demo_credential'),
          row('value', 'not in', row.selectFrom('credentials').select('key_id')),
        ]),
      ]),
    )
    .execute()
  const { rows } = forgotten
  const record = { operation: 'forget_secrets', subject: null, input: rows, requestId: '' }
  const actor = { userId: null, name: 'the command line' }
  await tx.executeQuery(auditEntry(tx, now, { ...record, actor }))
  return forgotten
}

async function* lostOf({ tx, app }: Context, place: (typeof SEALED)[number]) {
  let after = ''
  for (;;) {
    const rows = await readSealed(tx, place, after)
    for (const { id, row, sealed } of rows) {
      const purpose = place.purpose(row)
      if (!opens(app, sealed, purpose)) yield { id, row, purpose }
    }
    const last = rows.at(-1)
    if (!last || rows.length < SEALED_AT_ONCE) return
    after = last.id
  }
}

function opens({ secrets }: Context['app'], sealed: Uint8Array, purpose: string): boolean {
  try {
    secrets.open(sealed, purpose)
    return true
  } catch {
    return false
  }
}
