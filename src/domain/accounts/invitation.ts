import { z } from 'zod'
import { ApiError, conflict, notFound } from '../../core/errors.ts'
import { queueMail } from '../../core/mail.ts'
import { pageWrite, type Tx } from '../../core/operation.ts'
import { newToken } from '../../lib/bearer-token.ts'
import { after, DAY } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { maskEmail } from '../../lib/mask-email.ts'
import { sha256 } from '../../lib/signature.ts'
import { lockPartner } from '../partners/partner.ts'
import { invitationMail } from './mails/invitation.ts'
import { lockAsMember } from './member.ts'
import { accountEmailField, lockUser, type User, userByEmail } from './user.ts'

const LIFETIME_MS = 7 * DAY
/** Of one partner, withdrawn ones too: its members cannot write to the world through us. */
const MAX_A_WEEK = 50

export type OpenInvitation = Awaited<ReturnType<typeof listInvitations>>[number]
export type ShownInvitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>

/** What waits for a response, newest first. */
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
export const inviteMember = pageWrite({
  name: 'invite_member',
  input: z.object({ email: accountEmailField }),
  output: z.object({ email: z.string() }),
  audit: (input, _output, { partner }) => ({ subject: partner?.partnerId ?? null, input }),
  async handler({ tx, now, app, defer, caller }, { email }) {
    const { id: partnerId, name } = await lockAsMember(tx, caller)
    const known = await userByEmail(tx, email)
    if (known?.partner_id === partnerId)
      throw conflict('already_exists', `${email} is a member already.`)
    const { sent } = await tx
      .selectFrom('partner_invitations')
      .select((row) => row.fn.countAll<number>().as('sent'))
      .where('partner_id', '=', partnerId)
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow()
    if (sent >= MAX_A_WEEK) {
      throw conflict(
        'limit_reached',
        `You have sent ${MAX_A_WEEK} invitations within a week. Wait until some lapse.`,
      )
    }
    await tx
      .updateTable('partner_invitations')
      .set({ ended_at: now })
      .where('partner_id', '=', partnerId)
      .where('email', '=', email)
      .where('ended_at', 'is', null)
      .execute()
    const { token, hash } = newToken('mkt_link')
    await tx
      .insertInto('partner_invitations')
      .values({
        id: newId('inv', now),
        partner_id: partnerId,
        email,
        token_hash: hash,
        invited_by: caller.user?.id ?? '',
        created_at: now,
        expires_at: after(now, LIFETIME_MS),
        ended_at: null,
      })
      .execute()
    const { baseUrl } = app.settings
    const inviter = caller.user?.email ?? ''
    const mail = invitationMail({ inviter, partnerName: name, baseUrl, token })
    defer(queueMail(tx, now, { to: email, ...mail }))
    return { email }
  },
})

/** Ends an invitation: its link opens nothing any more. */
export const withdrawInvitation = pageWrite({
  name: 'withdraw_invitation',
  input: z.object({ id: z.string() }),
  output: z.object({ email: z.string() }),
  audit: (_input, output, { partner }) => ({ subject: partner?.partnerId ?? null, input: output }),
  async handler({ tx, now, caller }, { id }) {
    const partner = await lockAsMember(tx, caller)
    const ended = await tx
      .updateTable('partner_invitations')
      .set({ ended_at: now })
      .where('id', '=', id)
      .where('partner_id', '=', partner.id)
      .where('ended_at', 'is', null)
      .returning('email')
      .executeTakeFirst()
    if (!ended) throw notFound('open invitation')
    return { email: ended.email }
  },
})

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
): ApiError | null {
  if (email !== user.email) {
    const whose = `This invitation is for ${maskEmail(email)}, and you are ${user.email}.`
    return new ApiError('forbidden', `${whose} Sign in with the address that it was sent to.`)
  }
  if (user.email_confirmed_at === null) {
    return conflict(
      'not_allowed_now',
      'Please confirm your e-mail address first, then open this page again.',
      { status: 'unconfirmed' },
    )
  }
  if (partner_status !== 'active') {
    return new ApiError('partner_not_active', `The account of ${partner_name} is suspended.`)
  }
  if (user.partner_id === partner_id)
    return conflict('already_exists', `You are a member of ${partner_name} already.`)
  if (user.partner_id !== null) {
    return conflict(
      'owned_by_other',
      'Your account belongs to another partner, and can belong to one only.',
    )
  }
  return null
}

/** Uses the invitation up: the user is a member of its partner from now on. */
export const acceptInvitation = pageWrite({
  name: 'accept_invitation',
  input: z.object({ token: z.string() }),
  output: z.object({ partner_id: z.string(), partner_name: z.string(), invited_by: z.string() }),
  audit: (_input, { partner_id: subject, invited_by }) => ({ subject, input: { invited_by } }),
  async handler({ tx, now, caller }, { token }) {
    const seen = await findInvitation(tx, now, token)
    if (!seen) throw invitationSpent()
    // Looked at again behind the lock: it may have been withdrawn meanwhile.
    await lockPartner(tx, seen.partner_id)
    const found = await findInvitation(tx, now, token)
    if (!found) throw invitationSpent()
    const user = await lockUser(tx, caller.user?.id ?? '')
    const problem = whyNot(found, user)
    if (problem) throw problem
    const { id, partner_id, partner_name, invited_by } = found
    await tx
      .updateTable('partner_invitations')
      .set({ ended_at: now })
      .where('id', '=', id)
      .execute()
    await tx.updateTable('users').set({ partner_id }).where('id', '=', user.id).execute()
    return { partner_id, partner_name, invited_by }
  },
})

export function invitationSpent(): ApiError {
  return new ApiError(
    'not_found',
    'This invitation was used or withdrawn, or its time is over. Ask for a new one.',
  )
}
