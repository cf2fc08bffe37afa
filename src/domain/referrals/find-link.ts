import type { Partner } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import type { Database } from '../../db/dialect.ts'
import { viewLink } from './create-link.ts'
import { readLinks } from './referral-days.ts'

/** One tracked link of a partner with what it brought and where it leads, or `not_found`. */
export async function findLink(
  db: Database,
  { partnerId, environment }: Partner,
  id: string,
  baseUrl: string,
) {
  const link = await db
    .selectFrom('referral_links')
    .selectAll()
    .where('id', '=', id)
    .where('partner_id', '=', partnerId)
    .where('environment', '=', environment)
    .executeTakeFirst()
  if (!link) throw notFound('link')
  const totals = await readLinks(db, [id])
  return { ...viewLink(link, totals.get(id), baseUrl), destination: link.destination }
}
