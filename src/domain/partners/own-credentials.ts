import { z } from 'zod'
import { ENVIRONMENTS, type PageCaller, type Partner, SCOPES } from '../../core/caller.ts'
import { conflict, invalid } from '../../core/errors.ts'
import { queueMail } from '../../core/mail.ts'
import { pageWrite, type WriteContext } from '../../core/operation.ts'
import { insertCredential } from './create-credential.ts'
import { CredentialView, NewCredentialView, ownCredential } from './credential.ts'
import { credentialsOf } from './list-credentials.ts'
import { credentialChangedMail } from './mails/credential-changed.ts'
import { lockPartner } from './partner.ts'
import { switchOff } from './revoke-credential.ts'
import { rotateSecret } from './rotate-credential.ts'

/** Beyond these a partner should revoke some first. */
const MAX_ACTIVE = 20

/** The pair comes with the form, sealed, so that sending it again shows the same secret and makes no other. */
const pairFields = { key_id: z.string(), secret: z.string() }

/** A member makes a credential for their partner; live ones need live access. */
export const createOwnCredential = pageWrite({
  name: 'create_own_credential',
  input: z.object({
    ...pairFields,
    environment: z.enum(ENVIRONMENTS),
    scopes: z.array(z.enum(SCOPES)).min(1, 'must be one at least'),
  }),
  output: NewCredentialView,
  audit: (input, { key_id: subject }) => ({ subject, input }),
  async handler(context, { environment, scopes, key_id: keyId, secret }) {
    const { partnerId } = mustAct(context.caller)
    const partner = await lockPartner(context.tx, partnerId)
    if (environment === 'live' && partner.live_approved_at === null) {
      throw conflict('not_allowed_now', 'A live credential needs live access: ask for it first.', {
        status: 'not_approved',
      })
    }
    const active = (await credentialsOf(context.tx, partnerId)).filter(
      (known) => known.environment === environment && known.status === 'active',
    )
    if (active.length >= MAX_ACTIVE && !active.some(({ key_id }) => key_id === keyId)) {
      throw conflict(
        'limit_reached',
        `There are ${MAX_ACTIVE} active credentials. Revoke one first.`,
      )
    }
    await tellMembers(context, partnerId, keyId, 'created')
    return await insertCredential(context, partnerId, environment, scopes, { keyId, secret })
  },
})

/** A member gives one of their partner's credentials a new secret. */
export const rotateOwnCredential = pageWrite({
  name: 'rotate_own_credential',
  input: z.object(pairFields),
  output: NewCredentialView,
  audit: (input, { key_id: subject }) => ({ subject, input }),
  async handler(context, { key_id, secret }) {
    const { partnerId } = mustAct(context.caller)
    await ownCredential(context.tx, partnerId, key_id)
    await tellMembers(context, partnerId, key_id, 'given a new secret')
    return await rotateSecret(context, key_id, secret)
  },
})

/** A member revokes one of their partner's credentials. */
export const revokeOwnCredential = pageWrite({
  name: 'revoke_own_credential',
  input: z.object({ key_id: z.string() }),
  output: CredentialView,
  audit: (input, { key_id: subject }) => ({ subject, input }),
  async handler(context, { key_id }) {
    const { tx, now, caller } = context
    const { partnerId } = mustAct(caller)
    await ownCredential(tx, partnerId, key_id)
    await tellMembers(context, partnerId, key_id, 'revoked')
    return await switchOff(tx, now, key_id)
  },
})

/** Everybody who can act for the partner hears of it, and the address of its account. */
async function tellMembers(
  { tx, now, caller, defer }: Pick<WriteContext, 'tx' | 'now' | 'defer'> & { caller: PageCaller },
  partnerId: string,
  keyId: string,
  what: Parameters<typeof credentialChangedMail>[0]['what'],
): Promise<void> {
  const { name, email } = await tx
    .selectFrom('partners')
    .select(['name', 'email'])
    .where('id', '=', partnerId)
    .executeTakeFirstOrThrow()
  const members = await tx
    .selectFrom('users')
    .select('email')
    .where('partner_id', '=', partnerId)
    .where('disabled_at', 'is', null)
    .execute()
  const mail = credentialChangedMail({
    what,
    keyId,
    partnerName: name,
    by: caller.user?.email ?? '',
  })
  for (const to of new Set([email, ...members.map((member) => member.email)])) {
    defer(queueMail(tx, now, { to, ...mail }))
  }
}

function mustAct({ partner }: PageCaller): Partner {
  if (!partner) throw invalid({ field: 'partner', issue: 'is required' })
  return partner
}
