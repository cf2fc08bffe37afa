import { z } from 'zod'
import { ENVIRONMENTS, type Environment, SCOPES, type Scope } from '../../core/caller.ts'
import { conflict } from '../../core/errors.ts'
import { adminWrite, type WriteContext } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import type { Schema } from '../../db/schema.ts'
import { isNetwork } from '../../lib/addresses.ts'
import { after, DAY } from '../../lib/clock.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { openSettlement } from '../ledger/settlement-period.ts'
import {
  type KeyPair,
  NewCredentialView,
  newKeyPair,
  ownCredential,
  sealSecret,
  viewCredential,
} from './credential.ts'
import { allowLive, lockPartner } from './partner.ts'

/** Makes a credential and shows its secret, once. Making a live one approves the partner for live. */
export const createCredential = adminWrite({
  name: 'create_credential',
  roles: ADMINS,
  recent: true,
  summary: 'Make a credential for a partner',
  method: 'POST',
  path: '/partners/{partner_id}/credentials',
  input: z.object({
    partner_id: z.string(),
    environment: z.enum(ENVIRONMENTS),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .transform((scopes) => [...new Set(scopes)]),
    days: z.int().min(1).max(3_660).nullish().describe('How many days it works; absent: for ever.'),
    allowed_addresses: z
      .array(z.string().refine(isNetwork, 'must be an address or a network such as 10.0.0.0/8'))
      .max(50)
      .nullish()
      .describe('Addresses and networks that it may be used from; absent: any.'),
  }),
  output: NewCredentialView,
  status: 201,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler(context, { partner_id, environment, scopes, days, allowed_addresses }) {
    const partner = await lockPartner(context.tx, partner_id)
    if (partner.user_id !== null) {
      throw conflict(
        'not_applicable',
        'This account pays a seller their share. Credentials are for partners.',
      )
    }
    if (environment === 'live') await allowLive(context.tx, context.now, partner)
    return await insertCredential(context, partner_id, environment, scopes, undefined, {
      expires_at: days ? after(context.now, days * DAY) : null,
      allowed_addresses: allowed_addresses?.length ? allowed_addresses : null,
    })
  },
})

/** Writes a credential down; a pair that is written already is that credential, unchanged. */
export async function insertCredential(
  { tx, now, app }: Pick<WriteContext, 'tx' | 'now' | 'app'>,
  partnerId: string,
  environment: Environment,
  scopes: Scope[],
  { keyId, secret }: KeyPair = newKeyPair(environment),
  limits: Pick<Schema['credentials'], 'expires_at' | 'allowed_addresses'> = {
    expires_at: null,
    allowed_addresses: null,
  },
) {
  await openSettlement(tx, { partner_id: partnerId, environment }, HOME_CURRENCY, now)
  const row = await tx
    .insertInto('credentials')
    .values({
      key_id: keyId,
      partner_id: partnerId,
      environment,
      scopes,
      secret_sealed: sealSecret(app.secrets, keyId, secret),
      previous_secret_sealed: null,
      previous_secret_expires_at: null,
      status: 'active',
      revision: 1,
      created_at: now,
      revoked_at: null,
      last_used_at: null,
      ...limits,
    })
    .onConflict((known) => known.column('key_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  return { ...viewCredential(row ?? (await ownCredential(tx, partnerId, keyId))), secret }
}
