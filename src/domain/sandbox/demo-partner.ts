import { SCOPES } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { insertCredential } from '../partners/create-credential.ts'
import { insertPartner } from '../partners/create-partner.ts'

const NAME = 'demo_credential'

export interface DemoCredential {
  key_id: string
  /** Only on the first start: it is shown once. */
  secret: string | null
}

/** On the first start makes a partner to try the sandbox with. */
export async function demoPartner(app: AppContext): Promise<DemoCredential> {
  const { db, clock } = app
  const known = await readDemo(db)
  if (known) return { key_id: known.value, secret: null }
  const now = clock.now()
  const made = await inTransaction(app, async (tx) => {
    // Of instances that start at once, the others wait here until the first has its partner.
    const first = await tx
      .insertInto('installation')
      .values({ name: NAME, value: '' })
      .onConflict((other) => other.doNothing())
      .returning('name')
      .executeTakeFirst()
    if (!first) return null
    const partner = await insertPartner(
      { tx, now, app },
      { name: 'Demo partner', email: 'demo@example.com', affiliate: true },
    )
    const credential = await insertCredential({ tx, now, app }, partner.partner_id, 'sandbox', [
      ...SCOPES,
    ])
    await tx
      .updateTable('installation')
      .set({ value: credential.key_id })
      .where('name', '=', NAME)
      .execute()
    return credential
  })
  return made ?? { key_id: (await readDemo(db))?.value ?? '', secret: null }
}

async function readDemo(db: AppContext['db']) {
  return await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirst()
}
