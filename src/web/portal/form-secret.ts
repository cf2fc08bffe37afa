import type { AppContext } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import type { KeyPair } from '../../domain/partners/credential.ts'
import { HOUR } from '../../lib/clock.ts'
import type { FormContext, PageContext } from '../layout/page-context.ts'

const GOOD_FOR_MS = HOUR

/**
 * What a form will make, sealed and sent with the form: sent twice it makes the same credential and shows the
 * same secret, though no response with a secret is stored. It is good for this session and purpose, for an hour.
 */
export function sealFormSecret(
  { secrets }: AppContext,
  { session, now }: PageContext,
  purpose: string,
  pair: KeyPair,
): string {
  const text = JSON.stringify([pair.keyId, pair.secret, now.getTime()])
  return secrets.sealToken(text, `portal ${purpose} ${session.sessionId}`)
}

export function openFormSecret(
  { secrets }: AppContext,
  { session, now, form }: FormContext,
  purpose: string,
): KeyPair {
  const text = secrets.openToken(form.get('once') ?? '', `portal ${purpose} ${session.sessionId}`)
  const [keyId = '', secret = '', at = 0] =
    text === null ? [] : (JSON.parse(text) as [string, string, number])
  if (now.getTime() - at >= GOOD_FOR_MS) {
    throw conflict(
      'changed_meanwhile',
      'This form is too old: send it again from the page as it is now.',
    )
  }
  return { keyId, secret }
}
