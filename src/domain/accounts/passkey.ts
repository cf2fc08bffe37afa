import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { invalid } from '../../core/errors.ts'
import type { Tx } from '../../core/operation.ts'
import { newId } from '../../lib/ids.ts'
import { insertFactor, listFactors, type SecondFactor, tell } from './second-factor.ts'
import type { User } from './user.ts'

/** With all that it needs it is 240 files, so it is loaded for those who have a passkey. */
const webAuthn = () => import('@simplewebauthn/server')

/** The site that passkeys are for: its host, and the origin that browsers say. */
export interface Site {
  baseUrl: string
  name: string
}

const hostOf = ({ baseUrl }: Pick<Site, 'baseUrl'>) => new URL(baseUrl).hostname

/** What a browser needs to make a passkey; its challenge goes into a check. */
export async function registrationOptions(
  site: Site,
  user: Pick<User, 'id' | 'email'>,
  factors: readonly SecondFactor[],
) {
  const { generateRegistrationOptions } = await webAuthn()
  return await generateRegistrationOptions({
    rpName: site.name,
    rpID: hostOf(site),
    userName: user.email,
    userID: Buffer.from(user.id),
    attestationType: 'none',
    excludeCredentials: passkeysOf(factors),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

/** Keeps the passkey that a browser has made for this challenge. */
export async function addPasskey(
  tx: Tx,
  now: Date,
  site: Site,
  user: User,
  { challenge, response, label }: { challenge: string; response: string; label: string },
): Promise<void> {
  const { verifyRegistrationResponse } = await webAuthn()
  const verified = await verifyRegistrationResponse({
    response: jsonOf(response) as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.baseUrl,
    expectedRPID: hostOf(site),
    requireUserVerification: false,
  }).catch(() => null)
  if (!verified?.verified) {
    throw invalid({ field: 'response', issue: 'is not what a passkey of this site says' })
  }
  const { credential } = verified.registrationInfo
  await insertFactor(tx, user.id, {
    factor_id: newId('fac', now),
    kind: 'passkey',
    label: label || 'Passkey',
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: credential.transports?.join(' ') ?? null,
    confirmed_at: now,
    created_at: now,
  })
  await tell(tx, now, user, 'A passkey was added')
}

/** What a browser needs to use a passkey; null where the user has none. */
export async function authenticationOptions(site: Site, factors: readonly SecondFactor[]) {
  const allowed = passkeysOf(factors)
  if (allowed.length === 0) return null
  const { generateAuthenticationOptions } = await webAuthn()
  return await generateAuthenticationOptions({
    rpID: hostOf(site),
    allowCredentials: allowed,
    userVerification: 'preferred',
  })
}

/** Whether a passkey of the user has signed this challenge. */
export async function usePasskey(
  tx: Tx,
  now: Date,
  site: Site,
  userId: string,
  { challenge, response }: { challenge: string; response: string },
): Promise<boolean> {
  const given = jsonOf(response) as AuthenticationResponseJSON
  const factors = await listFactors(tx, userId)
  const factor = factors.find(({ credential_id }) => credential_id === given.id)
  if (!factor?.credential_id || !factor.public_key) return false
  const { verifyAuthenticationResponse } = await webAuthn()
  const verified = await verifyAuthenticationResponse({
    response: given,
    expectedChallenge: challenge,
    expectedOrigin: site.baseUrl,
    expectedRPID: hostOf(site),
    credential: {
      id: factor.credential_id,
      publicKey: new Uint8Array(factor.public_key),
      counter: factor.counter ?? 0,
    },
    requireUserVerification: false,
  }).catch(() => null)
  if (!verified?.verified) return false
  await tx
    .updateTable('second_factors')
    .set({ counter: verified.authenticationInfo.newCounter, last_used_at: now })
    .where('factor_id', '=', factor.factor_id)
    .execute()
  return true
}

function passkeysOf(factors: readonly SecondFactor[]) {
  return factors.flatMap(({ credential_id, transports }) =>
    credential_id === null
      ? []
      : [
          {
            id: credential_id,
            ...(transports && {
              transports: transports.split(' ') as AuthenticatorTransport[],
            }),
          },
        ],
  )
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Not what a browser sends.
  }
  throw invalid({ field: 'response', issue: 'must be what the browser gave' })
}
