import { conflict, notFound, Refusal } from '../../kernel/errors.ts'
import type { Tx, WriteContext } from '../../kernel/operation.ts'
import type { Schema } from '../../kernel/schema.ts'
import { auditEntry } from '../audit/entry.ts'
import { lockPartner } from '../partners/partner.ts'
import type { User } from './user.ts'

/** A user who acts for a partner, in one request. */
export interface MemberAct {
  user: Pick<User, 'id' | 'email'>
  partnerId: string
  requestId: string
}

type Context = Pick<WriteContext, 'tx' | 'now' | 'house' | 'defer'>

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
export async function removeMember(context: Context, by: MemberAct, userId: string): Promise<User> {
  const { tx, now } = context
  await lockAsMember(tx, by)
  const members = await listMembers(tx, by.partnerId)
  const member = members.find(({ id }) => id === userId)
  if (!member) throw notFound('member')
  // One who cannot sign in is nobody who could go on.
  if (!members.some(({ id, disabled_at }) => id !== userId && disabled_at === null)) {
    throw conflict('One member has to stay: invite somebody else first.')
  }
  await tx.updateTable('users').set({ partner_id: null }).where('id', '=', userId).execute()
  await endInvitationsOf(tx, now, userId)
  noteMemberAct(context, by, 'remove_member', { user_id: userId, email: member.email })
  return member
}

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
  { user, partnerId }: MemberAct,
): Promise<Schema['partners']> {
  const partner = await lockPartner(tx, partnerId)
  const member = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', user.id)
    .where('partner_id', '=', partnerId)
    .forShare()
    .executeTakeFirst()
  if (!member) throw new Refusal('forbidden', 'You are no member of this partner any more.')
  return partner
}

/** Operators see in the audit log who let whom in. */
export function noteMemberAct(
  { tx, now, defer }: Context,
  { user, partnerId, requestId }: MemberAct,
  operation: string,
  input: object,
): void {
  const actor = { userId: user.id, name: user.email }
  defer(auditEntry(tx, now, { actor, requestId, operation, subject: partnerId, input }))
}
