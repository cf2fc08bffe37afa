import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { PageCaller } from '../../core/caller.ts'
import { ApiError, conflict, notFound } from '../../core/errors.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import { lockPartner } from '../partners/partner.ts'
import type { User } from './user.ts'

/** The users of a partner, who may all do the same; oldest first. */
export async function listMembers(db: Pick<Tx, 'selectFrom'>, partnerId: string): Promise<User[]> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .orderBy('id')
    .execute()
}

/** Takes somebody out of the partner at once, and what they have sent to others with them. */
export const removeMember = pageWrite({
  name: 'remove_member',
  input: z.object({ user_id: z.string() }),
  output: z.object({ user_id: z.string(), email: z.string() }),
  audit: (_input, output, { partner }) => ({ subject: partner?.partnerId ?? null, input: output }),
  async handler({ tx, now, caller }, { user_id }) {
    const { id: partnerId } = await lockAsMember(tx, caller)
    const members = await listMembers(tx, partnerId)
    const member = members.find(({ id }) => id === user_id)
    if (!member) throw notFound('member')
    // One who cannot sign in is nobody who could go on.
    if (!members.some(({ id, disabled_at }) => id !== user_id && disabled_at === null)) {
      throw conflict('not_applicable', 'One member has to stay: invite somebody else first.')
    }
    await tx.updateTable('users').set({ partner_id: null }).where('id', '=', user_id).execute()
    await endInvitationsOf(tx, now, user_id)
    return { user_id, email: member.email }
  },
})

/** What a user has sent to others opens nothing any more. */
export async function endInvitationsOf(tx: Tx, now: Date, userId: string): Promise<void> {
  await tx
    .updateTable('partner_invitations')
    .set({ ended_at: now })
    .where('invited_by', '=', userId)
    .where('ended_at', 'is', null)
    .execute()
}

/**
 * The partner, held for this transaction: one change of its members at a time. Whoever asks must be one
 * still, since somebody may have removed them a moment ago; an operator who is about to waits for this.
 */
export async function lockAsMember(
  tx: Tx,
  { user, partner: of }: PageCaller,
): Promise<Selectable<Schema['partners']>> {
  if (!user || !of) throw new Error('no member of a partner sent this form')
  const { partnerId } = of
  const partner = await lockPartner(tx, partnerId)
  const member = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', user.id)
    .where('partner_id', '=', partnerId)
    .forShare()
    .executeTakeFirst()
  if (!member) throw new ApiError('forbidden', 'You are no member of this partner any more.')
  return partner
}
