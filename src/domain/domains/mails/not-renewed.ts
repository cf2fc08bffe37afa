import { nameText } from 'domain-marketplace-domain-names'
import { dateOf } from '../../../core/fields.ts'
import { type Letter, letter } from '../../../core/letter.tsx'
import type { Schema } from '../../../db/schema.ts'
import { NOT_CONNECTED } from '../registrar.ts'
import { listed, namesInShort } from './names.ts'

type Renewal = Pick<Schema['renewals'], 'domain' | 'from_expires_at' | 'automatic'>

/**
 * Tells a user that names were not renewed, and what to do.
 *
 * @param reason why, in a sentence
 */
export function notRenewedMail(renewals: readonly Renewal[], reason: string): Letter {
  return letter(`Not renewed: ${namesInShort(renewals.map(({ domain }) => domain))}`, [
    `${reason} Nothing was charged.`,
    listed(renewals.map(lineOf)),
    adviceOn(reason, renewals),
  ])
}

function lineOf({ domain, from_expires_at }: Renewal): string {
  const name = nameText(domain)
  return from_expires_at ? `${name} expires on ${dateOf(from_expires_at)}` : name
}

function adviceOn(reason: string, renewals: readonly Renewal[]): string {
  if (reason === NOT_CONNECTED) {
    return renewals.length === 1
      ? 'Renew it where it is registered, before it expires there.'
      : 'Renew them where they are registered, before they expire there.'
  }
  return renewals.some(({ automatic }) => automatic)
    ? 'We will try again every five days, up to five times in all. Please check the payment method in your account.'
    : 'Please check the payment method in your account, and renew again.'
}
