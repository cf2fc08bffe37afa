import { z } from 'zod'
import { conflict, notFound } from '../../core/errors.ts'
import { iso, textField, timestamp, webUrlField } from '../../core/fields.ts'
import { queueMail } from '../../core/mail.ts'
import { pageWrite, type Tx, type WriteContext } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { liveApprovedMail } from './mails/live-approved.ts'
import { liveDeclinedMail } from './mails/live-declined.ts'
import { lockPartner } from './partner.ts'
import { LIVE_REQUEST_STATUSES } from './partner-status.ts'

export type LiveRequest = Schema['live_requests']

/** What a partner tells of itself when it asks for live access. */
const LiveRequestInput = z.object({
  /** What it sells, to whom, and how it collects. */
  use_case: textField(2000).min(20, 'Say in a sentence or two what you sell, and to whom.'),
  website: webUrlField.nullish(),
})

export const LiveRequestView = z.object({
  id: z.string(),
  partner_id: z.string(),
  status: z.enum(LIVE_REQUEST_STATUSES),
  use_case: z.string(),
  website: z.string().nullable(),
  /** The e-mail address of the user who asked. */
  requested_by: z.string(),
  /** The operator's word to the partner. */
  reason: z.string().nullable(),
  created_at: timestamp,
  decided_at: timestamp.nullable(),
})

export function viewLiveRequest(row: LiveRequest): z.output<typeof LiveRequestView> {
  return {
    id: row.id,
    partner_id: row.partner_id,
    status: row.status,
    use_case: row.use_case,
    website: row.website,
    requested_by: row.requested_by,
    reason: row.reason,
    created_at: iso(row.created_at),
    decided_at: iso(row.decided_at),
  }
}

/** A member asks the operator for live access, for their partner. */
export const askForLive = pageWrite({
  name: 'ask_for_live',
  input: LiveRequestInput,
  output: LiveRequestView,
  async handler(context, input) {
    const { user, partner } = context.caller
    if (!user || !partner) throw new Error('no member of a partner sent this form')
    return viewLiveRequest(await requestLive(context, partner.partnerId, user.email, input))
  },
})

/**
 * Asks the operator for live access. Asking again while a request waits returns that one; a partner
 * that has live access is rejected with `conflict`.
 */
export async function requestLive(
  { tx, now }: Pick<WriteContext, 'tx' | 'now'>,
  partnerId: string,
  requestedBy: string,
  { use_case, website = null }: z.output<typeof LiveRequestInput>,
): Promise<LiveRequest> {
  const partner = await lockPartner(tx, partnerId)
  if (partner.live_approved_at !== null)
    throw conflict('already_exists', 'This partner has live access already.')
  const waiting = await latestLiveRequest(tx, partnerId)
  if (waiting?.status === 'pending') return waiting
  return await tx
    .insertInto('live_requests')
    .values({
      id: newId('lrq', now),
      partner_id: partnerId,
      status: 'pending',
      use_case,
      website,
      requested_by: requestedBy,
      reason: null,
      created_at: now,
      decided_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The partner's last request, which is the one that counts. */
export async function latestLiveRequest(
  db: Pick<Tx, 'selectFrom'>,
  partnerId: string,
): Promise<LiveRequest | undefined> {
  return await db
    .selectFrom('live_requests')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Decides a request and tells whoever asked. Deciding the same again changes nothing; deciding otherwise is
 * rejected with `conflict`.
 */
export async function decideLiveRequest(
  { tx, now, app, defer }: WriteContext,
  id: string,
  status: 'approved' | 'declined',
  reason: string | null,
): Promise<LiveRequest> {
  const found = await tx
    .selectFrom('live_requests')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw notFound('request for live access')
  if (found.status === status) return found
  if (found.status !== 'pending') {
    throw conflict('not_allowed_now', `The request is ${found.status} already.`, {
      status: found.status,
    })
  }
  const decided = await tx
    .updateTable('live_requests')
    .set({ status, reason, decided_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const { baseUrl } = app.settings
  const write = status === 'approved' ? liveApprovedMail : liveDeclinedMail
  defer(queueMail(tx, now, { to: found.requested_by, ...write({ baseUrl, reason }) }))
  return decided
}
