import { conflict, notFound, Refusal } from '../../kernel/errors.ts'
import { queueMail } from '../../kernel/mail.ts'
import type { Tx, WriteContext } from '../../kernel/operation.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { maskEmail } from '../../lib/mask-email.ts'
import { sha256 } from '../../lib/signature.ts'
import { lockPartner } from '../partners/partner.ts'
import { lockAsMember, type MemberAct, noteMemberAct } from './member.ts'
import { lockUser, type User, userByEmail } from './user.ts'

const LIFETIME_MS = 7 * DAY
/** Of one partner, withdrawn ones too: its members cannot write to the world through us. */
const MAX_A_WEEK = 50

type Context = Pick<WriteContext, 'tx' | 'now' | 'house' | 'defer'>
export type OpenInvitation = Awaited<ReturnType<typeof listInvitations>>[number]
export type ShownInvitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>

/** What waits for an answer, newest first. */
export async function listInvitations(db: Pick<Tx, 'selectFrom'>, now: Date, partnerId: string) {
  return await db
    .selectFrom('partner_invitations as i')
    .innerJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.created_at', 'i.expires_at', 'u.email as invited_by'])
    .where('i.partner_id', '=', partnerId)
    .where('i.expires_at', '>', now)
    .where('i.ended_at', 'is', null)
    .orderBy('i.id', 'desc')
    .execute()
}

/** Mails a link that lets one person in, once; an older one to the same address works no more. */
export async function inviteMember(
  context: Context,
  by: MemberAct,
  email: string,
): Promise<{ email: string }> {
  const { tx, now, house, defer } = context
  const { name } = await lockAsMember(tx, by)
  const known = await userByEmail(tx, email)
  if (known?.partner_id === by.partnerId) throw conflict(`${email} is a member already.`)
  const { sent } = await tx
    .selectFrom('partner_invitations')
    .select((row) => row.fn.countAll<number>().as('sent'))
    .where('partner_id', '=', by.partnerId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  if (sent >= MAX_A_WEEK) {
    throw conflict(`You have sent ${MAX_A_WEEK} invitations within a week. Wait until some lapse.`)
  }
  await tx
    .updateTable('partner_invitations')
    .set({ ended_at: now })
    .where('partner_id', '=', by.partnerId)
    .where('email', '=', email)
    .where('ended_at', 'is', null)
    .execute()
  const { token, hash } = newToken('mkt_link')
  await tx
    .insertInto('partner_invitations')
    .values({
      id: newId('inv', now),
      partner_id: by.partnerId,
      email,
      token_hash: hash,
      invited_by: by.user.id,
      created_at: now,
      expires_at: after(now, LIFETIME_MS),
      ended_at: null,
    })
    .execute()
  const { baseUrl } = house.settings
  const text = `${by.user.email} invites you to the partner account of ${name} at ${baseUrl}. Join within seven days:\n\n${baseUrl}/partner/join?token=${token}\n\nSign in with this address, or create an account with it. If you do not know who asks, ignore this mail.\n`
  defer(queueMail(tx, now, { to: email, subject: `Join ${name}`, text }))
  noteMemberAct(context, by, 'invite_member', { email })
  return { email }
}

/** Ends an invitation: its link opens nothing any more. */
export async function withdrawInvitation(
  context: Context,
  by: MemberAct,
  id: string,
): Promise<string> {
  const { tx, now } = context
  await lockAsMember(tx, by)
  const ended = await tx
    .updateTable('partner_invitations')
    .set({ ended_at: now })
    .where('id', '=', id)
    .where('partner_id', '=', by.partnerId)
    .where('ended_at', 'is', null)
    .returning('email')
    .executeTakeFirst()
  if (!ended) throw notFound('open invitation')
  noteMemberAct(context, by, 'withdraw_invitation', { email: ended.email })
  return ended.email
}

/** The open invitation that a link is for, with who is behind it. */
export async function findInvitation(db: Pick<Tx, 'selectFrom'>, now: Date, token: string) {
  return await db
    .selectFrom('partner_invitations as i')
    .innerJoin('partners as p', 'p.id', 'i.partner_id')
    .innerJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.partner_id', 'i.expires_at'])
    .select(['p.name as partner_name', 'p.status as partner_status', 'u.email as invited_by'])
    .where('i.token_hash', '=', sha256(token))
    .where('i.expires_at', '>', now)
    .where('i.ended_at', 'is', null)
    .executeTakeFirst()
}

/** Why this user may not accept; null when they may. */
export function whyNot(
  { email, partner_id, partner_name, partner_status }: ShownInvitation,
  user: User,
): Refusal | null {
  if (email !== user.email) {
    const whose = `This invitation is for ${maskEmail(email)}, and you are ${user.email}.`
    return new Refusal('forbidden', `${whose} Sign in with the address that it was sent to.`)
  }
  if (user.email_confirmed_at === null) {
    return conflict('Please confirm your e-mail address first, then open this page again.')
  }
  if (partner_status !== 'active') {
    return new Refusal('partner_not_active', `The account of ${partner_name} is suspended.`)
  }
  if (user.partner_id === partner_id)
    return conflict(`You are a member of ${partner_name} already.`)
  if (user.partner_id !== null) {
    return conflict('Your account belongs to another partner, and can belong to one only.')
  }
  return null
}

/** Uses the invitation up: the user is a member of its partner from now on. */
export async function acceptInvitation(
  context: Context,
  { userId, requestId }: { userId: string; requestId: string },
  token: string,
): Promise<{ partner_name: string }> {
  const { tx, now } = context
  const seen = await findInvitation(tx, now, token)
  if (!seen) throw invitationSpent()
  // Looked at again behind the lock: it may have been withdrawn meanwhile.
  await lockPartner(tx, seen.partner_id)
  const found = await findInvitation(tx, now, token)
  if (!found) throw invitationSpent()
  const user = await lockUser(tx, userId)
  const problem = whyNot(found, user)
  if (problem) throw problem
  const { id, partner_id, partner_name } = found
  await tx.updateTable('partner_invitations').set({ ended_at: now }).where('id', '=', id).execute()
  await tx.updateTable('users').set({ partner_id }).where('id', '=', userId).execute()
  const by = { user, partnerId: partner_id, requestId }
  noteMemberAct(context, by, 'accept_invitation', { invited_by: found.invited_by })
  return { partner_name }
}

export function invitationSpent(): Refusal {
  return new Refusal(
    'not_found',
    'This invitation was used or withdrawn, or its time is over. Ask for a new one.',
  )
}
