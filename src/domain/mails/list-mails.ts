import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { readPage } from '../../core/cursor.ts'
import { iso, paging, timestamp } from '../../core/fields.ts'
import { isMailFailing, isMailUndeliverable } from '../../core/mail.ts'
import { framed } from '../../core/mail-frame.tsx'
import { adminRead } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import type { Schema } from '../../db/schema.ts'

const STATES = { failing: isMailFailing, undeliverable: isMailUndeliverable }

/** What the marketplace wrote to people, and whether it went out. */
export const listMails = adminRead({
  name: 'list_mails',
  roles: READERS,
  summary: 'List mails, newest first; the text of one that was sent is gone',
  description:
    'Links in them are not shown: anyone who has one acts as its recipient. Without a mail server this list is where ' +
    'mails are read, so there the role `admin` sees them.',
  method: 'GET',
  path: '/mails',
  input: z.object({
    to: z.string().max(254).optional(),
    state: z
      .enum(['failing', 'undeliverable'])
      .optional()
      .describe(
        '`failing`: the mail server does not take it, and it is tried again. `undeliverable`: its recipient was rejected, or it was given up.',
      ),
    ...paging,
  }),
  output: z.object({
    mails: z.array(
      z.object({
        id: z.string(),
        to: z.string(),
        subject: z.string(),
        text: z.string().nullable(),
        created_at: timestamp,
        sent_at: timestamp.nullable(),
        attempts: z.int(),
        error: z.string().nullable(),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db, app, actor }, { to, state, limit, cursor }) {
    const bound = { list: 'mails', to: to ?? null, state: state ?? null }
    let query = db.selectFrom('mails').selectAll()
    if (to !== undefined) query = query.where('recipient', '=', to)
    if (state !== undefined) query = query.where(STATES[state])
    const showsLinks = app.settings.smtpUrl === undefined && ADMINS.includes(actor.role)
    const { rows, next_cursor } = await readPage(query, 'id', { cursor, limit, bound })
    return {
      mails: rows.map((row) => ({
        id: row.id,
        to: row.recipient,
        subject: row.subject,
        text: shownText(app, row, showsLinks),
        created_at: iso(row.created_at),
        sent_at: iso(row.sent_at),
        attempts: row.attempts,
        error: row.error,
      })),
      next_cursor,
    }
  },
})

/** As it is sent, but a link in a mail lets whoever has it in, so it is for the one who gets the mail. */
function shownText(
  { brand }: Pick<AppContext, 'brand'>,
  { subject, body, html }: Pick<Selectable<Schema['mails']>, 'subject' | 'body' | 'html'>,
  showsLinks: boolean,
): string | null {
  if (body === null) return null
  const text = html === null ? body : framed(brand, { subject, text: body, html }).text
  return showsLinks ? text : text.replace(/(https?:\/\/[^\s/]+)\/\S+/g, '$1/…')
}
