import { Refusal } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { HOUR } from '../../lib/clock.ts'
import type { KeyPair } from '../../modules/partners/credential.ts'
import type { PostVisit, Visit } from '../pages/visit.ts'

const GOOD_FOR_MS = HOUR

/**
 * What a form will make, sealed and sent with the form: sent twice it makes the same credential and shows the
 * same secret, though no answer with a secret is stored. It is good for this session and purpose, for an hour.
 */
export function newOnce(
  { secrets }: House,
  { session, now }: Visit,
  purpose: string,
  pair: KeyPair,
): string {
  const text = JSON.stringify([pair.keyId, pair.secret, now.getTime()])
  return secrets.sealToken(text, `portal ${purpose} ${session.sessionId}`)
}

export function readOnce(
  { secrets }: House,
  { session, now, form }: PostVisit,
  purpose: string,
): KeyPair {
  const text = secrets.openToken(form.get('once') ?? '', `portal ${purpose} ${session.sessionId}`)
  const [keyId = '', secret = '', at = 0] =
    text === null ? [] : (JSON.parse(text) as [string, string, number])
  if (now.getTime() - at >= GOOD_FOR_MS) {
    throw new Refusal('conflict', 'This form is too old: send it again from the page as it is now.')
  }
  return { keyId, secret }
}
